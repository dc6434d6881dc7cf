"""What an OpenAI-compatible server may send: raw answers, every known oddity by name."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

SSE = "text/event-stream"
USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}


class Gate:
    """Holds an answer until the test opens it; `reached` tells that the answer came that far."""

    def __init__(self) -> None:
        self._open: Future[None] = Future()
        self._reached: Future[None] = Future()

    def open(self) -> None:
        if not self._open.done():
            self._open.set_result(None)

    def reached(self, timeout: float = 10) -> None:
        """Blocks until the server stands at the gate."""
        self._reached.result(timeout)

    async def until_reached(self) -> None:
        """Waits until the server stands at the gate, from any event loop."""
        async with asyncio.timeout(10):
            await asyncio.wrap_future(self._reached)

    async def pass_through(self) -> None:
        if not self._reached.done():
            self._reached.set_result(None)
        await asyncio.shield(asyncio.wrap_future(self._open))


@dataclass(frozen=True)
class Pause:
    """Waits so many seconds."""

    seconds: float


class Cut:
    """Breaks the connection in the middle of the body."""


class Hang:
    """Sends nothing more, and keeps the connection."""


Step = bytes | Gate | Pause | Cut | Hang


@dataclass
class Answer:
    """One HTTP answer: each step that is bytes is one write and one HTTP chunk."""

    steps: list[Step] = field(default_factory=list)
    status: int = 200
    content_type: str = SSE
    headers: dict[str, str] = field(default_factory=dict)
    before_headers: Step | None = None

    @classmethod
    def json(cls, value: Any, status: int = 200, **headers: str) -> Answer:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return cls([json.dumps(value).encode()], status, "application/json", named)

    async def play(self, writer: asyncio.StreamWriter) -> None:
        if self.before_headers is not None and not await _wait(self.before_headers, writer):
            return
        lines = [f"HTTP/1.1 {self.status} Scripted", f"Content-Type: {self.content_type}"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        lines += ["Connection: close", "Transfer-Encoding: chunked", "", ""]
        writer.write("\r\n".join(lines).encode())
        for step in self.steps:
            if isinstance(step, bytes):
                if step:
                    writer.write(b"%x\r\n%b\r\n" % (len(step), step))
                    await writer.drain()
            elif not await _wait(step, writer):
                return
        writer.write(b"0\r\n\r\n")
        await writer.drain()


async def _wait(step: Step, writer: asyncio.StreamWriter) -> bool:
    """Waits as the step says; False when the connection is broken."""
    if isinstance(step, Gate):
        await step.pass_through()
    elif isinstance(step, Pause):
        await asyncio.sleep(step.seconds)
    elif isinstance(step, Hang):
        await asyncio.Event().wait()
    elif isinstance(step, Cut):
        await writer.drain()
        writer.close()
        return False
    return True


# --- pieces of a stream -------------------------------------------------------------------------


def event(value: Any) -> bytes:
    """One SSE event."""
    return b"data: " + json.dumps(value, ensure_ascii=False).encode() + b"\n\n"


def chunk(delta: Any = None, finish: str | None = None, **more: Any) -> bytes:
    """One chunk of a chat completion."""
    choice = {"index": 0, "delta": delta if delta is not None else {}, "finish_reason": finish}
    return event({"id": "c", "object": "chat.completion.chunk", "choices": [choice], **more})


def text(said: str) -> bytes:
    return chunk({"content": said})


def thought(said: str, name: str = "reasoning_content") -> bytes:
    return chunk({name: said})


def call(
    index: int | None = 0,
    id: str | None = None,
    name: str | None = None,
    arguments: Any = None,
) -> bytes:
    """A fragment of a tool call; what is None is left out."""
    function = {
        key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None
    }
    fragment: dict[str, Any] = {"function": function, "type": "function"}
    if index is not None:
        fragment["index"] = index
    if id is not None:
        fragment["id"] = id
    return chunk({"tool_calls": [fragment]})


def finish(reason: str = "stop") -> bytes:
    return chunk({}, reason)


def usage(counts: dict[str, Any] | None = None) -> bytes:
    return event({"id": "c", "choices": [], "usage": counts or USAGE})


DONE = b"data: [DONE]\n\n"


def answer(*steps: Step, reason: str = "stop") -> Answer:
    """A well-behaved answer around `steps`: finish, usage and [DONE] follow."""
    return Answer([*steps, finish(reason), usage(), DONE])


def tool_answer(name: str, arguments: dict[str, Any], id: str = "call_a") -> Answer:
    """One tool call, its arguments in two fragments."""
    raw = json.dumps(arguments)
    half = len(raw) // 2
    return answer(
        call(0, id, name, ""),
        call(0, arguments=raw[:half]),
        call(0, arguments=raw[half:]),
        reason="tool_calls",
    )


def http_chunk(data: bytes) -> bytes:
    """`data` as one chunk of HTTP/1.1, as real servers send each event."""
    return b"%x\r\n%s\r\n" % (len(data), data)


_CHUNKED = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
    b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
)


def numbered(number: int) -> bytes:
    """A delta with its number and when it was made, as one chunk of HTTP."""
    return http_chunk(text(f"{number}@{time.monotonic():.6f} "))


def _chunked_end() -> bytes:
    return b"".join(map(http_chunk, (finish(), usage(), DONE, b"")))


def rated(rate: int, count: int) -> Answer:
    """`count` numbered deltas at `rate` a second (0: as fast as it goes), each a write."""

    class Rated(Answer):
        async def play(self, writer: asyncio.StreamWriter) -> None:
            writer.write(_CHUNKED)
            start = asyncio.get_running_loop().time()
            for number in range(count):
                if rate:
                    due = start + number / rate - asyncio.get_running_loop().time()
                    await asyncio.sleep(max(0.0, due))
                writer.write(numbered(number))
                await writer.drain()
            writer.write(_chunked_end())
            await writer.drain()

    return Rated()


def burst(count: int) -> Answer:
    """`count` numbered deltas in chunks as `rated` sends them, but all in one write."""

    class Burst(Answer):
        async def play(self, writer: asyncio.StreamWriter) -> None:
            deltas = b"".join(map(numbered, range(count)))
            writer.write(_CHUNKED + deltas + _chunked_end())
            await writer.drain()

    return Burst()


def cut_bytes(raw: bytes, size: int) -> list[Step]:
    return [raw[start : start + size] for start in range(0, len(raw), size)]


def error(status: int, message: str, **fields: Any) -> Answer:
    return Answer.json({"error": {"message": message, "code": status, **fields}}, status)


_HTML = b"<!DOCTYPE html><html><body><h1>500 nginx <script>x()</script></h1></body></html>"
_HELLO = text("Héllo ") + text("wörld 🌍")
_END = finish() + usage() + DONE
_PLAIN = {
    "id": "c",
    "object": "chat.completion",
    "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "plain"}, "finish_reason": "stop"}
    ],
    "usage": USAGE,
}
_LITELLM_ERROR = {
    "error": {
        "message": "litellm.APIConnectionError: APIConnectionError: OpenAIException - broken",
        "type": None,
        "param": None,
        "code": "500",
    }
}

#: Every wire behaviour by name; each gives a fresh answer.
BEHAVIOURS: dict[str, Callable[[], Answer]] = {
    "hello": lambda: answer(text("Hello"), text(" world")),
    "role-first": lambda: answer(chunk({"role": "assistant", "content": None}), text("Hello")),
    "text-and-tool": lambda: answer(
        text("Let me see."), call(0, "c1", "Read", '{"path": "a.txt"}'), reason="tool_calls"
    ),
    "demo-tools": lambda: tool_answer("Glob", {"pattern": "*"}),
    "two-tools": lambda: answer(
        call(1, "c2", "Glob", '{"pattern": "*"}'),
        call(0, "c1", "Read", '{"path": "a.txt"}'),
        reason="tool_calls",
    ),
    "no-id-no-name-new-index": lambda: answer(
        call(0, "c1", "Read", '{"path":'), call(1, arguments=' "a.txt"}'), reason="tool_calls"
    ),
    "new-id-used-index": lambda: answer(
        call(0, "c1", "Read", '{"path": "a.txt"}'),
        call(0, "c2", "Glob", '{"pattern":'),
        call(0, arguments=' "*"}'),
        reason="tool_calls",
    ),
    "no-index": lambda: answer(
        call(None, "c1", "Read", '{"path": '),
        call(None, arguments='"a.txt"}'),
        call(None, "c2", "Glob", '{"pattern": "*"}'),
        reason="tool_calls",
    ),
    "no-index-no-id": lambda: answer(
        call(None, None, "Read", '{"path": "a.txt"}'),
        call(None, None, "Read", '{"path": "b.txt"}'),
        reason="tool_calls",
    ),
    "missing-id": lambda: answer(call(0, None, "Read", '{"path": "a.txt"}'), reason="tool_calls"),
    "empty-id": lambda: answer(
        call(0, "", "Read", '{"path":'), call(0, "", None, ' "a.txt"}'), reason="tool_calls"
    ),
    "late-id": lambda: answer(
        call(0, None, "Read", '{"path":'), call(0, "c9", None, ' "a.txt"}'), reason="tool_calls"
    ),
    "repeated-heads": lambda: answer(
        call(0, "c1", "Read", '{"path":'), call(0, "c1", "Read", ' "a.txt"}'), reason="tool_calls"
    ),
    "split-name": lambda: answer(
        call(0, "c1", "Re"),
        call(0, None, "ad"),
        call(0, arguments='{"path": "a.txt"}'),
        reason="tool_calls",
    ),
    "object-arguments": lambda: answer(
        call(0, "c1", "Read", {"path": "a.txt"}), reason="tool_calls"
    ),
    "invalid-arguments": lambda: answer(
        call(0, "c1", "Read", '{"path": a.txt'), reason="tool_calls"
    ),
    "empty-arguments": lambda: answer(call(0, "c1", "Read", ""), reason="tool_calls"),
    "array-arguments": lambda: answer(call(0, "c1", "Read", '["a.txt"]'), reason="tool_calls"),
    "unknown-tool": lambda: answer(call(0, "c1", "Fly", "{}"), reason="tool_calls"),
    "nameless-tool": lambda: answer(call(0, "c1", None, "{}"), reason="tool_calls"),
    "stop-with-tools": lambda: answer(call(0, "c1", "Read", '{"path": "a.txt"}')),
    "legacy-function-call": lambda: answer(
        chunk({"function_call": {"name": "Read", "arguments": '{"path":'}}),
        chunk({"function_call": {"arguments": ' "a.txt"}'}}),
        reason="function_call",
    ),
    "exactly-4096": lambda: Answer(
        [
            call(0, "c1", "Write", '{"path": "a.txt", "content": "half"}'),
            finish("tool_calls"),
            usage({"prompt_tokens": 5, "completion_tokens": 4096}),
            DONE,
        ]
    ),
    "length": lambda: answer(text("half an ans"), reason="length"),
    "length-in-tool": lambda: answer(call(0, "c1", "Write", '{"path": "a'), reason="length"),
    "content-filter": lambda: answer(text("I"), reason="content_filter"),
    "refusal": lambda: answer(chunk({"refusal": "I cannot."})),
    "unknown-finish": lambda: answer(text("Hello"), reason="eos"),
    "missing-finish": lambda: Answer([_HELLO, usage(), DONE]),
    "double-finish": lambda: Answer([text("Hello"), finish("length"), finish("stop"), DONE]),
    "empty-answer": lambda: answer(),
    "no-done": lambda: Answer([_HELLO, finish()]),
    "open-after-done": lambda: Answer([_HELLO, _END, Hang()]),
    "no-usage": lambda: Answer([_HELLO, finish(), DONE]),
    "usage-every-chunk": lambda: Answer(
        [
            chunk({"content": "Hello"}, usage={"prompt_tokens": 11, "completion_tokens": 1}),
            chunk({"content": " world"}, "stop", usage=USAGE),
            DONE,
        ]
    ),
    "usage-on-finish": lambda: Answer([text("Hello"), chunk({}, "stop", usage=USAGE), DONE]),
    "usage-litellm": lambda: Answer([text("Hello"), finish(), chunk({}, usage=USAGE), DONE]),
    "usage-reasoning": lambda: Answer(
        [
            thought("Hmm."),
            text("Hello"),
            finish(),
            usage(
                {
                    "prompt_tokens": 11,
                    "completion_tokens": 27,
                    "completion_tokens_details": {"reasoning_tokens": 20},
                }
            ),
            DONE,
        ]
    ),
    "usage-odd": lambda: Answer(
        [text("Hello"), finish(), usage({"prompt_tokens": None, "completion_tokens": "7"}), DONE]
    ),
    "crlf": lambda: Answer([(_HELLO + _END).replace(b"\n", b"\r\n")]),
    "cr": lambda: Answer([(_HELLO + _END).replace(b"\n", b"\r")]),
    "byte-by-byte": lambda: Answer(cut_bytes(_HELLO + _END, 1)),
    "no-space": lambda: Answer([(_HELLO + _END).replace(b"data: ", b"data:")]),
    "comments": lambda: Answer(
        [
            b": hi\n\n",
            b": OPENROUTER PROCESSING\n\nevent: message\nid: 7\nretry: 10\n",
            _HELLO + _END,
        ]
    ),
    "bom": lambda: Answer([b"\xef\xbb", b"\xbf" + _HELLO + _END]),
    "multi-line-data": lambda: Answer(
        [b'data: {"choices":\ndata: [{"delta": {"content":\ndata:  "Hello"}}]}\n\n', _END]
    ),
    "one-newline": lambda: Answer([(_HELLO + _END).replace(b"\n\n", b"\n")]),
    "one-write": lambda: Answer([_HELLO + _END]),
    "bad-json-line": lambda: Answer([text("Hel"), b"data: {oops\n\n", text("lo"), _END]),
    "nulls": lambda: Answer(
        [
            event({"choices": None, "usage": None, "error": None}),
            event({"choices": [{"delta": None, "finish_reason": None}]}),
            event(
                {"choices": [{"delta": {"content": None, "tool_calls": None, "reasoning": None}}]}
            ),
            event(None),
            event([1]),
            text("Hello"),
            _END,
        ]
    ),
    "lone-surrogate": lambda: Answer(
        [b'data: {"choices": [{"delta": {"content": "Hel\\ud800lo\\u0000"}}]}\n\n', _END]
    ),
    "split-surrogates": lambda: Answer(
        [
            b'data: {"choices": [{"delta": {"content": "Hello \\ud83c"}}]}\n\n',
            b'data: {"choices": [{"delta": {"content": "\\udf0d"}}]}\n\n',
            _END,
        ]
    ),
    "invalid-utf8": lambda: Answer(
        [b'data: {"choices": [{"delta": {"content": "Hel\xfflo"}}]}\n\n', _END]
    ),
    "huge-line": lambda: Answer([text("x" * 1_000_000), _END]),
    "endless-line": lambda: Answer([b"data: ", *([b"x" * 65_536] * 200)]),
    "html": lambda: Answer([_HTML], content_type="text/html"),
    "plain-completion": lambda: Answer.json(_PLAIN),
    "plain-completion-as-sse": lambda: Answer([json.dumps(_PLAIN, indent=1).encode()]),
    "plain-tool-completion": lambda: Answer.json(
        {
            "object": "chat.completion",
            "choices": [
                {
                    "message": {
                        "content": None,
                        "tool_calls": [
                            {
                                "id": "c1",
                                "type": "function",
                                "function": {"name": "Read", "arguments": '{"path": "a.txt"}'},
                            }
                        ],
                    },
                    "finish_reason": "tool_calls",
                }
            ],
        }
    ),
    "json-error-200": lambda: Answer.json({"error": {"message": "broken", "code": 400}}),
    "other-json": lambda: Answer.json({"status": "ok"}),
    "reasoning-content": lambda: answer(thought("Hmm"), thought("…"), text("Hello")),
    "reasoning": lambda: answer(thought("Hmm…", "reasoning"), text("Hello")),
    "reasoning-both": lambda: answer(
        chunk({"reasoning": "Hmm…", "reasoning_content": "Hmm…"}), text("Hello")
    ),
    "think-tags": lambda: answer(
        text("\n<thi"), text("nk>Hmm"), text("…</th"), text("ink>\n\nHello")
    ),
    "think-unclosed": lambda: answer(text("<think>Hmm…</thin")),
    "think-later": lambda: answer(text("Use <think>"), text(" tags</think>.")),
    "content-parts": lambda: answer(
        chunk({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hmm…"}]}]}),
        chunk({"content": [{"type": "text", "text": "Hello"}]}),
    ),
    "error-object": lambda: Answer([text("Hel"), event(_LITELLM_ERROR)]),
    "error-string": lambda: Answer([text("Hel"), event({"error": "broken"})]),
    "error-context": lambda: Answer(
        [event({"error": {"message": "ContextWindowExceededError: too much", "code": "400"}})]
    ),
    "cut": lambda: Answer([text("Hel"), Cut()]),
    "cut-in-tool": lambda: Answer([call(0, "c1", "Write", '{"path": '), Cut()]),
    "clean-cut": lambda: Answer([text("Hel")]),
    "clean-cut-in-tool": lambda: Answer([call(0, "c1", "Write", '{"path": ')]),
    "slow": lambda: Answer([text("Hel"), Pause(0.3), text("lo"), _END]),
    "hang": lambda: Answer([text("Hel"), Hang()]),
    "hang-after-headers": lambda: Answer([Hang()]),
    "hang-before-headers": lambda: Answer(before_headers=Hang()),
    "close-before-headers": lambda: Answer(before_headers=Cut()),
    "empty-body": lambda: Answer([]),
    "400-context": lambda: error(
        400,
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
        code="context_length_exceeded",
        type="invalid_request_error",
    ),
    "400-context-litellm": lambda: error(
        400,
        "litellm.ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: "
        "OpenAIException - This model's maximum context length is 8192 tokens.",
        code="400",
    ),
    "400-context-llama": lambda: error(
        400,
        "request (6031 tokens) exceeds the available context size (4096 tokens), try increasing it",
        type="exceed_context_size_error",
    ),
    "400-model-litellm": lambda: error(
        400, "litellm.BadRequestError: There are no healthy deployments for this model."
    ),
    "400-key-litellm": lambda: error(400, "No connected db."),
    "400": lambda: error(400, "temperature must be at most 2"),
    "401": lambda: error(401, "Incorrect API key provided: sk-verysecretkey123."),
    "403": lambda: error(403, "Forbidden"),
    "404": lambda: Answer([b"404 page not found"], 404, "text/plain"),
    "404-model": lambda: error(404, "The model `x` does not exist", code="model_not_found"),
    "404-ollama": lambda: error(404, 'model "x" not found, try pulling it first'),
    "429": lambda: error(429, "Rate limit reached"),
    "429-quota": lambda: error(429, "You exceeded your current quota", code="insufficient_quota"),
    "429-retry-after": lambda: Answer.json({"error": {"message": "busy"}}, 429, Retry_After="1"),
    "429-long": lambda: Answer.json({"error": {"message": "busy"}}, 429, Retry_After="3600"),
    "429-cooldown": lambda: error(
        429, "No deployments available for selected model, Try again in 1 seconds."
    ),
    "500": lambda: error(500, "Internal Server Error"),
    "500-html": lambda: Answer([_HTML], 500, "text/html"),
    "503": lambda: Answer([], 503, "text/plain"),
    "redirect": lambda: Answer([], 302, "text/plain", {"Location": "http://127.0.0.1:9/other"}),
}
