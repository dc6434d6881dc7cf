"""Growth: whenever an answer is saved and killed, what is read back is what was saved of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import example, given
from hypothesis import strategies as st

from agents.domain.content.growth import WHOLE_FROM, Change, Growing, Growth, Unsaved, grown
from agents.domain.content.live_parts import LiveParts
from agents.domain.content.parts import Part, PlanPart, TextPart, ThoughtPart, ToolPart

TEXT = st.one_of(
    st.text(max_size=8),
    st.builds(lambda n: "é🙂x" * n, st.integers(0, WHOLE_FROM // 6)),
)
EVENT = st.one_of(
    st.tuples(st.just("text"), TEXT),
    st.tuples(st.just("thought"), TEXT),
    st.tuples(st.just("tool"), TEXT),
    st.tuples(st.just("change"), TEXT),
    st.tuples(st.just("over"), TEXT),
    st.tuples(st.just("save"), st.just("")),
    st.tuples(st.just("fail"), st.just("")),
)


@dataclass
class Answer:
    """An answer that grows, and what is saved of it."""

    parts: tuple[Part, ...] = ()
    changes: list[Change] = field(default_factory=list)
    written: int = 0

    def __post_init__(self) -> None:
        self.live = LiveParts(self.parts)
        self.growing = Growing(self.live)
        self.saved = self.live.parts

    def is_over(self, index: int) -> bool:
        part = self.live.part(index)
        return isinstance(part, ThoughtPart) and part.seconds is not None

    def happen(self, name: str, text: str) -> None:
        last = len(self.live) - 1
        kind = self.live.kind(last) if last >= 0 else None
        if name == "save":
            self.save(self.growing.take())
            self.saved = self.live.parts
        elif name == "fail":
            self.growing.take()
            self.growing.failed()
        elif name == "change" and kind is ToolPart:
            part = self.live.part(last).model_copy(update={"output": text})
            self.live.replace(last, part)
            self.growing.part(last)
        elif name == "over" and kind is ThoughtPart and not self.is_over(last):  # it ends once
            self.live.replace(last, ThoughtPart(text=text, seconds=1.0))
            self.growing.part(last)
        elif name == "tool":
            self.start(ToolPart(id="c", name="Bash", output=text))
        elif name in ("text", "thought"):
            self.say(TextPart if name == "text" else ThoughtPart, kind, last, text)

    def say(
        self,
        wanted: type[TextPart | ThoughtPart],
        kind: type[Part] | None,
        last: int,
        text: str,
    ) -> None:
        over = kind is ThoughtPart and self.is_over(last)
        if kind is not wanted or over:
            self.start(wanted(text=text))
        else:
            self.growing.text(last, self.live.append(last, text), text)

    def start(self, part: Part) -> None:
        self.live.start(len(self.live), part)
        self.growing.part(len(self.live) - 1)

    def save(self, what: Unsaved) -> None:
        assert len(what) == len(self.live)
        if isinstance(what, Growth):
            self.changes += [Change.model_validate(change.wire()) for change in what.changes]
            self.written += sum(len(change.model_dump_json()) for change in what.changes)
        else:
            self.parts, self.changes = what, []
            self.written += sum(len(part.model_dump_json()) for part in what)

    def read(self) -> tuple[Part, ...]:
        return grown(self.parts, self.changes)


@given(st.lists(EVENT, max_size=40))
def test_what_is_read_is_what_there_was_when_it_was_saved(events: list[tuple[str, str]]) -> None:
    answer = Answer()
    for name, text in events:
        answer.happen(name, text)
        assert answer.read() == answer.saved
    again = Answer(answer.read())  # another host takes it up
    again.happen("text", "more")
    again.happen("save", "")
    assert again.read() == again.live.parts


@given(st.lists(EVENT, max_size=30))
@example([("thought", "0"), ("save", ""), ("over", ""), ("save", "")])
def test_what_the_parts_hold_already_changes_nothing(events: list[tuple[str, str]]) -> None:
    """A reader that took the growth before the parts were saved whole sees both."""
    answer = Answer()
    for name, text in events:
        before = tuple(answer.changes)
        answer.happen(name, text)
        if name == "save":
            assert grown(answer.live.parts, before) == answer.live.parts


@given(st.lists(st.tuples(st.integers(1, 60_000), st.booleans()), min_size=1, max_size=120))
def test_what_is_written_stays_within_a_small_multiple_of_the_answer(
    pieces: list[tuple[int, bool]],
) -> None:
    answer, emitted = Answer(), 0
    for size, thinks in pieces:
        answer.happen("thought" if thinks else "text", "x" * size)
        answer.happen("save", "")
        emitted += size + 200
    assert answer.read() == answer.live.parts
    assert answer.written <= 4 * emitted


def test_nothing_follows_what_is_missing() -> None:
    held = (TextPart(text="abc"),)
    lost = Change(index=0, offset=5, text="fgh")
    assert grown(held, [lost, Change(index=1, part=PlanPart())]) == held
