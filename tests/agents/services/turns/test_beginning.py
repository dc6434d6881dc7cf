"""A turn that begins with its message is what a claim would have made of it, whatever was before.

People, administrators and another process act at random; after each beginning what the host was
given is compared with what the database says to somebody who remembers nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import replace

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.domain.content.leases import Lease
from agents.domain.content.messages import Counters, StopReason
from agents.domain.content.model_messages import ModelMessage, TextBlock
from agents.domain.content.parts import TextPart
from agents.domain.content.turns import ClaimedTurn
from agents.models import Agent, AgentSession, ChannelAgent, Message, ModelServer, Turn
from agents.selectors.conversation.channels import channel_for
from agents.selectors.memory import MEMORIES
from agents.selectors.models.context_sizes import known_size, server_with, site_model
from agents.selectors.models.servers import current_key
from agents.services.channels import channels
from agents.services.channels.messages import typed_request
from agents.services.leases import LostTurn
from agents.services.memory.messages import append_message
from agents.services.memory.named_sessions import clear_session, new_session
from agents.services.turns import hosts, people
from agents.services.turns.beginning import claimed
from maia_web.lib.errors import MaiaError
from maia_web.lib.ids import new_id
from tests.cast import Cast
from tests.support.local_host import local_host
from tests.support.typed import post_message
from workspaces.models import Membership, Workspace

HERE = "machine:1:here"
Commits = Callable[..., AbstractContextManager[list[Callable[[], object]]]]


class Talk:
    """A channel of two people and two agents."""

    def __init__(self, cast: Cast, commits: Commits) -> None:
        self.cast = cast
        self.commits = commits
        self.channel = channels.create_channel(
            cast.alice.pk, cast.atelier.id, new_id(), members=("maia",)
        )
        self.turn: ClaimedTurn | None = None
        self.begun = 0

    def person(self, number: int) -> int:
        return (self.cast.alice, self.cast.bob)[number % 2].pk

    # --- people ------------------------------------------------------------------------------

    def post(self, number: int) -> None:
        words = (
            "hi",
            "@maia hi",
            "@scribe and you",
            "@maia @scribe both",
            "/maia:look here",
            "see $a.md",
        )
        person, text, ref = self.person(number), words[number % len(words)], f"ref-{number}"
        given: list[ClaimedTurn] = []
        was_open, may = self.open(), self.may(person)
        wanted = self.claimed_after(person, text, ref) if may and not was_open else None
        try:
            with local_host(HERE, given.append) as host, self.commits(execute=True):
                post_message(person, self.channel, text, ref)
        except MaiaError:
            assert not may
            assert not given
            assert not host.expected  # nothing of a place is read for who may not post there
            return
        assert may
        assert {one.user for one in host.expected} <= {person}
        assert len(host.expected) >= len([one for one in given if one.agent_kind == "maia"])
        assert len(given) == (not was_open and self.open())
        for turn in given:
            self.turn, self.begun = turn, self.begun + 1
            self.compare(turn)
            assert essence(turn) == wanted

    def end(self, number: int) -> None:
        if self.turn is not None:
            with suppress(LostTurn), self.commits(execute=True):
                hosts.end_turn(
                    self.turn.lease,
                    parts=(TextPart(text=f"answer {number}"),),
                    counters=Counters(),
                    stop_reason=StopReason.REFUSAL if number % 5 == 0 else StopReason.END_TURN,
                    error=None,
                )
        self.turn = None

    def stop(self, number: int) -> None:
        with suppress(MaiaError):
            people.cancel_channel(self.person(number), self.channel)

    def members(self, number: int) -> None:
        change = (channels.add_member, channels.remove_member)[number % 2]
        with suppress(MaiaError):
            change(self.cast.alice.pk, self.channel, ("maia", "scribe")[number // 2 % 2])

    def session(self, number: int) -> None:
        change = (new_session, clear_session)[number % 2]
        with suppress(MaiaError), self.commits(execute=True):
            change(self.cast.alice.pk, self.channel, None)

    # --- administrators ----------------------------------------------------------------------

    def rights(self, number: int) -> None:
        role = ("editor", "viewer", "owner")[number % 3]
        theirs = Membership.objects.filter(workspace=self.cast.atelier.id, user=self.cast.bob)
        theirs.update(role=role)

    def place(self, number: int) -> None:
        Workspace.objects.filter(id=self.cast.atelier.id).update(
            network=("none", "filtered", "open")[number % 3]
        )

    def agent(self, number: int) -> None:
        Agent.objects.filter(name="scribe").update(
            toolset=("maia", "mm")[number % 2], kind=("maia", "acp")[number // 2 % 2]
        )

    def model(self, number: int) -> None:
        ChannelAgent.objects.filter(channel=self.channel).update(model=("", "m", "n")[number % 3])
        ModelServer.objects.update(model=("m", "other")[number % 2], context_size=number or None)

    # --- another process ---------------------------------------------------------------------

    def elsewhere(self, number: int) -> None:
        """Another process writes in the agent's memory, and this one is told nothing."""
        for session in AgentSession.objects.filter(channel=self.channel, current=True):
            role = ("assistant", "user")[number % 2]
            said = ModelMessage(role=role, content=(TextBlock(text=f"elsewhere {number}"),))
            append_message(session, None, said)
            AgentSession.objects.filter(pk=session.pk).update(pending_context=[f"more {number}"])

    def claims(self, number: int) -> None:
        """Another process answers what waits."""
        if self.turn is None:
            with self.commits(execute=True):
                self.turn = hosts.claim_turn(self.channel, "machine:2:there")

    # --- what must hold ----------------------------------------------------------------------

    def claimed_after(self, person: int, text: str, ref: str) -> ClaimedTurn | None:
        """What a host would claim if the turn had waited for one; then nothing has been."""
        with transaction.atomic():
            post_message(person, self.channel, text, ref)
            turn = hosts.claim_turn(self.channel, HERE)
            transaction.set_rollback(True)
        return essence(turn) if turn else None

    def open(self) -> bool:
        rows = Turn.objects.filter(channel=self.channel, state__in=("queued", "running"))
        return rows.exists()

    def may(self, person: int) -> bool:
        with suppress(MaiaError):
            channel_for(person, self.channel, at_least="editor")
            return True
        return False

    def compare(self, turn: ClaimedTurn) -> None:
        known = MEMORIES.of(turn.session)
        MEMORIES.clear()
        row = hosts.whole().get(id=turn.id)
        assert claimed(row) == replace(turn, memory=claimed(row).memory)
        assert claimed(row).memory.messages == turn.memory.messages
        assert claimed(row).memory.revision == turn.memory.revision
        if known is not None:
            MEMORIES.keep(turn.session, known)
        assert (row.state, row.host) == ("running", HERE)
        if row.request is not None and turn.agent_kind == "maia" and not turn.unread:
            member = ChannelAgent.objects.get(channel=self.channel, agent=row.agent)
            has_seen = member.last_seen == row.request.position
            assert has_seen is not typed_request(row).alone
        site = site_model(turn.model)
        server = server_with(turn.model)
        assert site is not None
        assert (site.server, site.key, site.told) == (server, current_key(), known_size(server))
        positions = list(Message.objects.filter(channel=self.channel).values_list("position"))
        assert positions == sorted(set(positions))


