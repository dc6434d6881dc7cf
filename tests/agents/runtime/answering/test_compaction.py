"""Compaction: by command, by itself before and after an answer, once in an emergency; failures."""

from __future__ import annotations

import pytest

from agents.domain.content.messages import Message as Said
from agents.domain.content.parts import TextPart
from agents.domain.memory.compaction import PROMPT
from agents.models import AgentSession, ContextSize, ModelServer, Turn
from agents.protocol.frames import ChannelSnapshot, UsageChanged
from agents.runtime.answering.context_meter import context_parts
from agents.runtime.host import Host
from agents.services.turns.people import cancel_channel, resume_turn
from maia_web.lib.db import in_db
from tests.cast import Cast
from tests.support.listener import Listener, listening
from tests.support.openai_behaviours import Answer, Gate, answer, error, text, tool_answer
from tests.support.openai_server import ScriptedServer
from tests.support.typed import post_message, reply_to
from workspaces.files.local import LocalFiles

pytestmark = pytest.mark.django_db(transaction=True)
SUMMARY = "## Project context\n- a small one"
TOO_LONG = "This model's maximum context length is 8192 tokens."


async def say(cast: Cast, channel: str, words: str) -> None:
    await in_db(post_message)(cast.alice.pk, channel, words)


async def settled(listener: Listener, agents: int) -> ChannelSnapshot:
    """Waits until so many answers are over and nothing runs or waits."""
    return await listener.until(
        lambda s: (
            not s.busy
            and not s.queued
            and sum(m.role == "agent" and m.done for m in s.messages) == agents
        )
    )


async def resize(size: int | None) -> None:
    await in_db(ModelServer.objects.update)(context_size=size)


def divider(state: ChannelSnapshot, code: str = "compacted") -> Said:
    return next(m for m in state.messages if m.code == code)


def texts(model: ScriptedServer, at: int = -1) -> list[str]:
    return [str(m["content"]) for m in model.chats[at].body["messages"]]


def too_long() -> Answer:
    return error(400, TOO_LONG)


async def test_compact_replaces_the_memory_by_its_summary_and_keeps_the_session_before(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    model.script(answer(text("first answer")), answer(text(SUMMARY)), answer(text("second")))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "first")
        await settled(listener, 1)
        await reply_to(cast.alice.pk, direct, "/rename work")
        await reply_to(cast.alice.pk, direct, "/compact")
        state = await listener.until(lambda s: not s.busy and s.messages[-1].code == "compacted")
        await say(cast, direct, "second")
        await settled(listener, 2)

    note = divider(state).note
    assert note is not None
    assert (note.previous, note.session, note.automatic) == ("work", "work__1", False)
    assert note.before > 0
    assert note.after > 0
    assert divider(state).parts == (TextPart(text=SUMMARY),)
    asked = model.chats[1].body
    assert asked["max_tokens"] == 4000
    assert asked["messages"][-1]["content"] == PROMPT["summary"][0]
    assert "call no tool" in asked["messages"][0]["content"]
    assert asked["tools"]
    assert SUMMARY in texts(model)[0]
    assert texts(model)[1:] == ["second"]
    kept = await in_db(AgentSession.objects.get)(name="work")
    assert await in_db(kept.messages.count)() == 2


async def test_nothing_to_compact_is_said(cast: Cast, direct: str, host: Host) -> None:
    reply = await reply_to(cast.alice.pk, direct, "/compact")

    assert reply is not None
    assert reply.level == "warn"
    assert not await in_db(Turn.objects.exists)()


@pytest.mark.parametrize("failure", [answer(text("  ")), error(401, "no"), tool_answer("Read", {})])
async def test_a_failure_changes_nothing_and_warns(
    cast: Cast, direct: str, host: Host, model: ScriptedServer, failure: Answer
) -> None:
    model.script(answer(text("first answer")), failure, answer(text("second")))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "first")
        await settled(listener, 1)
        await reply_to(cast.alice.pk, direct, "/compact")
        state = await listener.until(
            lambda s: not s.busy and s.messages[-1].code == "compact-failed"
        )
        await say(cast, direct, "second")
        await settled(listener, 2)

    (part,) = divider(state, "compact-failed").parts
    assert isinstance(part, TextPart)
    assert "stays as it is" in part.text
    assert texts(model)[1:] == ["first", "first answer", "second"]


