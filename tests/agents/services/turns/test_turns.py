"""Turns: one at a time per channel, held by a lease, undone or ended cleanly."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone, translation

from agents.domain.content.messages import Counters, MessageError, StopReason
from agents.domain.content.model_messages import (
    ModelMessage,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from agents.domain.content.parts import TextPart, ToolPart
from agents.domain.content.turns import ClaimedTurn
from agents.models import AgentSession, AuditEntry, Message, SessionMessage, Turn
from agents.selectors.conversation.turns import channels_to_serve
from agents.services.leases import LEASE, LostTurn, renew_lease
from agents.services.memory import sessions
from agents.services.turns import journal
from agents.services.turns.hosts import claim_turn, end_turn
from agents.services.turns.people import cancel_channel, resume_turn
from maia_web.lib.errors import Conflict, NotAllowed, NotFound
from tests.agents.services.permissions.asked import ask, start_turn
from tests.cast import Cast
from tests.support.known import known
from tests.support.typed import post_message

HOST, OTHER = "machine:1:a", "machine:2:b"
DEAD = frozenset({HOST, OTHER})
ANSWER = (TextPart(text="done"),)


def claimed(channel: str, host: str = HOST) -> ClaimedTurn:
    turn = claim_turn(channel, host)
    assert turn is not None
    return turn


def end(turn: ClaimedTurn, **how: object) -> None:
    fields: dict[str, Any] = {
        "stop_reason": StopReason.END_TURN,
        "error": None,
        "parts": ANSWER,
    } | how
    end_turn(turn.lease, counters=Counters(), **fields)


def memory(channel: str) -> list[dict[str, object]]:
    return list(
        SessionMessage.objects.filter(session__channel=channel)
        .order_by("position")
        .values_list("content", flat=True)
    )


def said(*texts: str) -> list[dict[str, object]]:
    return [
        {"role": "user", "content": [{"type": "text", "text": text} for text in texts]},
    ]


def test_a_turn_is_claimed_by_one_host(cast: Cast, direct: str) -> None:
    post_message(cast.alice.pk, direct, "hello")

    assert claim_turn(direct, HOST) is not None
    assert claim_turn(direct, OTHER) is None


def test_the_claim_carries_what_the_turn_works_with(cast: Cast, direct: str) -> None:
    post_message(cast.alice.pk, direct, "hello")

    turn = claimed(direct)

    assert (turn.agent, turn.place.user, turn.place.workspace) == (
        "maia",
        cast.alice.pk,
        cast.atelier.id,
    )
    assert [message.wire() for message in turn.messages] == said("hello")


def test_in_a_channel_the_agent_learns_who_speaks_and_nothing_of_what_waits(
    cast: Cast, channel: str
) -> None:
    post_message(cast.alice.pk, channel, "first")
    end(claimed(channel))
    post_message(cast.bob.pk, channel, "second")
    post_message(cast.alice.pk, channel, "third")

    end(claimed(channel))
    texts = [str(block) for message in memory(channel) for block in [message["content"]]]

    assert "[Alice] first" in texts[0]
    assert "[Bob] second" in texts[-1]
    assert "third" not in texts[-1]


def test_a_lost_lease_stops_the_old_host_from_writing(cast: Cast, direct: str) -> None:
    post_message(cast.alice.pk, direct, "hello")
    turn = claimed(direct)
    Turn.objects.filter(id=turn.id).update(lease_until=timezone.now() - timedelta(seconds=1))

    assert claimed(direct, OTHER).id == turn.id
    with pytest.raises(LostTurn):
        renew_lease(turn.lease)
    with pytest.raises(LostTurn):
        end(turn)


@pytest.mark.parametrize("ahead", [timedelta(seconds=120), timedelta(hours=-26)])
def test_a_machine_whose_clock_is_wrong_takes_nothing_from_a_living_host(
    cast: Cast, direct: str, monkeypatch: pytest.MonkeyPatch, ahead: timedelta
) -> None:
    """Leases are by the database's clock alone."""
    post_message(cast.alice.pk, direct, "hello")
    turn = claimed(direct)
    now = timezone.now
    monkeypatch.setattr(timezone, "now", lambda: now() + ahead)
    assert claim_turn(direct, OTHER) is None
    assert channels_to_serve(()) == ()
    assert renew_lease(turn.lease) is False
    monkeypatch.undo()
    assert claim_turn(direct, OTHER) is None
    left = known(Turn.objects.values_list("lease_until", flat=True).get(id=turn.id))
    assert timedelta(seconds=0) < left - timezone.now() <= LEASE


