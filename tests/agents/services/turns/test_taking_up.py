"""What a turn keeps when its host goes, and what its agent remembers afterwards."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agents.domain.content.messages import Counters, MessageError, StopReason
from agents.domain.content.model_messages import (
    ModelMessage,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from agents.domain.content.parts import TextPart
from agents.domain.content.turns import MAX_ATTEMPTS, ClaimedTurn
from agents.models import Message, SessionMessage, Turn
from agents.selectors.conversation.turns import running_hosts
from agents.services.permissions.requests import open_request
from agents.services.turns import journal
from agents.services.turns.hosts import claim_turn, end_turn, release_turn
from agents.services.turns.people import resume_turn
from tests.cast import Cast
from tests.support.asked import asked, bash_part
from tests.support.typed import post_message

HOST = "machine:1:a"
USE = ToolUseBlock(id="c1", name="Bash", input={"command": "make"})
OTHER = ToolUseBlock(id="c2", name="Bash", input={"command": "make test"})


def begun(cast: Cast, channel: str) -> ClaimedTurn:
    post_message(cast.alice.pk, channel, "go")
    turn = claim_turn(channel, HOST)
    assert turn is not None
    return turn


def taken_up(channel: str, number: int) -> ClaimedTurn:
    turn = claim_turn(channel, f"machine:{number}:b", running_hosts())
    assert turn is not None
    return turn


def attempts() -> int:
    return Turn.objects.values_list("attempts", flat=True).get()


def last_results(channel: str) -> list[ToolResultBlock]:
    rows = SessionMessage.objects.filter(session__channel=channel).order_by("-position")
    message = ModelMessage.model_validate(rows.values_list("content", flat=True)[0])
    return [block for block in message.content if isinstance(block, ToolResultBlock)]


def test_a_turn_given_back_keeps_its_text_and_is_no_failed_attempt(cast: Cast, direct: str) -> None:
    turn = begun(cast, direct)
    release_turn(turn.lease, (TextPart(text="half"),))
    assert Message.objects.get(id=turn.answer).parts[0]["text"] == "half"

    again = taken_up(direct, 2)
    assert again.parts == (TextPart(text="half", interrupted=True),)
    assert attempts() == 0


def test_what_another_host_has_is_not_given_back(cast: Cast, direct: str) -> None:
    turn = begun(cast, direct)
    release_turn(replace(turn.lease, number=9), (TextPart(text="wrong"),))
    row = Turn.objects.get()
    assert (row.host, row.lease_until is not None) == (HOST, True)
    assert Message.objects.get(id=turn.answer).parts == []


def test_a_host_that_dies_again_and_again_makes_the_turn_given_up(cast: Cast, direct: str) -> None:
    begun(cast, direct)
    turns = [taken_up(direct, number) for number in range(2, MAX_ATTEMPTS + 3)]
    assert [turn.given_up for turn in turns] == [False] * MAX_ATTEMPTS + [True]


def test_a_step_forward_forgives_earlier_crashes(cast: Cast, direct: str) -> None:
    begun(cast, direct)
    turn = taken_up(direct, 2)
    assert attempts() == 1
    said = ModelMessage(role="assistant", content=(TextBlock(text="so"), USE))
    journal.record_step(turn.lease, said, (), ())
    assert attempts() == 0


def test_people_may_take_their_time_however_often_the_server_dies(cast: Cast, direct: str) -> None:
    turn = begun(cast, direct)
    open_request(turn.lease, asked("c1", bash_part("c1")))
    for number in range(2, MAX_ATTEMPTS + 4):
        assert not taken_up(direct, number).given_up


@pytest.mark.parametrize("reason", [None, StopReason.END_TURN])
def test_however_a_turn_ends_every_call_has_a_result(
    cast: Cast, direct: str, reason: StopReason | None
) -> None:
    turn = begun(cast, direct)
    said = ModelMessage(role="assistant", content=(USE, OTHER))
    new = tuple(
        journal.NewCall(call.id, call.name, call.input, place)
        for place, call in enumerate((USE, OTHER))
    )
    journal.record_step(turn.lease, said, new, ())
    journal.finish_call(turn.lease, "c1", ToolResultBlock(tool_use_id="c1", content="ok"), ())
    error = None if reason else MessageError(code="broken", message="It broke.")
    end_turn(turn.lease, parts=(), counters=Counters(), stop_reason=reason, error=error)
    first, second = last_results(direct)
    assert (first.tool_use_id, first.content) == ("c1", "ok")
    assert (second.tool_use_id, second.is_error) == ("c2", True)

    resume_turn(cast.alice.pk, direct, turn.answer)
    again = claim_turn(direct, HOST)
    assert again is not None
    roles = [message.role for message in again.messages]
    assert roles == ["user", "assistant", "user"]
