"""The messages of a session: what is remembered of them is what the database has, always."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from agents.domain.content.messages import Counters, StopReason
from agents.domain.content.model_messages import ModelMessage, TextBlock, ToolUseBlock, user_text
from agents.domain.content.remembered import Memory
from agents.domain.content.turns import ClaimedTurn
from agents.domain.memory import tokens
from agents.models import AgentSession, SessionMessage
from agents.selectors.memory import MEMORIES, Memories, memory_of
from agents.services.memory import messages, named_sessions
from agents.services.turns import compaction, journal
from agents.services.turns.compaction import Compacted
from agents.services.turns.hosts import claim_turn, end_turn
from tests.cast import Cast
from tests.support.database import Undone, elsewhere
from tests.support.typed import post_message

pytestmark = pytest.mark.django_db(transaction=True)
HOST = "machine:1:a"


def session_in(channel: str) -> AgentSession:
    return AgentSession.objects.get(channel=channel, current=True)


def fresh(session: AgentSession) -> tuple[tuple[ModelMessage, ...], tuple[int | None, ...]]:
    rows = SessionMessage.objects.filter(session=session.pk).order_by("position")
    contents = tuple(ModelMessage.model_validate(row.content) for row in rows)
    assert [row.position for row in rows] == list(range(1, len(rows) + 1))
    return contents, tuple(row.tokens for row in rows)


def assert_true(session: AgentSession) -> None:
    memory = memory_of(session)
    assert (memory.messages, memory.counts) == fresh(session)
    assert (session.length, session.revision) == (len(memory.messages), memory.revision)


class World:
    """One conversation, and all that changes what its agent has in mind."""

    def __init__(self, cast: Cast, channel: str, choice: random.Random) -> None:
        self.user, self.channel, self.random = cast.alice.pk, channel, choice
        self.turn: ClaimedTurn | None = None
        self.number = 0

    def text(self) -> str:
        self.number += 1
        return f"{self.number} " + "word " * self.random.choice((1, 5, 3_000))

    def ask(self) -> None:
        if self.turn is None:
            post_message(self.user, self.channel, self.text())
            self.turn = claim_turn(self.channel, HOST)

    def step(self) -> None:
        if self.turn is not None:
            said = ModelMessage(role="assistant", content=(TextBlock(text=self.text()),))
            journal.record_step(self.turn.lease, said, (), ())

    def call(self) -> None:
        if self.turn is not None:
            use = ToolUseBlock(id=str(self.number), name="Read", input={"path": self.text()})
            said = ModelMessage(role="assistant", content=(use,))
            new = journal.NewCall(use.id, use.name, use.input, 0)
            journal.record_step(self.turn.lease, said, (new,), ())

    def end(self) -> None:
        self._end(StopReason.END_TURN)

    def stop(self) -> None:
        self._end(StopReason.CANCELLED)

    def _end(self, reason: StopReason) -> None:
        if self.turn is not None:
            end_turn(self.turn.lease, parts=(), counters=Counters(), stop_reason=reason, error=None)
            self.turn = None

    def compact(self) -> None:
        if self.turn is not None:
            request = user_text(self.text())
            made = Compacted(self.text(), 9, 4, automatic=True)
            compaction.apply_compaction(self.turn.lease, made, request, emergency=True)

    def clear(self) -> None:
        if self.turn is None:
            named_sessions.clear_session(self.user, self.channel)

    def new(self) -> None:
        if self.turn is None:
            named_sessions.new_session(self.user, self.channel)

    def load(self) -> None:
        saved = AgentSession.objects.filter(channel=self.channel, current=False).first()
        if self.turn is None and saved is not None:
            named_sessions.load_by_id(self.user, self.channel, saved.pk)

    def count(self) -> None:
        memory = memory_of(session_in(self.channel))
        found = {at: tokens.count_message(one) for at, one in memory.uncounted.items()}
        messages.keep_counts(session_in(self.channel).pk, memory, found)

    def undone(self) -> None:
        session = session_in(self.channel)
        with suppress(Undone), transaction.atomic():
            messages.append_message(session, None, user_text(self.text()))
            assert memory_of(session).messages[-1].role == "user"
            raise Undone


ACTIONS = tuple(name for name in vars(World) if not name.startswith("_") and name != "text")


@pytest.mark.parametrize("seed", range(6))
def test_what_is_remembered_is_what_the_database_has(cast: Cast, direct: str, seed: int) -> None:
    choice = random.Random(seed)
    world = World(cast, direct, choice)
    world.ask()
    for _ in range(60):
        act: Callable[[], None] = getattr(world, choice.choice(ACTIONS))
        if choice.random() < 0.3:
            elsewhere(act)
        else:
            act()
        if choice.random() < 0.6:
            for session in AgentSession.objects.filter(channel=direct):
                assert_true(session)


@pytest.fixture
def long(cast: Cast, direct: str) -> AgentSession:
    """A session of 300 messages that was read here once."""
    named_sessions.new_session(cast.alice.pk, direct)
    session = session_in(direct)
    roles = ("user", "assistant") * 150
    said = [ModelMessage(role=role, content=(TextBlock(text="a word"),)) for role in roles]
    messages.add_all(session, said)
    memory_of(session)
    return session


def test_only_what_changed_is_read_again(long: AgentSession) -> None:
    before = memory_of(long)
    with CaptureQueriesContext(
        connection,
    ) as asked:
        assert memory_of(long) is before
    assert len(asked) == 0

    messages.append_message(long, None, user_text("one more"))
    with CaptureQueriesContext(connection) as asked:
        after = memory_of(long)
    assert len(asked) == 1
    assert len(after.messages) == 301
    assert all(one is other for one, other in zip(before.messages, after.messages, strict=False))


def test_a_long_memory_asks_no_more_than_a_short_one(cast: Cast, long: AgentSession) -> None:
    channel = long.channel_id

    def statements() -> int:
        post_message(cast.alice.pk, channel, "hello")
        with CaptureQueriesContext(connection) as asked:
            turn = claim_turn(channel, HOST)
        assert turn is not None
        end_turn(
            turn.lease,
            parts=(),
            counters=Counters(),
            stop_reason=StopReason.CANCELLED,
            error=None,
        )
        return len(asked)

    many = statements()
    named_sessions.new_session(cast.alice.pk, channel)
    statements()
    assert many == statements()


def test_what_was_read_and_then_undone_is_not_remembered(long: AgentSession) -> None:
    with suppress(Undone), transaction.atomic():
        messages.append_message(long, None, user_text("never said"))
        memory_of(long)
        raise Undone
    session = AgentSession.objects.get(pk=long.pk)
    messages.append_message(session, None, user_text("said"))

    assert memory_of(session).messages[-1] == user_text("said")


def test_a_row_in_hand_that_is_older_than_what_is_known_gives_what_there_is(
    long: AgentSession,
) -> None:
    old = AgentSession.objects.get(pk=long.pk)
    messages.append_message(long, None, user_text("one more"))
    memory_of(long)
    assert len(memory_of(old).messages) == 301

    messages.keep_first(long, 10)
    memory_of(long)
    assert len(memory_of(old).messages) == 10


def test_a_long_text_is_counted_later_and_only_once(cast: Cast, direct: str) -> None:
    tokens.load()
    text = "counted by nobody before " * 600  # what was counted once takes no time
    post_message(cast.alice.pk, direct, text)
    turn = claim_turn(direct, HOST)
    assert turn is not None
    assert turn.memory.counts == (None,)

    messages.keep_counts(turn.session, turn.memory, {1: 3_005})
    assert memory_of(session_in(direct)).counts == (3_005,)
    assert fresh(session_in(direct))[1] == (3_005,)


def test_a_count_of_what_changed_meanwhile_is_not_kept(long: AgentSession) -> None:
    messages.append_message(long, None, user_text("word " * 3_000))
    memory = memory_of(long)
    messages.change_last(long, user_text("another " * 3_000))

    messages.keep_counts(long.pk, memory, {301: 3_005})
    assert memory_of(long).counts[-1] is None
    assert_true(AgentSession.objects.get(pk=long.pk))


def test_what_was_not_used_longest_is_forgotten_first() -> None:
    def memory(revision: int, length: int) -> Memory:
        return Memory(revision, (user_text("x"),) * length, (5,) * length)

    kept = Memories(most=10)
    kept.keep(1, memory(1, 4))
    kept.keep(2, memory(1, 4))
    assert kept.of(1) is not None
    kept.keep(3, memory(1, 4))
    assert (kept.of(2), kept.of(1), kept.of(3)) == (None, memory(1, 4), memory(1, 4))
    kept.keep(3, memory(2, 1))
    kept.keep(3, memory(1, 4))
    assert kept.of(3) == memory(2, 1)
    kept.keep(4, memory(1, 11))
    assert kept.of(4) is None
    assert MEMORIES is not kept