def essence(turn: ClaimedTurn) -> ClaimedTurn:
    """All but what is named anew each time."""
    memory = replace(turn.memory, revision=0)
    return replace(turn, lease=Lease("", turn.lease.number), answer="", session=0, memory=memory)


ACTIONS = (
    Talk.post,
    Talk.end,
    Talk.stop,
    Talk.members,
    Talk.session,
    Talk.rights,
    Talk.place,
    Talk.agent,
    Talk.model,
    Talk.elsewhere,
    Talk.claims,
)
ACT = st.tuples(st.sampled_from((*ACTIONS, Talk.post, Talk.post, Talk.end)), st.integers(0, 60))


@pytest.fixture
def talking(cast: Cast) -> Cast:
    Agent.objects.get_or_create(name="scribe", defaults={"kind": "maia", "title": "Scribe"})
    ModelServer.objects.get_or_create(kind="openai", defaults={"url": "http://m", "model": "m"})
    return cast


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(acts=st.lists(ACT, max_size=20))
def test_what_begins_here_is_what_the_database_says_to_somebody_who_remembers_nothing(
    talking: Cast, django_capture_on_commit_callbacks: Commits, acts: list[tuple[object, int]]
) -> None:
    talk = Talk(talking, django_capture_on_commit_callbacks)
    for act, number in acts:
        act(talk, number)  # type: ignore[operator]  # hypothesis loses what a tuple holds
    for number in (0, 2):
        talk.stop(0)
        talk.end(1)
        while talk.open():
            talk.claims(0)
            talk.end(1)
        talk.post(60 + number)
    assert talk.begun
