"""A long answer is saved by what is new of it; every reader sees what is saved, whole."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from django.db import connection

from agents.delivery import hub
from agents.domain.content.cards import carried
from agents.domain.content.events import ContextMeasured, PartDelta, PartReplaced, PartStarted
from agents.domain.content.messages import Counters, StopReason
from agents.domain.content.model_messages import ModelMessage, ToolResultBlock, ToolUseBlock
from agents.domain.content.parts import TextPart, ToolPart
from agents.domain.content.turns import ClaimedTurn
from agents.engine.ports.journal import RecordedCall
from agents.models import Agent, AgentSession, AnswerGrowth, Message
from agents.runtime.answering.recorder import Recorder
from agents.runtime.tenure import Tenure
from agents.selectors.conversation.channels import channel_for
from agents.selectors.conversation.snapshots import snapshot, whole_call
from agents.services.channels.channels import create_channel
from agents.services.turns.hosts import claim_turn, end_turn, release_turn
from maia_web.lib.db import in_db
from maia_web.lib.ids import new_id
from tests.cast import Cast, make_cast
from tests.support.typed import post_message

pytestmark = pytest.mark.django_db(transaction=True)
PIECE = "x" * 10_000
PIECES = 200


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    Agent.objects.get_or_create(name="maia", defaults={"kind": "maia", "title": "MAIA"})
    return make_cast()


class Written:
    """Counts the characters that are sent to the database to be written."""

    def __init__(self) -> None:
        self.size = 0

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith(("INSERT", "UPDATE")):
            # PostgreSQL wraps what becomes JSON
            self.size += sum(len(str(getattr(one, "obj", one))) for one in params or ())
        return execute(sql, params, many, context)

    async def begin(self) -> None:
        await in_db(lambda: connection.execute_wrappers.append(self))()

    async def end(self) -> None:
        await in_db(lambda: connection.execute_wrappers.remove(self))()


class Noted(Written):
    """Notes the statements that are not the ends of a transaction."""

    def __init__(self) -> None:
        super().__init__()
        self.statements: list[str] = []

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if not sql.startswith(("BEGIN", "COMMIT")):
            self.statements.append(sql)
        return super().__call__(execute, sql, params, many, context)


async def claimed(channel: str, host: str = "machine:1:x") -> tuple[ClaimedTurn, Recorder]:
    turn = await in_db(claim_turn)(channel, host, frozenset({"machine:1:x"}))
    assert turn is not None
    return turn, Recorder(turn, Tenure(time.monotonic()), lambda: 0)


async def begun(cast: Cast) -> tuple[str, ClaimedTurn, Recorder]:
    hub.loop = asyncio.get_running_loop()
    channel = await in_db(create_channel)(
        cast.alice.pk, cast.atelier.id, new_id(), members=("maia",)
    )
    await in_db(post_message)(cast.alice.pk, channel, "@maia go")
    return channel, *await claimed(channel)


async def test_what_is_written_while_an_answer_streams_is_a_few_times_its_length(
    cast: Cast,
) -> None:
    channel, _turn, recorder = await begun(cast)
    await recorder.emit(PartStarted(index=0, part=TextPart()))
    written = Written()
    await written.begin()
    for _ in range(PIECES):
        await recorder.emit(PartDelta(index=0, text=PIECE))
        await recorder.save()
    await written.end()

    length = PIECES * len(PIECE)
    assert length <= written.size <= 4 * length
    seen = await in_db(lambda: snapshot(cast.alice.pk, channel))()
    assert seen.messages[-1].parts == recorder.parts


async def test_entries_of_the_journal_write_what_is_new(cast: Cast) -> None:
    channel, turn, recorder = await begun(cast)
    written = Written()
    await written.begin()
    for step in range(40):
        card = ToolPart(id=f"c{step}", name="Bash", status="in_progress")
        await recorder.emit(PartStarted(index=step, part=card))
        use = ToolUseBlock(id=card.id, name="Bash", input={"command": "make"})
        said = ModelMessage(role="assistant", content=(use,))
        await recorder.step_answered(said, (RecordedCall(call=use, part_index=step),))
        await recorder.call_started(card.id)
        done = card.model_copy(update={"output": PIECE, "status": "completed", "rev": 1})
        await recorder.emit(PartReplaced(index=step, part=done))
        result = ToolResultBlock(tool_use_id=card.id, content="made")
        await recorder.call_finished(card.id, result)
        await recorder.results_joined(ModelMessage(role="user", content=(result,)))
    await written.end()

    assert 40 * len(PIECE) <= written.size <= 5 * 40 * len(PIECE)
    access = await in_db(channel_for)(cast.alice.pk, channel)
    assert (await in_db(whole_call)(access, turn.answer, "c39")).output == PIECE
    seen = await in_db(snapshot)(cast.alice.pk, channel)
    assert seen.messages[-1].parts == carried(recorder.parts)[-len(seen.messages[-1].parts) :]


@pytest.mark.parametrize("leaves", [False, True])
async def test_who_takes_it_up_has_all_that_was_saved(cast: Cast, leaves: bool) -> None:
    channel, turn, recorder = await begun(cast)
    await recorder.emit(PartStarted(index=0, part=TextPart(text="one ")))
    await recorder.save()
    await recorder.emit(PartDelta(index=0, text="two 🙂"))
    await recorder.save()
    if leaves:
        await recorder.emit(PartDelta(index=0, text=" three"))
        await in_db(release_turn)(turn.lease, recorder.parts)
    again, later = await claimed(channel, "machine:2:x")

    text = "one two 🙂 three" if leaves else "one two 🙂"
    assert again.parts == (TextPart(text=text, interrupted=True),)
    await recorder.emit(PartDelta(index=0, text=" of a host that woke"))
    await recorder.save()
    assert not await in_db(AnswerGrowth.objects.exists)()
    await later.emit(PartStarted(index=1, part=TextPart(text="four")))
    await later.save()
    seen = await in_db(lambda: snapshot(cast.alice.pk, channel))()
    assert seen.messages[-1].parts == later.parts


async def test_after_a_save_that_failed_all_of_it_is_saved(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    channel, turn, recorder = await begun(cast)
    await recorder.emit(PartStarted(index=0, part=TextPart(text="one ")))
    with monkeypatch.context() as broken:
        broken.setattr("agents.services.turns.journal.save_progress", _fail)
        with pytest.raises(OSError, match="full"):
            await recorder.save()
    await recorder.emit(PartDelta(index=0, text="two"))
    await recorder.save()
    seen = await in_db(lambda: snapshot(cast.alice.pk, channel))()
    assert seen.messages[-1].parts == (TextPart(text="one two"),)

    counters, how = Counters(), StopReason.END_TURN
    await in_db(end_turn)(
        turn.lease, parts=recorder.parts, counters=counters, stop_reason=how, error=None
    )
    row = await in_db(Message.objects.get)(id=turn.answer)
    assert [part["text"] for part in row.parts] == ["one two"]
    assert not await in_db(AnswerGrowth.objects.exists)()


async def test_a_save_is_one_statement_and_one_for_the_context(cast: Cast) -> None:
    channel, turn, recorder = await begun(cast)
    await recorder.emit(PartStarted(index=0, part=TextPart(text="one ")))
    await recorder.save()

    counted = []
    for used in (None, 7, 7, 8):
        await recorder.emit(PartDelta(index=0, text="é '%s\" 🙂 "))
        if used is not None:
            await recorder.emit(ContextMeasured(used=used))
        noted = Noted()
        await noted.begin()
        await recorder.save()
        await noted.end()
        counted.append(len(noted.statements))
        seen = await in_db(snapshot)(cast.alice.pk, channel)
        assert seen.messages[-1].parts == recorder.parts
        assert await in_db(context_of)(turn) == (used or 0)
    assert counted == [1, 2, 1, 2]

    await claimed(channel, "machine:2:x")
    await recorder.emit(PartDelta(index=0, text="of a host that woke"))
    await recorder.emit(ContextMeasured(used=9))
    await recorder.save()
    assert await in_db(context_of)(turn) == 8
    assert not await in_db(AnswerGrowth.objects.exists)()


def context_of(turn: ClaimedTurn) -> int:
    return AgentSession.objects.get(pk=turn.session).context_used


def _fail(*_saved: object) -> None:
    raise OSError("the disk is full")