async def test_stopping_a_compaction_changes_nothing(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    gate = Gate()
    model.script(answer(text("first answer")), answer(text("## Pro"), gate))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "first")
        await settled(listener, 1)
        await reply_to(cast.alice.pk, direct, "/compact")
        state = await listener.until(
            lambda s: s.answering is not None and s.answering.waits_for == "summary"
        )
        assert state.busy
        await in_db(cancel_channel)(cast.alice.pk, direct)
        await listener.until(lambda s: not s.busy)
        gate.open()

    session = await in_db(AgentSession.objects.get)()
    assert (session.start_context, await in_db(session.messages.count)()) == ("", 2)


async def test_a_full_context_is_compacted_after_the_answer(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    parts = await context_parts(cast.alice.pk, direct)
    await resize(parts.used + 4_500 + 50)
    model.script(answer(text("word " * 200)), answer(text(SUMMARY)), answer(text("second")))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "first")
        state = await listener.until(lambda s: not s.busy and s.messages[-1].code == "compacted")

    note = divider(state).note
    assert note is not None
    assert note.automatic
    assert note.before > note.after


async def test_a_full_context_is_compacted_before_the_request_which_then_is_answered(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    model.script(answer(text("word " * 200)), answer(text(SUMMARY)), answer(text("second answer")))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "first")
        await settled(listener, 1)
        parts = await context_parts(cast.alice.pk, direct)
        await resize(parts.used + 4_500 - 1)
        await say(cast, direct, "second")
        state = await settled(listener, 2)

    assert "first" in texts(model, 1)
    assert not any("second" in one for one in texts(model, 1))
    assert SUMMARY in texts(model)[0]
    assert texts(model)[1:] == ["second"]
    assert [m.code or m.role for m in state.messages] == [
        "user",
        "agent",
        "user",
        "compacted",
        "agent",
    ]
    saved = await in_db(AgentSession.objects.get)(current=False)
    assert await in_db(saved.messages.count)() == 2


async def test_stop_after_a_compaction_leaves_the_summary_alone_in_mind(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    gate = Gate()
    model.script(answer(text("word " * 200)), answer(text(SUMMARY)), answer(text("sec"), gate))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "first")
        await settled(listener, 1)
        parts = await context_parts(cast.alice.pk, direct)
        await resize(parts.used + 4_500 - 1)
        await say(cast, direct, "second")
        await listener.until(lambda s: s.busy and bool(s.messages[-1].parts))
        await in_db(cancel_channel)(cast.alice.pk, direct)
        await listener.until(lambda s: not s.busy)
        gate.open()

    session = await in_db(AgentSession.objects.get)(current=True)
    assert (session.start_context, await in_db(session.messages.count)()) == (SUMMARY, 0)


async def test_a_context_the_server_refuses_is_compacted_once_and_the_request_made_again(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    model.script(
        tool_answer("TodoWrite", {"todos": [{"content": "x" * 4_000, "status": "pending"}]})
    )
    model.script(too_long(), answer(text(SUMMARY)), answer(text("at last")))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "go")
        state = await settled(listener, 1)

    asked = [m for m in model.chats[2].body["messages"] if m["role"] == "tool"]
    assert [len(m["content"]) for m in asked] == [1_500]
    assert texts(model)[1].startswith("go\n\n(The conversation was compacted")
    assert state.messages[-1].stop_reason == "end_turn"
    assert divider(state).position < state.messages[-1].position