def test_a_turn_of_a_dead_process_is_taken_up_at_once(cast: Cast, direct: str) -> None:
    post_message(cast.alice.pk, direct, "hello")
    turn = claimed(direct)

    assert claim_turn(direct, OTHER) is None
    taken = claim_turn(direct, OTHER, dead=DEAD)

    assert taken is not None
    assert taken.id == turn.id


def test_a_turn_taken_up_too_often_is_given_up(cast: Cast, direct: str) -> None:
    post_message(cast.alice.pk, direct, "hello")
    claimed(direct)

    attempts = [claim_turn(direct, OTHER, dead=DEAD) for _ in range(4)]

    assert [one.given_up for one in attempts if one] == [False, False, False, True]


def test_what_was_recorded_comes_back_and_nothing_runs_twice(cast: Cast, direct: str) -> None:
    post_message(cast.alice.pk, direct, "hello")
    turn = claimed(direct)
    calls = (ToolUseBlock(id="1", name="Bash"), ToolUseBlock(id="2", name="Read"))
    parts = (ToolPart(id="1", name="Bash"), ToolPart(id="2", name="Read"))
    new = tuple(journal.NewCall(c.id, c.name, c.input, n) for n, c in enumerate(calls))
    journal.record_step(turn.lease, ModelMessage(role="assistant", content=calls), new, parts)
    journal.start_call(turn.lease, "1", parts)
    journal.finish_call(turn.lease, "1", ToolResultBlock(tool_use_id="1", content="ok"), parts)
    journal.start_call(turn.lease, "2", parts)

    taken = claim_turn(direct, OTHER, dead=DEAD)

    assert taken is not None
    assert [(call.call_id, call.state) for call in taken.calls] == [
        ("1", "finished"),
        ("2", "in_progress"),
    ]
    assert taken.calls[0].result == {"type": "tool_result", "toolUseId": "1", "content": "ok"}
    assert taken.parts == parts
    assert taken.steps == 1


def test_the_end_frees_the_channel_and_finishes_the_answer(cast: Cast, direct: str) -> None:
    post_message(cast.alice.pk, direct, "hello")
    turn = claimed(direct)

    end(turn)

    answer = Message.objects.get(id=turn.answer)
    assert (answer.done, answer.stop_reason) == (True, "end_turn")
    assert Turn.objects.get(id=turn.id).state == "ended"
    post_message(cast.alice.pk, direct, "again")
    assert claim_turn(direct, OTHER) is not None


def test_cancelling_rolls_the_memory_back_to_before_the_request(cast: Cast, direct: str) -> None:
    post_message(cast.alice.pk, direct, "first")
    end(claimed(direct))
    before = memory(direct)
    AgentSession.objects.filter(channel=direct).update(pending_context=["$ ls"])
    post_message(cast.alice.pk, direct, "second")
    turn = claimed(direct)
    answer = ModelMessage(role="assistant", content=(TextBlock(text="half"),))
    journal.record_step(turn.lease, answer, (), ())

    end(turn, stop_reason=StopReason.CANCELLED)

    assert memory(direct) == before
    assert AgentSession.objects.get(channel=direct).pending_context == ["$ ls"]


def test_a_request_after_a_failure_joins_the_one_before_so_that_roles_alternate(
    cast: Cast, direct: str
) -> None:
    post_message(cast.alice.pk, direct, "first")
    end(claimed(direct), stop_reason=None, error=MessageError(code="unreachable", message="no"))
    post_message(cast.alice.pk, direct, "second")

    claimed(direct)

    assert memory(direct) == said("first", "second")


def test_cancelling_a_joined_request_restores_the_message_it_joined(
    cast: Cast, direct: str
) -> None:
    post_message(cast.alice.pk, direct, "first")
    end(claimed(direct), stop_reason=None, error=MessageError(code="unreachable", message="no"))
    post_message(cast.alice.pk, direct, "second")

    end(claimed(direct), stop_reason=StopReason.CANCELLED)

    assert memory(direct) == said("first")


