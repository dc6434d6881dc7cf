"""Messages: posted once, queued in order, taken back while they wait."""

from __future__ import annotations

import pytest

from agents.models import Message, Turn
from agents.services.channels.channels import create_channel
from agents.services.channels.messages import remove_queued
from agents.services.turns.hosts import claim_turn
from maia_web.lib.errors import Conflict, InvalidInput, NotFound
from tests.cast import Cast
from tests.support.typed import post_message


def test_a_message_is_kept_and_its_agent_is_asked(cast: Cast, channel: str) -> None:
    message = Message.objects.get(id=post_message(cast.bob.pk, channel, "  hello\r\nthere "))

    assert message.parts[0]["text"] == "  hello\nthere"
    assert (message.author, message.queued) == (cast.bob, False)
    turn = Turn.objects.get(channel=channel)
    assert (turn.agent.name, turn.state, turn.starter) == ("maia", "queued", cast.bob)


def test_the_same_client_ref_posts_once(cast: Cast, channel: str) -> None:
    first = post_message(cast.bob.pk, channel, "hello", "ref-1")

    assert post_message(cast.bob.pk, channel, "hello", "ref-1") == first
    assert post_message(cast.alice.pk, channel, "hello", "ref-1") != first
    assert Turn.objects.filter(channel=channel).count() == 2


@pytest.mark.parametrize("text", ["", "  \n ", "\x00"])
def test_an_empty_message_is_refused(cast: Cast, channel: str, text: str) -> None:
    with pytest.raises(InvalidInput):
        post_message(cast.bob.pk, channel, text)


def test_text_that_no_database_takes_is_made_harmless(cast: Cast, channel: str) -> None:
    message = Message.objects.get(id=post_message(cast.bob.pk, channel, "a\x00b\ud800c"))

    assert message.parts[0]["text"] == "ab?c"


def test_nobody_answers_where_several_could_and_none_has(cast: Cast) -> None:
    empty = create_channel(cast.alice.pk, cast.atelier.id, "empty")

    post_message(cast.alice.pk, empty, "hello")

    last = Message.objects.filter(channel=empty).last()
    assert last is not None
    assert (last.role, last.code) == ("system", "no-recipient")
    assert not Turn.objects.filter(channel=empty).exists()


def test_a_mentioned_agent_joins_before_it_is_asked(cast: Cast) -> None:
    empty = create_channel(cast.alice.pk, cast.atelier.id, "empty")

    post_message(cast.alice.pk, empty, "@maia hello")

    said = list(Message.objects.filter(channel=empty).values_list("role", "code"))
    assert said == [("system", "agent-joined"), ("user", "")]


def test_a_message_during_an_answer_waits_in_the_queue(cast: Cast, channel: str) -> None:
    post_message(cast.alice.pk, channel, "first")
    claim_turn(channel, "host")

    second = post_message(cast.bob.pk, channel, "second")

    assert Message.objects.get(id=second).queued


def test_a_waiting_message_can_be_taken_back_by_its_author_only(cast: Cast, channel: str) -> None:
    post_message(cast.alice.pk, channel, "first")
    claim_turn(channel, "host")
    second = post_message(cast.bob.pk, channel, "second")

    with pytest.raises(NotFound):
        remove_queued(cast.alice.pk, channel, second)
    assert remove_queued(cast.bob.pk, channel, second) == "second"
    assert not Message.objects.filter(id=second).exists()
    assert Turn.objects.filter(channel=channel).count() == 1


def test_a_message_that_is_being_answered_stays(cast: Cast, channel: str) -> None:
    first = post_message(cast.alice.pk, channel, "first")
    claim_turn(channel, "host")

    with pytest.raises(Conflict):
        remove_queued(cast.alice.pk, channel, first)


def test_messages_and_turns_come_in_the_order_they_were_said(cast: Cast, channel: str) -> None:
    for number in range(5):
        post_message(cast.alice.pk, channel, f"message {number}")

    answered = []
    for _ in range(5):
        turn = claim_turn(channel, "host")
        assert turn is not None
        row = Turn.objects.select_related("request").get(id=turn.id)
        assert row.request is not None
        answered.append(row.request.parts[0]["text"])
        Turn.objects.filter(id=turn.id).update(state="ended")

    assert answered == [f"message {number}" for number in range(5)]