async def test_an_emergency_keeps_the_files_and_the_skill_of_the_request(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    files = LocalFiles(cast.atelier.place)
    await in_db(files.write)("notes.md", "head " + "x" * 40_000 + " tail")
    await in_db(files.write)(".maia/skills/s/SKILL.md", "---\ndescription: d\n---\nBe thorough.")
    await resize(4_000)
    model.script(too_long(), too_long(), answer(text(SUMMARY)), answer(text("at last")))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "§s read @notes.md")
        await settled(listener, 1)

    again = texts(model)[1]
    assert again.index('<file path="notes.md">\nhead ') < again.index("Be thorough.")
    assert "characters left out" in again
    assert again.index("Be thorough.") < again.index("(The conversation was compacted")
    assert len(again) < 9_000
    # the summary was refused too, and asked for again with less
    assert [len(texts(model, at)[1]) > 10_000 for at in (1, 2)] == [True, False]


async def test_a_second_refusal_is_an_error_and_a_failed_summary_shows_the_first(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    model.script(too_long(), answer(text(SUMMARY)), too_long())
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "go")
        first = await settled(listener, 1)
        model.script(too_long(), too_long(), too_long())
        await say(cast, direct, "again")
        second = await settled(listener, 2)

    for state in (first, second):
        failed = next(m.error for m in reversed(state.messages) if m.role == "agent")
        assert failed is not None
        assert failed.code == "context-too-long"
    assert len(model.chats) == 6


async def test_fifty_steps_end_with_a_question_and_going_on_is_a_fresh_series(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    await in_db(ModelServer.objects.update)(max_steps=2)
    todo = tool_answer("TodoWrite", {"todos": [{"content": "a", "status": "pending"}]})
    model.script(todo, todo, todo, answer(text("done")))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "go")
        state = await settled(listener, 1)
        limited = state.messages[-1]
        await in_db(resume_turn)(cast.alice.pk, direct, limited.id)
        state = await settled(listener, 2)

    assert limited.stop_reason == "max_turn_requests"
    assert limited.counters is not None
    assert limited.counters.steps == 2
    assert state.messages[-1].stop_reason == "end_turn"
    assert len(model.chats) == 4
    roles = [m["role"] for m in model.chats[2].body["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "tool"]


@pytest.mark.parametrize(
    ("listed", "said", "size"),
    [
        ({"max_model_len": 32_768}, "", 32_768),
        ({}, "131,072 tokens, I think", 131_072),
        ({}, "I do not know", None),
    ],
)
async def test_the_size_is_listed_else_asked_of_the_model_once(
    cast: Cast,
    direct: str,
    host: Host,
    model: ScriptedServer,
    listed: dict[str, int],
    said: str,
    size: int | None,
) -> None:
    await resize(None)
    model.models_answer = Answer.json({"data": [{"id": "scripted", **listed}]})
    model.script(answer(text("hello")), *([] if listed else [answer(text(said))]))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "hi")
        await settled(listener, 1)
        if size:
            await listener.until(
                lambda s: s.usage["maia"].size == size if "maia" in s.usage else False
            )
        else:
            while not await in_db(ContextSize.objects.exists)():
                await listener.until(lambda s: True)
        chats = len(model.chats)
        model.script(answer(text("again")))
        await say(cast, direct, "again")
        await settled(listener, 2)

    row = await in_db(ContextSize.objects.get)()
    assert (row.model, row.size, row.source) == ("scripted", size, "listed" if listed else "asked")
    assert (chats, len(model.chats)) == ((1, 2) if listed else (2, 3))
    assert any(isinstance(frame, UsageChanged) for frame in listener.frames)


INSTRUCTIONS = "# Instructions (MAIA.md)"


async def keep(cast: Cast, name: str, text: str) -> None:
    await in_db(LocalFiles(cast.atelier.place).write)(name, text)


def systems(model: ScriptedServer) -> list[str]:
    return [texts(model, at)[0] for at in range(len(model.chats))]


async def test_instructions_are_in_the_context_again_after_compact_as_the_file_says_now(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    await keep(cast, "MAIA.md", "Use tabs.")
    model.script(answer(text("first answer")), answer(text(SUMMARY)), answer(text("second")))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "first")
        await settled(listener, 1)
        await keep(cast, "MAIA.md", "Use blanks.")
        await reply_to(cast.alice.pk, direct, "/compact")
        state = await listener.until(lambda s: not s.busy and s.messages[-1].code == "compacted")
        parts = await context_parts(cast.alice.pk, direct)
        await say(cast, direct, "second")
        await settled(listener, 2)

    before, _summary, after = systems(model)
    start = before.index(INSTRUCTIONS)
    assert before[:start] == after[:start]
    assert before[start:].startswith(f"{INSTRUCTIONS}\n\nUse tabs.")
    assert after[start:].startswith(f"{INSTRUCTIONS}\n\nUse blanks.\n\n# Starting context")
    assert after.count("Use blanks.") == 1
    note = divider(state).note
    assert note is not None
    assert note.after == parts.used == state.usage["maia"].used


@pytest.mark.parametrize("name", ["CLAUDE.md", "AGENTS.md"])
async def test_instructions_are_there_for_the_request_that_is_answered_after_a_compaction(
    cast: Cast, direct: str, host: Host, model: ScriptedServer, name: str
) -> None:
    await keep(cast, name, "Use tabs.")
    model.script(answer(text("word " * 200)), answer(text(SUMMARY)), answer(text("second answer")))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "first")
        await settled(listener, 1)
        parts = await context_parts(cast.alice.pk, direct)
        await resize(parts.used + 4_500 - 1)
        await say(cast, direct, "second")
        await settled(listener, 2)

    assert [f"# Instructions ({name})\n\nUse tabs." in one for one in systems(model)] == [True] * 3
    assert SUMMARY in texts(model)[0]