def test_stop_asks_the_host_and_drops_what_waits(cast: Cast, channel: str) -> None:
    post_message(cast.alice.pk, channel, "first")
    turn = claimed(channel)
    waiting = post_message(cast.bob.pk, channel, "second")

    assert cancel_channel(cast.bob.pk, channel) == 1

    assert renew_lease(turn.lease)
    message = Message.objects.get(id=waiting)
    assert (message.queued, known(message.error)["code"]) == (False, "cancelled")
    assert Turn.objects.filter(channel=channel).count() == 1


def test_the_log_tells_who_stopped_what_was_asked(cast: Cast, channel: str) -> None:
    ask(cast, start_turn(cast.alice.pk, channel))

    cancel_channel(cast.bob.pk, channel)

    line = AuditEntry.objects.get(kind="decision")
    assert (line.outcome, line.who) == ("cancelled", "bob")


def test_stop_keeps_the_queue_when_asked_to(cast: Cast, channel: str) -> None:
    post_message(cast.alice.pk, channel, "first")
    claimed(channel)
    waiting = post_message(cast.bob.pk, channel, "second")

    assert cancel_channel(cast.bob.pk, channel, keep_queued=True) == 0

    assert Message.objects.get(id=waiting).queued
    assert Turn.objects.filter(channel=channel, state="queued").count() == 1


def test_stop_is_not_for_viewers_nor_for_strangers(cast: Cast, channel: str) -> None:
    with pytest.raises(NotAllowed):
        cancel_channel(cast.vera.pk, channel)
    with pytest.raises(NotFound):
        cancel_channel(cast.charlie.pk, channel)


def test_a_failed_answer_can_go_on_with_the_same_memory(cast: Cast, direct: str) -> None:
    post_message(cast.alice.pk, direct, "hello")
    turn = claimed(direct)
    end(turn, stop_reason=None, error=MessageError(code="unreachable", message="no"))

    resume_turn(cast.alice.pk, direct, turn.answer)
    again = claimed(direct)

    assert [message.wire() for message in again.messages] == said("hello")
    assert again.answer != turn.answer


@pytest.mark.parametrize(("typed", "unread"), [("hello", False), ("see @a.py", True)])
def test_what_was_stopped_is_asked_again_from_its_beginning(
    cast: Cast, direct: str, typed: str, unread: bool
) -> None:
    post_message(cast.alice.pk, direct, typed)
    turn = claimed(direct)
    cancel_channel(cast.alice.pk, direct)
    end(turn, stop_reason=StopReason.CANCELLED)

    resume_turn(cast.alice.pk, direct, turn.answer)
    again = claimed(direct)

    assert again.unread == unread
    if not unread:  # else its files are read first
        assert [message.wire() for message in again.messages] == said("hello")


def test_only_the_last_answer_can_go_on(cast: Cast, direct: str) -> None:
    post_message(cast.alice.pk, direct, "hello")
    turn = claimed(direct)
    end(turn)
    post_message(cast.alice.pk, direct, "more")

    with pytest.raises(Conflict):
        resume_turn(cast.alice.pk, direct, turn.answer)


def test_pending_context_is_joined_to_the_request_in_one_message(cast: Cast, direct: str) -> None:
    post_message(cast.alice.pk, direct, "hello")
    row = Turn.objects.get(channel=direct)
    session = sessions.session_of(row)
    session.pending_context = ["$ ls\na.py"]
    session.save()

    claimed(direct)

    assert memory(direct) == said("$ ls\na.py\n\nhello")
    assert AgentSession.objects.get(channel=direct).pending_context == []


def test_a_turn_runs_in_the_language_of_its_person_else_of_their_browser(
    cast: Cast, channel: str
) -> None:
    with translation.override("fr"):  # as the socket or the request of a French browser does
        post_message(cast.alice.pk, channel, "salut")
    turn = claim_turn(channel, "machine:1:a")
    assert turn is not None
    assert turn.starter_language == "fr"

    cast.alice.language = "en"
    cast.alice.save()
    again = claim_turn(channel, "machine:1:b", DEAD)
    assert again is not None
    assert again.starter_language == "en"
