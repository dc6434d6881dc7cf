"""Memory: whatever was read of a session before, what changed since makes it what there is."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from agents.domain.content.model_messages import user_text
from agents.domain.content.remembered import Change, Memory

TOKENS = st.none() | st.integers(4, 9_000)
WRITES = st.one_of(
    st.tuples(st.just("add"), TOKENS),
    st.tuples(st.just("change"), TOKENS),
    st.tuples(st.just("cut"), st.integers(0, 6)),
)


@dataclass
class Session:
    """What a database keeps of a session: each row with the revision of its last change."""

    revision: int = 0
    rows: list[tuple[int, Change]] = field(default_factory=list)

    def write(self, what: str, value: int | None) -> None:
        self.revision += 1
        if what == "cut":
            del self.rows[value:]
            return
        if what == "change" and self.rows:
            self.rows.pop()
        text = user_text(f"written at {self.revision}")
        self.rows.append((self.revision, Change(len(self.rows) + 1, text, value)))

    def since(self, revision: int) -> list[Change]:
        return [change for written, change in self.rows if written > revision]

    def read(self, known: Memory) -> Memory | None:
        return known.after(self.since(known.revision), len(self.rows), self.revision)


@given(st.lists(WRITES, max_size=25), st.lists(WRITES, max_size=25))
def test_what_changed_since_makes_it_what_there_is(
    before: list[tuple[str, int | None]], after: list[tuple[str, int | None]]
) -> None:
    session = Session()
    for write in before:
        session.write(*write)
    known = session.read(Memory())
    assert known is not None
    for write in after:
        session.write(*write)

    fresh = session.read(Memory())
    assert session.read(known) == fresh
    assert fresh is not None
    assert fresh.messages == tuple(change.message for _at, change in session.rows)
    assert fresh.counts == tuple(change.tokens for _at, change in session.rows)
    assert fresh.revision == session.revision


def test_a_hole_is_told() -> None:
    known = Memory(1, (user_text("one"),), (5,))

    assert known.after([Change(3, user_text("three"), 5)], 3, 3) is None
    assert known.after([], 2, 3) is None


def test_what_nobody_counted_is_counted_later() -> None:
    memory = Memory(3, (user_text("one"), user_text("two"), user_text("three")), (5, None, None))

    assert memory.uncounted == {2: user_text("two"), 3: user_text("three")}
    counted = memory.counted({2: 7, 3: 9})
    assert (counted.counts, counted.tokens, counted.uncounted) == ((5, 7, 9), 21, {})
    assert counted.revision == memory.revision
