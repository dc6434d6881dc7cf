"""Answer: keeps nothing of what it writes; the parts and their revisions are the sink's."""

from __future__ import annotations

import pytest

from agents.domain.content.events import PartReplaced, PartStarted
from agents.domain.content.parts import (
    PlanEntry,
    PlanPart,
    TextPart,
    ToolPart,
)
from agents.engine.answer import Answer
from tests.fakes import FakeClock, ListSink

CARD = ToolPart(id="a", name="Bash", rev=3)


async def test_it_goes_on_from_what_stands_at_the_sink_whoever_put_it_there() -> None:
    sink = ListSink((TextPart(text="before"),))
    answer = Answer(sink, FakeClock())
    await sink.emit(PartStarted(index=1, part=CARD))
    await sink.emit(PartReplaced(index=1, part=CARD.model_copy(update={"output": "so far"})))

    assert answer.says_something
    assert answer.find_tool(0, "a") == 1
    await answer.update_tool(1, status="completed")
    await answer.say("after")

    assert sink.parts == (
        TextPart(text="before"),
        CARD.model_copy(update={"output": "so far", "status": "completed", "rev": 5}),
        TextPart(text="after"),
    )


async def test_two_writers_of_one_answer_see_each_other() -> None:
    """As when the loop begins anew after a compaction in its middle."""
    sink = ListSink()
    first, second = Answer(sink, FakeClock()), Answer(sink, FakeClock())
    index = await first.start_tool(CARD)
    await second.update_tool(index, status="in_progress")
    await first.update_tool(index, status="completed")
    await first.show_plan((PlanEntry(content="one"),))
    await second.show_plan((PlanEntry(content="two"),))

    card, plan = sink.parts
    assert isinstance(card, ToolPart)
    assert (card.status, card.rev) == ("completed", 5)
    assert plan == PlanPart(rev=1, entries=(PlanEntry(content="two"),))
    with pytest.raises(LookupError):
        await first.update_tool(1, status="completed")
