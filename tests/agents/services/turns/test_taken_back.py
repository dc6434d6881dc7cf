"""What was taken back is never told: no memory holds what was dropped, withdrawn or refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.domain.content.messages import Counters, StopReason
from agents.domain.content.parts import TextPart
from agents.domain.content.turns import ClaimedTurn
from agents.models import Agent, Message, Turn
from agents.services.channels.channels import create_channel
from agents.services.channels.messages import remove_queued
from agents.services.turns import hosts, people
from agents.services.turns.lost_access import stop_turns_of
from maia_web.lib.ids import new_id
from tests.cast import Cast
from tests.support.typed import post_message
from workspaces.models import Membership

HOST = "machine:1:a"
ACT = st.sampled_from(
    (
        "post",
        "post",
        "post",
        "post",
        "claim",
        "end",
        "stop",
        "stop-one",
        "refuse",
        "withdraw",
        "lose",
    )
)


class Talk:
    """A channel of two people and two agents; every text is said once."""

    def __init__(self, cast: Cast) -> None:
        self.cast = cast
        Membership.objects.filter(workspace=cast.atelier.id, user=cast.bob).update(role="editor")
        self.channel = create_channel(
            cast.alice.pk, cast.atelier.id, new_id(), members=("maia", "scribe")
        )
        self.turn: ClaimedTurn | None = None
        self.said = 0
        self.withdrawn: list[str] = []

    def act(self, name: str, number: int) -> None:
        match name:
            case "post":
                self.said += 1
                to = ("@maia ", "@scribe ", "@maia @scribe ", "")[number % 4]
                person = (self.cast.alice, self.cast.bob)[number % 2]
                post_message(person.pk, self.channel, f"{to}text-{self.said}.")
            case "claim" if self.turn is None:
                self.turn = hosts.claim_turn(self.channel, HOST)
                self.check()
            case "end":
                self.end(StopReason.END_TURN)
            case "refuse":
                self.end(StopReason.REFUSAL)
            case "stop" | "stop-one":
                people.cancel_channel(
                    self.cast.alice.pk, self.channel, keep_queued=name == "stop-one"
                )
                self.end(StopReason.CANCELLED)
            case "withdraw":
                waiting = Message.objects.filter(channel=self.channel, queued=True).first()
                if waiting is not None and waiting.author_id is not None:
                    text = remove_queued(waiting.author_id, self.channel, waiting.id)
                    self.withdrawn.append(text.rpartition(" ")[2])
            case "lose":
                members = Membership.objects.filter(
                    workspace=self.cast.atelier.id, user=self.cast.bob
                )
                members.update(role="viewer")
                stop_turns_of(self.cast.bob.pk)
                members.update(role="editor")

    def end(self, reason: StopReason) -> None:
        if self.turn is None:
            return
        asked = Turn.objects.get(id=self.turn.id).cancel_asked
        self.said += 1
        hosts.end_turn(
            self.turn.lease,
            parts=(TextPart(text=f"text-{self.said}."),),
            counters=Counters(),
            stop_reason=StopReason.CANCELLED if asked else reason,
            error=None,
        )
        self.turn = None

    def check(self) -> None:
        """The request that would be sent now."""
        if self.turn is None:
            return
        told = json.dumps([message.wire() for message in self.turn.messages])
        for text in [*self.taken_back(), *self.withdrawn]:
            assert text not in told

    def taken_back(self) -> list[str]:
        rows = Message.objects.filter(channel=self.channel)
        dropped = [row for row in rows if row.error and row.role == "user"]
        stopped = [row for row in rows if row.stop_reason in ("cancelled", "refusal")]
        return [str(row.parts[0]["text"]).rpartition(" ")[2] for row in (*dropped, *stopped)]


@pytest.fixture
def talking(cast: Cast) -> Cast:
    Agent.objects.get_or_create(name="scribe", defaults={"kind": "maia", "title": "Scribe"})
    return cast


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(acts=st.lists(st.tuples(ACT, st.integers(0, 7)), max_size=25))
def test_no_request_holds_a_text_that_was_taken_back(
    talking: Cast, acts: list[tuple[str, int]]
) -> None:
    talk = Talk(talking)
    for name, number in acts:
        talk.act(name, number)
    for _ in range(3):  # whatever happened, somebody speaks to each agent again
        talk.end(StopReason.END_TURN)
        talk.act("post", 2)
        talk.act("claim", 0)


@pytest.mark.parametrize("keep_queued", [False, True])
def test_what_stop_dropped_is_not_told_as_history(talking: Cast, keep_queued: bool) -> None:
    talk = Talk(talking)
    for act in (("post", 0), ("claim", 0), ("post", 0), ("post", 1)):
        talk.act(*act)
    people.cancel_channel(talking.alice.pk, talk.channel, keep_queued=keep_queued)
    talk.end(StopReason.CANCELLED)
    talk.act("post", 0)
    talk.act("claim", 0)

    assert talk.turn is not None
    (request,) = talk.turn.messages
    expected = "[Alice] @maia text-2." if keep_queued else "[Alice] @maia text-5."
    assert request.wire()["content"] == [{"type": "text", "text": expected}]


def test_a_request_that_another_agent_answered_is_still_told(talking: Cast) -> None:
    talk = Talk(talking)
    talk.act("post", 2)
    talk.act("claim", 0)
    talk.end(StopReason.END_TURN)
    talk.act("claim", 0)
    people.cancel_channel(talking.alice.pk, talk.channel)
    talk.end(StopReason.CANCELLED)
    talk.act("post", 1)
    talk.act("claim", 0)

    assert talk.turn is not None
    assert "text-1." in json.dumps(talk.turn.messages[-1].wire())
