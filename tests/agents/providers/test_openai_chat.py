"""Each wire behaviour, over real HTTP, becomes the right events or a clear error."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from pathlib import Path

import httpx
import pytest

from agents.domain.content.model_messages import (
    ModelMessage,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    user_text,
)
from agents.domain.model_servers.endpoint import Endpoint
from agents.engine.ports.model import (
    ChatRequest,
    Done,
    ProviderError,
    Retrying,
    StreamEvent,
    TextDelta,
    ThoughtDelta,
    ToolSpec,
    ToolUse,
    UsageDelta,
)
from agents.providers.chat_chunks import ChatChunks
from agents.providers.openai_chat import OpenAIChat, Patience, joined
from tests.support.openai_behaviours import BEHAVIOURS, Gate, answer, text
from tests.support.openai_server import ScriptedServer, serve

QUICK = Patience(connect=2, first_byte=5, between_chunks=5, backoff=0.01)
IMPATIENT = Patience(connect=2, first_byte=1, between_chunks=1, backoff=0.01)
READ = ToolUse("c1", "Read", {"path": "a.txt"})
GLOB = ToolUse("c2", "Glob", {"pattern": "*"})
ASK = ChatRequest("Be brief.", (user_text("hi"),))


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with serve() as running:
        yield running


async def play(
    server: ScriptedServer, behaviour: str, patience: Patience = QUICK
) -> list[StreamEvent]:
    chat = OpenAIChat(Endpoint(server.url), behaviour, patience=patience)
    async with asyncio.timeout(10), aclosing(chat.stream(ASK)) as events:
        return [event async for event in events]


async def fail(
    server: ScriptedServer, behaviour: str, patience: Patience = QUICK
) -> tuple[ProviderError, list[StreamEvent]]:
    seen: list[StreamEvent] = []
    chat = OpenAIChat(Endpoint(server.url), behaviour, patience=patience)

    async def consume() -> None:
        async with asyncio.timeout(10), aclosing(chat.stream(ASK)) as events:
            async for event in events:
                seen.append(event)  # noqa: PERF401 - what came before the error counts

    with pytest.raises(ProviderError) as caught:
        await consume()
    return caught.value, seen


def said(events: list[StreamEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def thought(events: list[StreamEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, ThoughtDelta))


def calls(events: list[StreamEvent]) -> list[ToolUse]:
    return [event for event in events if isinstance(event, ToolUse)]


@pytest.mark.parametrize(
    ("behaviour", "expected"),
    [
        ("hello", "Hello world"),
        ("role-first", "Hello"),
        ("empty-answer", ""),
        ("no-done", "Héllo wörld 🌍"),
        ("open-after-done", "Héllo wörld 🌍"),
        ("no-usage", "Héllo wörld 🌍"),
        ("crlf", "Héllo wörld 🌍"),
        ("cr", "Héllo wörld 🌍"),
        ("byte-by-byte", "Héllo wörld 🌍"),
        ("no-space", "Héllo wörld 🌍"),
        ("comments", "Héllo wörld 🌍"),
        ("bom", "Héllo wörld 🌍"),
        ("one-newline", "Héllo wörld 🌍"),
        ("one-write", "Héllo wörld 🌍"),
        ("multi-line-data", "Hello"),
        ("bad-json-line", "Hello"),
        ("nulls", "Hello"),
        ("lone-surrogate", "Hel�lo�"),
        ("split-surrogates", "Hello 🌍"),
        ("invalid-utf8", "Hel�lo"),
        ("huge-line", "x" * 1_000_000),
        ("slow", "Hello"),
        ("plain-completion", "plain"),
        ("plain-completion-as-sse", "plain"),
        ("think-later", "Use <think> tags</think>."),
        ("usage-every-chunk", "Hello world"),
    ],
)
async def test_text_arrives_whatever_the_form(
    server: ScriptedServer, behaviour: str, expected: str
) -> None:
    events = await play(server, behaviour)
    assert said(events) == expected
    assert events[-1] == Done("end_turn")
    assert not calls(events)


@pytest.mark.parametrize(
    ("behaviour", "expected"),
    [
        ("text-and-tool", [READ]),
        ("two-tools", [READ, GLOB]),
        ("no-id-no-name-new-index", [READ]),
        ("new-id-used-index", [READ, GLOB]),
        ("no-index", [READ, GLOB]),
        (
            "no-index-no-id",
            [
                ToolUse("call_1", "Read", {"path": "a.txt"}),
                ToolUse("call_2", "Read", {"path": "b.txt"}),
            ],
        ),
        ("missing-id", [ToolUse("call_1", "Read", {"path": "a.txt"})]),
        ("empty-id", [ToolUse("call_1", "Read", {"path": "a.txt"})]),
        ("late-id", [ToolUse("c9", "Read", {"path": "a.txt"})]),
        ("repeated-heads", [READ]),
        ("split-name", [READ]),
        ("object-arguments", [READ]),
        ("invalid-arguments", [ToolUse("c1", "Read", {})]),
        ("empty-arguments", [ToolUse("c1", "Read", {})]),
        ("array-arguments", [ToolUse("c1", "Read", {})]),
        ("unknown-tool", [ToolUse("c1", "Fly", {})]),
        ("nameless-tool", [ToolUse("c1", "unnamed", {})]),
        ("stop-with-tools", [READ]),
        ("legacy-function-call", [ToolUse("call_1", "Read", {"path": "a.txt"})]),
        ("plain-tool-completion", [READ]),
    ],
)
async def test_tool_calls_are_assembled_tolerantly(
    server: ScriptedServer, behaviour: str, expected: list[ToolUse]
) -> None:
    events = await play(server, behaviour)
    assert calls(events) == expected
    assert events[-1] == Done("tool_use")


@pytest.mark.parametrize(
    ("behaviour", "done"),
    [
        ("length", Done("max_tokens", cut=True)),
        ("length-in-tool", Done("max_tokens", cut=True)),
        ("exactly-4096", Done("tool_use", cut=True)),
        ("content-filter", Done("refusal")),
        ("refusal", Done("refusal")),
        ("unknown-finish", Done("other")),
        ("missing-finish", Done("other")),
        ("double-finish", Done("max_tokens", cut=True)),
    ],
)
async def test_how_the_answer_ended_is_told(
    server: ScriptedServer, behaviour: str, done: Done
) -> None:
    assert (await play(server, behaviour))[-1] == done


@pytest.mark.parametrize(
    ("behaviour", "expected"),
    [
        ("hello", [UsageDelta(11, 7)]),
        ("usage-every-chunk", [UsageDelta(11, 7)]),
        ("usage-on-finish", [UsageDelta(11, 7)]),
        ("usage-litellm", [UsageDelta(11, 7)]),
        ("usage-reasoning", [UsageDelta(11, 7)]),
        ("usage-odd", [UsageDelta(0, 0)]),
        ("no-usage", []),
    ],
)
async def test_usage_is_read_wherever_it_stands(
    server: ScriptedServer, behaviour: str, expected: list[UsageDelta]
) -> None:
    events = await play(server, behaviour)
    assert [event for event in events if isinstance(event, UsageDelta)] == expected


@pytest.mark.parametrize(
    ("behaviour", "text"),
    [
        ("reasoning-content", "Hello"),
        ("reasoning", "Hello"),
        ("reasoning-both", "Hello"),
        ("think-tags", "Hello"),
        ("content-parts", "Hello"),
    ],
)
async def test_reasoning_is_kept_apart(server: ScriptedServer, behaviour: str, text: str) -> None:
    events = await play(server, behaviour)
    assert (thought(events), said(events)) == ("Hmm…", text)


async def test_reasoning_that_never_ends_is_all_thought(server: ScriptedServer) -> None:
    events = await play(server, "think-unclosed")
    assert (thought(events), said(events)) == ("Hmm…</thin", "")


@pytest.mark.parametrize(
    ("behaviour", "code"),
    [
        ("400-context", "context-too-long"),
        ("400-context-litellm", "context-too-long"),
        ("400-context-llama", "context-too-long"),
        ("error-context", "context-too-long"),
        ("400-model-litellm", "no-model"),
        ("404-model", "no-model"),
        ("404-ollama", "no-model"),
        ("400-key-litellm", "unauthorized"),
        ("401", "unauthorized"),
        ("403", "unauthorized"),
        ("400", "bad-request"),
        ("404", "bad-request"),
        ("redirect", "bad-request"),
        ("429-quota", "rate-limited"),
        ("429-long", "rate-limited"),
        ("json-error-200", "stream-error"),
        ("endless-line", "stream-error"),
        ("html", "not-a-stream"),
        ("other-json", "not-a-stream"),
        ("empty-body", "not-a-stream"),
    ],
)
async def test_a_failure_that_waiting_cannot_mend_is_told_at_once(
    server: ScriptedServer, behaviour: str, code: str
) -> None:
    before = len(server.chats)
    error, seen = await fail(server, behaviour)
    assert (error.code, seen) == (code, [])
    assert len(error.message) > 30
    assert error.message.endswith(".")
    assert len(error.details) <= 501
    assert len(server.chats) == before + 1


@pytest.mark.parametrize(
    ("behaviour", "code"),
    [
        ("429", "rate-limited"),
        ("500", "server-error"),
        ("500-html", "server-error"),
        ("503", "server-error"),
        ("close-before-headers", "unreachable"),
    ],
)
async def test_a_passing_failure_is_tried_three_times(
    server: ScriptedServer, behaviour: str, code: str
) -> None:
    before = len(server.chats)
    error, seen = await fail(server, behaviour)
    assert error.code == code
    assert [(event.attempt, event.delay) for event in seen if isinstance(event, Retrying)] == [
        (1, 0.01),
        (2, 0.02),
    ]
    assert len(server.chats) == before + 3


@pytest.mark.parametrize("behaviour", ["429-retry-after", "429-cooldown"])
async def test_the_wait_the_server_asks_for_is_kept(server: ScriptedServer, behaviour: str) -> None:
    server.script(BEHAVIOURS[behaviour]())
    events = await play(server, "hello")
    assert isinstance(events[0], Retrying)
    assert events[0].delay == 1
    assert said(events) == "Hello world"


async def test_secrets_and_markup_of_an_error_are_not_shown(server: ScriptedServer) -> None:
    refused, _ = await fail(server, "401")
    broken, _ = await fail(server, "500-html")
    assert "verysecret" not in refused.message + refused.details
    assert "<" not in broken.message + broken.details
    assert "nginx" not in broken.details


@pytest.mark.parametrize(
    ("behaviour", "code"),
    [
        ("error-object", "stream-error"),
        ("error-string", "stream-error"),
        ("cut", "cut-off"),
        ("clean-cut", "cut-off"),
    ],
)
async def test_a_failure_in_mid_stream_keeps_what_came_and_is_not_tried_again(
    server: ScriptedServer, behaviour: str, code: str
) -> None:
    before = len(server.chats)
    error, seen = await fail(server, behaviour)
    assert (error.code, seen) == (code, [TextDelta("Hel")])
    assert len(server.chats) == before + 1


@pytest.mark.parametrize("behaviour", ["cut-in-tool", "clean-cut-in-tool"])
async def test_a_call_that_was_cut_never_runs(server: ScriptedServer, behaviour: str) -> None:
    error, seen = await fail(server, behaviour)
    assert error.code == "cut-off"
    assert all(isinstance(event, Retrying) for event in seen)


@pytest.mark.parametrize(
    ("behaviour", "code", "came"),
    [
        ("hang", "cut-off", [TextDelta("Hel")]),
        ("hang-after-headers", "unreachable", []),
        ("hang-before-headers", "unreachable", []),
    ],
)
async def test_a_silent_server_is_given_up(
    server: ScriptedServer, behaviour: str, code: str, came: list[StreamEvent]
) -> None:
    error, seen = await fail(server, behaviour, IMPATIENT)
    assert (error.code, seen) == (code, came)


async def test_a_server_that_is_not_there_is_named() -> None:
    with serve() as gone:
        url = gone.url
    chat = OpenAIChat(Endpoint(url, key="sk-secret123"), "m", patience=QUICK)
    with pytest.raises(ProviderError, match=url) as caught:
        [event async for event in chat.stream(ASK)]
    assert caught.value.code == "unreachable"
    assert "secret" not in f"{caught.value.message}{caught.value.details}{chat.endpoint}"


@pytest.mark.parametrize(
    ("endpoint", "code"),
    [
        (Endpoint("localhost:4000"), "bad-request"),
        (Endpoint("http://[::1"), "bad-request"),
        (Endpoint("http://127.0.0.1:9", key="sk-é"), "unauthorized"),
        (Endpoint("http://127.0.0.1:9", key="a\nb"), "unauthorized"),
    ],
)
async def test_a_wrong_setting_is_a_clear_error(endpoint: Endpoint, code: str) -> None:
    with pytest.raises(ProviderError) as caught:
        [event async for event in OpenAIChat(endpoint, "m", patience=QUICK).stream(ASK)]
    assert caught.value.code == code


async def test_the_request_is_what_the_seed_says(server: ScriptedServer) -> None:
    messages = (
        user_text("list"),
        ModelMessage(
            role="assistant",
            content=(ToolUseBlock(id="c1", name="Glob", input={"pattern": "é*"}),),
        ),
        ModelMessage(
            role="user",
            content=(
                TextBlock(text="and now?"),
                ToolResultBlock(tool_use_id="c1", content="a.txt"),
            ),
        ),
    )
    tool = ToolSpec("Glob", "Finds files.", {"type": "object"})
    request = ChatRequest("Be brief.", messages, (tool,))
    endpoint = Endpoint(f"{server.url}/v1/", key="sk-1", max_output_tokens=77)
    [event async for event in OpenAIChat(endpoint, "hello").stream(request)]
    sent = server.chats[-1]
    assert sent.path == "/v1/chat/completions"
    assert sent.headers["authorization"] == "Bearer sk-1"
    assert sent.headers["accept"] == "text/event-stream"
    assert sent.body == {
        "model": "hello",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "list"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "Glob", "arguments": '{"pattern":"é*"}'},
                    }
                ],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "a.txt"},
            {"role": "user", "content": "and now?"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 77,
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "Glob",
                    "description": "Finds files.",
                    "parameters": {"type": "object"},
                },
            }
        ],
    }


async def test_the_requests_own_limit_wins(server: ScriptedServer) -> None:
    endpoint = Endpoint(server.url, max_output_tokens=77)
    request = ChatRequest("", (user_text("hi"),), max_tokens=4000)
    [event async for event in OpenAIChat(endpoint, "hello").stream(request)]
    assert server.chats[-1].body["max_tokens"] == 4000
    assert server.chats[-1].body["messages"] == [{"role": "user", "content": "hi"}]


async def test_an_id_used_before_is_not_used_again(server: ScriptedServer) -> None:
    used = ToolUseBlock(id="c1", name="Read", input={})
    messages = (user_text("hi"), ModelMessage(role="assistant", content=(used,)))
    chat = OpenAIChat(Endpoint(server.url), "text-and-tool")
    events = [event async for event in chat.stream(ChatRequest("", messages))]
    assert [use.id for use in calls(events)] == ["c1_2"]
    chat = OpenAIChat(Endpoint(server.url), "missing-id")
    events = [event async for event in chat.stream(ChatRequest("", messages))]
    assert [use.id for use in calls(events)] == ["call_2"]


async def test_deltas_arrive_while_the_server_still_writes(server: ScriptedServer) -> None:
    gate = Gate()
    server.script(answer(text("first"), gate, text(" second")))
    events = OpenAIChat(Endpoint(server.url), "m").stream(ASK)
    async with asyncio.timeout(60), aclosing(events):
        assert await anext(events) == TextDelta("first")
        gate.open()
        assert await anext(events) == TextDelta(" second")


@pytest.mark.parametrize("behaviour", ["hang", "hang-after-headers", "hang-before-headers"])
async def test_cancelling_closes_the_connection_at_once(
    server: ScriptedServer, behaviour: str
) -> None:
    before = len(server.chats)
    task = asyncio.create_task(play(server, behaviour))
    await asyncio.to_thread(server.wait_for_chats, before + 1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(server.chats[-1].hung_up.wait, 60)


async def test_leaving_early_closes_the_connection(server: ScriptedServer) -> None:
    async with aclosing(OpenAIChat(Endpoint(server.url), "hang").stream(ASK)) as events:
        assert await anext(events) == TextDelta("Hel")
    assert await asyncio.to_thread(server.chats[-1].hung_up.wait, 60)


async def test_a_shared_client_is_used_and_left_open(server: ScriptedServer) -> None:
    async with httpx.AsyncClient() as client:
        chat = OpenAIChat(Endpoint(server.url), "hello", client)
        for _ in range(2):
            assert said([event async for event in chat.stream(ASK)]) == "Hello world"
        assert not client.is_closed


async def test_the_raw_stream_is_kept_for_diagnosis(
    server: ScriptedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "llm.log"
    monkeypatch.setenv("MAIA_DEBUG_LLM", str(path))
    chat = OpenAIChat(Endpoint(server.url, key="sk-secret123"), "hello")
    [event async for event in chat.stream(ASK)]
    kept = path.read_text()
    assert '"content": "Hello"' in kept
    assert "[DONE]" in kept
    assert "secret" not in kept
    assert path.stat().st_mode & 0o077 == 0


async def test_a_diagnosis_that_cannot_be_written_does_not_stop_the_answer(
    server: ScriptedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAIA_DEBUG_LLM", str(tmp_path / "no" / "such" / "folder"))
    assert said(await play(server, "hello")) == "Hello world"


async def test_sentences_are_in_the_language_of_the_person(server: ScriptedServer) -> None:
    error, _ = await fail(server, "401")
    assert error.message.startswith("The model server refused the key.")


@pytest.fixture(autouse=True)
async def _no_task_lasts() -> AsyncIterator[None]:
    """What a generator that was left early has to close may take a turn of the loop."""
    yield
    left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    if left:
        _ended, lasting = await asyncio.wait(left, timeout=10)
        assert not lasting


def test_text_that_arrives_at_once_is_one_event_and_nothing_changes_its_place() -> None:
    def say(value: str) -> bytes:
        return b'{"choices": [{"delta": {"content": "%s"}}]}' % value.encode()

    thought = b'{"choices": [{"delta": {"reasoning_content": "hm"}}]}'
    failure = b'{"error": {"message": "out of cards"}}'
    events = joined([say("a"), say("b"), thought, say("c"), failure], ChatChunks())

    assert [next(events) for _ in range(3)] == [TextDelta("ab"), ThoughtDelta("hm"), TextDelta("c")]
    with pytest.raises(ProviderError):
        next(events)
    assert list(joined([], ChatChunks())) == []
