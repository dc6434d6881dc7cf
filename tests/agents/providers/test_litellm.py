"""Behind a real LiteLLM proxy the same events and the same clear errors come out."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path

import pytest

from agents.domain.content.model_messages import (
    Attached,
    ModelMessage,
    ToolResultBlock,
    ToolUseBlock,
    user_text,
)
from agents.domain.model_servers.endpoint import Endpoint
from agents.engine.ports.model import Attached as AttachedToAnswer
from agents.engine.ports.model import (
    ChatRequest,
    Done,
    LeftOut,
    ProviderError,
    Retrying,
    StreamEvent,
    TextDelta,
    ThoughtDelta,
    ToolSpec,
    ToolUse,
    UsageDelta,
)
from agents.providers import catalogue
from agents.providers.openai_chat import OpenAIChat, Patience
from tests.support.litellm_proxy import MODEL, LiteLLM, run_litellm
from tests.support.openai_behaviours import BEHAVIOURS, Gate, answer, chunk, error, text, thought

pytestmark = [pytest.mark.services, pytest.mark.timeout(1200)]
QUICK = Patience(first_byte=30, between_chunks=30, backoff=0.01)
READ = ToolUse("c1", "Read", {"path": "a.txt"})


def chat(litellm: LiteLLM, *, key: str | None = None, model: str = MODEL) -> OpenAIChat:
    key = litellm.key if key is None else key
    return OpenAIChat(Endpoint(litellm.url, key=key), model, patience=QUICK)


def asking(behaviour: str) -> ChatRequest:
    tool = ToolSpec("Read", "Reads a file.", {"type": "object", "properties": {}})
    return ChatRequest("Be brief.", (user_text(f"[[{behaviour}]]"),), (tool,))


async def play(litellm: LiteLLM, behaviour: str) -> list[StreamEvent]:
    async with asyncio.timeout(30), aclosing(chat(litellm).stream(asking(behaviour))) as events:
        return [event async for event in events]


async def fail(model: OpenAIChat, behaviour: str) -> tuple[ProviderError, list[StreamEvent]]:
    seen: list[StreamEvent] = []

    async def consume() -> None:
        async with asyncio.timeout(30), aclosing(model.stream(asking(behaviour))) as events:
            async for event in events:
                seen.append(event)  # noqa: PERF401 - what came before the error counts

    with pytest.raises(ProviderError) as caught:
        await consume()
    return caught.value, seen


def said(events: list[StreamEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


async def test_text_streams_while_the_model_still_writes(litellm: LiteLLM) -> None:
    gate = Gate()
    litellm.upstream.script(answer(text("first"), gate, text(" second")))
    async with asyncio.timeout(30), aclosing(chat(litellm).stream(asking("x"))) as events:
        assert await anext(events) == TextDelta("first")
        gate.open()
        rest = [event async for event in events]
    assert said(rest) == " second"
    assert rest[-2:] == [UsageDelta(11, 7), Done("end_turn")]


@pytest.mark.parametrize(
    ("behaviour", "expected"),
    [
        ("text-and-tool", [READ]),
        ("no-id-no-name-new-index", [READ]),
        ("new-id-used-index", [READ, ToolUse("c2", "Glob", {"pattern": "*"})]),
        ("no-index", [READ, ToolUse("c2", "Glob", {"pattern": "*"})]),
        ("repeated-heads", [READ]),
        ("split-name", [READ]),
        ("object-arguments", [READ]),
        ("invalid-arguments", [ToolUse("c1", "Read", {})]),
        ("stop-with-tools", [READ]),
    ],
)
async def test_tool_calls_come_through(
    litellm: LiteLLM, behaviour: str, expected: list[ToolUse]
) -> None:
    events = await play(litellm, behaviour)
    assert [event for event in events if isinstance(event, ToolUse)] == expected
    assert events[-1] == Done("tool_use")


async def test_reasoning_comes_through(litellm: LiteLLM) -> None:
    for behaviour in ("reasoning-content", "reasoning"):
        events = await play(litellm, behaviour)
        thoughts = [event.text for event in events if isinstance(event, ThoughtDelta)]
        assert ("".join(thoughts), said(events)) == ("Hmm…", "Hello")


async def test_a_cut_answer_is_marked(litellm: LiteLLM) -> None:
    assert (await play(litellm, "length"))[-1] == Done("max_tokens", cut=True)
    assert (await play(litellm, "exactly-4096"))[-1] == Done("tool_use", cut=True)


async def test_an_error_in_mid_stream_is_told(litellm: LiteLLM) -> None:
    for behaviour in ("error-object", "cut"):
        error, seen = await fail(chat(litellm), behaviour)
        assert error.code in {"stream-error", "cut-off"}
        assert said(seen) == "Hel"


@pytest.mark.parametrize(
    ("behaviour", "code"),
    [
        ("400-context", "context-too-long"),
        ("400-context-llama", "context-too-long"),
        ("401", "unauthorized"),
        ("404-model", "no-model"),
        ("429", "rate-limited"),
        ("500-html", "server-error"),
    ],
)
async def test_an_error_of_the_model_behind_is_recognised(
    litellm: LiteLLM, behaviour: str, code: str
) -> None:
    error, seen = await fail(chat(litellm), behaviour)
    assert error.code == code
    assert all(isinstance(event, Retrying) for event in seen)
    assert "nginx" not in error.message + error.details


@pytest.mark.parametrize("key", ["", "sk-wrong"])
async def test_a_missing_or_wrong_key_is_told(litellm: LiteLLM, key: str) -> None:
    error, _ = await fail(chat(litellm, key=key), "hello")
    assert error.code == "unauthorized"


async def test_an_unknown_model_is_named(litellm: LiteLLM) -> None:
    error, _ = await fail(chat(litellm, model="nobody"), "hello")
    assert error.code == "no-model"
    assert "nobody" in error.message


async def test_cancelling_reaches_the_model_behind(litellm: LiteLLM) -> None:
    before = len(litellm.upstream.chats)
    task = asyncio.create_task(play(litellm, "hang"))
    await asyncio.to_thread(litellm.upstream.wait_for_chats, before + 1, 20)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(litellm.upstream.chats[-1].hung_up.wait, 10)


async def test_its_models_and_their_sizes_are_listed(litellm: LiteLLM) -> None:
    result = await catalogue.test_endpoint(Endpoint(litellm.url, key=litellm.key))
    assert [(one.name, one.context_size) for one in result.models] == [
        ("scripted", None),
        ("sized", 123_456),
    ]


async def test_a_cooldown_is_waited_for(tmp_path: Path) -> None:
    with run_litellm(tmp_path, cooldowns=True) as cooling:
        cooling.upstream.script(BEHAVIOURS["500"]())
        events = await play(cooling, "hello")
    waits = [event.delay for event in events if isinstance(event, Retrying)]
    assert waits
    assert said(events) == "Hello world"


async def test_what_is_attached_goes_through_it_both_ways(litellm: LiteLLM) -> None:
    signed = {"extra_content": {"google": {"thought_signature": "c2ln"}}}
    head = {"index": 0, "id": "c1", "function": {"name": "Read", "arguments": "{}"}, **signed}
    litellm.upstream.script(
        answer(thought("I must look."), chunk({"tool_calls": [head]}), reason="tool_calls"),
        answer(text("ok")),
    )
    model = chat(litellm)
    first = asking("x")
    async with asyncio.timeout(30), aclosing(model.stream(first)) as events:
        seen = [event async for event in events]
    (use,) = (one for one in seen if isinstance(one, ToolUse))
    (attached,) = (one for one in seen if isinstance(one, AttachedToAnswer))
    called = ModelMessage(
        role="assistant",
        content=(ToolUseBlock(id=use.id, name=use.name, attached=use.attached or None),),
        attached=Attached(source=attached.source, fields=attached.fields),
    )
    result = ToolResultBlock(tool_use_id=use.id, content="done")
    messages = (*first.messages, called, ModelMessage(role="user", content=(result,)))
    second = ChatRequest(first.system, messages, first.tools)
    async with asyncio.timeout(30), aclosing(model.stream(second)) as events:
        assert said([event async for event in events]) == "ok"

    sent = litellm.upstream.chats[-1].body["messages"][2]
    assert sent["reasoning_content"] == "I must look."
    assert sent["tool_calls"][0]["id"] == "c1"


async def test_a_field_that_is_refused_behind_it_is_left_out(litellm: LiteLLM) -> None:
    words = "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
    refused = error(400, words + "'max_completion_tokens' instead.", param="max_tokens")
    litellm.upstream.chooser = lambda body: refused if "max_tokens" in body else answer(text("ok"))
    request = ChatRequest("", (user_text("x"),), max_tokens=100)
    try:
        async with asyncio.timeout(30), aclosing(chat(litellm).stream(request)) as events:
            seen = [event async for event in events]
    finally:
        litellm.upstream.forget()
    assert [one.field for one in seen if isinstance(one, LeftOut)] == ["max_tokens"]
    assert said(seen) == "ok"