async def test_instructions_are_the_same_in_a_turn_until_it_is_compacted_in_its_middle(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    await keep(cast, "MAIA.md", "Use tabs.")
    gate = Gate()
    called = tool_answer("TodoWrite", {"todos": [{"content": "a", "status": "pending"}]})
    model.script(Answer([text("So."), gate, *called.steps]), called)
    model.script(too_long(), answer(text(SUMMARY)), answer(text("at last")))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "go")
        await listener.until(lambda s: s.busy and bool(s.messages[-1].parts))
        await keep(cast, "MAIA.md", "Use blanks.")
        gate.open()
        await settled(listener, 1)

    said = ["Use tabs." if "Use tabs." in one else "Use blanks." for one in systems(model)]
    assert said == ["Use tabs."] * 4 + ["Use blanks."]


async def test_instructions_that_are_gone_unreadable_or_empty_are_not_in_the_context(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    await keep(cast, "MAIA.md", "Use tabs.")
    model.script(answer(text("first answer")), answer(text(SUMMARY)))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "first")
        await settled(listener, 1)
        await reply_to(cast.alice.pk, direct, "/compact")
        await listener.until(lambda s: not s.busy and s.messages[-1].code == "compacted")
        files = LocalFiles(cast.atelier.place)
        for answers, (content, there) in enumerate(
            ((None, False), (" \n", False), ("x" * 2**20, True)), start=2
        ):
            if content is None:
                await in_db(files.remove)("MAIA.md")
            else:
                await in_db(files.write)("MAIA.md", content)
            model.script(answer(text("on")))
            await say(cast, direct, "go on")
            await settled(listener, answers)
            assert (INSTRUCTIONS in texts(model)[0]) is there
            assert SUMMARY in texts(model)[0]


async def test_instructions_too_long_beside_a_summary_are_shortened_and_that_is_said_once(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    await keep(cast, "MAIA.md", "First rule.\n" + "some words " * 9_000 + "\nLast rule.")
    await resize(30_000)
    model.script(answer(text("first answer")), answer(text(SUMMARY)), answer(text("second")))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "first")
        await settled(listener, 1)
        await reply_to(cast.alice.pk, direct, "/compact")
        await listener.until(lambda s: not s.busy and s.messages[-1].code == "compacted")
        await say(cast, direct, "second")
        state = await settled(listener, 2)

    found = [texts(model)[0].find(one) for one in ("First", "characters left out", "Last rule")]
    assert -1 < found[0] < found[1] < found[2]
    said = [m.error for m in state.messages if m.error and m.error.code == "instructions-cut"]
    assert len(said) == 1
    assert "MAIA.md" in said[0].message
    assert said[0].words is not None
    assert len(set(said[0].words.values())) == 2
    assert len(model.chats) == 3  # what is left does not fill the context again
