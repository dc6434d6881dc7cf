"""What seed S says of channels and no other test shows: clearing, direct ones, several agents."""

from __future__ import annotations

from typing import Any

import pytest

from agents.domain.content.messages import Counters, StopReason
from agents.domain.content.parts import TextPart
from agents.models import Agent, AgentSession, Channel, Message, Turn
from agents.selectors.conversation.snapshots import snapshot
from agents.services.channels import channels
from agents.services.turns.hosts import claim_turn, end_turn
from agents.services.turns.people import cancel_channel
from maia_web.lib.errors import InvalidInput
from tests.cast import Cast
from tests.support.typed import post_message


@pytest.fixture(autouse=True)
def _forge(cast: Cast) -> None:
    Agent.objects.get_or_create(name="forge", defaults={"kind": "maia", "title": "Forge"})


def answered(channel: str) -> tuple[str, list[Any]]:
    """Answers what comes next; returns who answered, and what they had in mind."""
    turn = claim_turn(channel, "machine:1:a")
    assert turn is not None
    parts = (TextPart(text="done"),)
    reason = StopReason.END_TURN
    end_turn(turn.lease, parts=parts, counters=Counters(), stop_reason=reason, error=None)
    return turn.agent, [message.wire()["content"] for message in turn.messages]


def test_clearing_takes_the_messages_and_what_agents_know_and_leaves_the_channel(
    cast: Cast, channel: str
) -> None:
    channels.rename_channel(cast.alice.pk, channel, "release", "What goes out")
    post_message(cast.alice.pk, channel, "a secret word")
    answered(channel)
    AgentSession.objects.filter(channel=channel).update(context_used=4_000)

    channels.clear_channel(cast.alice.pk, channel)

    state = snapshot(cast.bob.pk, channel)
    assert (state.messages, state.usage) == ((), {})
    assert (state.channel.name, state.channel.description) == ("release", "What goes out")
    assert state.channel.members == ("maia",)
    post_message(cast.bob.pk, channel, "what was it?")
    _who, knows = answered(channel)
    assert "secret" not in str(knows)
    assert len(knows) == 1


def test_a_direct_conversation_has_one_agent_and_no_name(cast: Cast) -> None:
    direct = channels.open_direct(cast.alice.pk, cast.atelier.id, "maia")

    info = snapshot(cast.alice.pk, direct).channel
    assert (info.name, info.direct, info.members) == ("", "maia", ("maia",))
    for act, value in (
        (channels.rename_channel, "a name"),
        (channels.add_member, "forge"),
        (channels.remove_member, "maia"),
    ):
        with pytest.raises(InvalidInput):
            act(cast.alice.pk, direct, value)
    assert Channel.objects.get(id=direct).name == ""
    assert snapshot(cast.alice.pk, direct).channel.members == ("maia",)


def test_mentioned_agents_answer_one_after_the_other_in_the_order_of_the_mentions(
    cast: Cast, channel: str
) -> None:
    post_message(cast.alice.pk, channel, "@forge, then @maia: go")

    assert claim_turn(channel, "machine:1:a") is not None
    assert claim_turn(channel, "machine:1:a") is None  # the other one waits
    first = Turn.objects.get(channel=channel, state="running")
    assert first.agent.name == "forge"
    Turn.objects.filter(id=first.id).update(state="ended")
    assert answered(channel)[0] == "maia"
    assert snapshot(cast.alice.pk, channel).channel.members == ("maia", "forge")


def test_who_answered_last_answers_what_names_nobody(cast: Cast, channel: str) -> None:
    post_message(cast.alice.pk, channel, "@forge hello")
    answered(channel)
    post_message(cast.bob.pk, channel, "and now?")

    assert answered(channel)[0] == "forge"


def test_stopping_drops_the_agents_that_were_still_to_answer(cast: Cast, channel: str) -> None:
    post_message(cast.alice.pk, channel, "@maia and @forge: go")
    assert claim_turn(channel, "machine:1:a") is not None

    cancel_channel(cast.alice.pk, channel)

    left = Turn.objects.filter(channel=channel).values_list("agent__name", "cancel_asked")
    assert list(left) == [("maia", True)]


def test_what_an_agent_has_not_seen_goes_with_the_next_request_and_a_command_goes_alone(
    cast: Cast, channel: str
) -> None:
    post_message(cast.alice.pk, channel, "@forge note: tea")
    answered(channel)
    post_message(cast.bob.pk, channel, "@maia /plan the week")
    assert "tea" not in str(answered(channel)[1])
    post_message(cast.bob.pk, channel, "@maia what shall we drink?")

    knows = str(answered(channel)[1])
    assert "[Alice] @forge note: tea" in knows
    assert knows.count("/plan the week") == 1
    post_message(cast.bob.pk, channel, "@maia and then?")
    assert str(answered(channel)[1]).count("tea") == 1
    assert Message.objects.filter(channel=channel, role="agent").count() == 4
