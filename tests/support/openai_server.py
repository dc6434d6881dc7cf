"""A scripted OpenAI-compatible server over real HTTP, which can misbehave in every known way.

In a test (its own thread, so that synchronous tests and browsers reach it too):

    with serve() as server:
        server.script(answer(text("Hello")))          # the next request gets this answer
        ... OpenAIChat(Endpoint(server.url), "scripted") ...
        assert server.requests[0].body["messages"]

Without a script the model's name decides: `rate-50x150` streams 150 deltas at 50 a second,
`burst-20000` writes 20,000 at once, a name of `BEHAVIOURS` plays that behaviour, so does
`[[name]]` in the last user message; any other name echoes what the user said.
From a shell: `python -m tests.support.openai_server --port 4999`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from tests.support.openai_behaviours import (
    BEHAVIOURS,
    Answer,
    Cut,
    Gate,
    Hang,
    Pause,
    answer,
    burst,
    rated,
    text,
)

MODELS = ("scripted", "echo", "rate-50x150", "demo-tools")
Chooser = Callable[[dict[str, Any]], Answer | None]


@dataclass
class Recorded:
    """One request as it arrived; `hung_up` is set when the client left before the end."""

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    hung_up: threading.Event = field(default_factory=threading.Event)
    answered: threading.Event = field(default_factory=threading.Event)


class ScriptedServer:
    """Answers on one port, from a queue of scripts, a chooser, or by the model's name."""

    def __init__(self, models: tuple[str, ...] = MODELS, key: str = "") -> None:
        self.models = models
        self.key = key
        self.model_info: dict[str, Any] | None = None
        self.models_answer: Answer | None = None
        self.chooser: Chooser | None = None
        self.requests: list[Recorded] = []
        self.port = 0
        self._scripts: deque[Answer] = deque()
        self._server: asyncio.Server | None = None
        self._arrivals = threading.Condition()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def chats(self) -> list[Recorded]:
        return [one for one in self.requests if one.path.endswith("/chat/completions")]

    def script(self, *answers: Answer) -> None:
        """The next chat requests get these answers, one each."""
        self._scripts.extend(answers)

    def forget(self) -> None:
        """Forgets the scripts that nobody played, the chooser and the requests so far."""
        self._scripts.clear()
        self.chooser = None
        self.requests.clear()

    def wait_for_chats(self, count: int, timeout: float = 10) -> None:
        """Blocks until `count` chat requests have arrived."""
        with self._arrivals:
            assert self._arrivals.wait_for(lambda: len(self.chats) >= count, timeout)

    async def start(self, port: int = 0, host: str = "127.0.0.1") -> None:
        self._server = await asyncio.start_server(self._connection, host, port, limit=1 << 24)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            request = await _read_request(reader)
            if request is not None:
                with self._arrivals:
                    self.requests.append(request)
                    self._arrivals.notify_all()
                await self._respond(request, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def _respond(
        self, request: Recorded, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        play = asyncio.create_task(self._answer_to(request).play(writer))
        left = asyncio.create_task(reader.read(1))
        await asyncio.wait({play, left}, return_when=asyncio.FIRST_COMPLETED)
        if not play.done():
            request.hung_up.set()
            play.cancel()
        left.cancel()
        with suppress(asyncio.CancelledError, ConnectionError):
            await left
        try:
            await play
            request.answered.set()
        except asyncio.CancelledError:
            pass
        except ConnectionError:
            request.hung_up.set()

    def _answer_to(self, request: Recorded) -> Answer:
        if self.key and request.headers.get("authorization") != f"Bearer {self.key}":
            return BEHAVIOURS["401"]()
        if request.path == "/v1/models":
            return self.models_answer or Answer.json(
                {
                    "object": "list",
                    "data": [{"id": name, "object": "model"} for name in self.models],
                }
            )
        if request.path == "/model/info" and self.model_info is not None:
            return Answer.json(self.model_info)
        if not request.path.endswith("/chat/completions"):
            return Answer.json({"detail": "Not Found"}, status=404)
        return self._chat(request.body)

    def _chat(self, body: dict[str, Any]) -> Answer:
        if self._scripts:
            return self._scripts.popleft()
        chosen = self.chooser(body) if self.chooser else None
        return chosen or by_name(body)


def by_name(body: dict[str, Any]) -> Answer:
    """Chooses by the model's name or by `[[name]]` in the last user message; else echoes."""
    model = str(body.get("model", "")).removeprefix("openai/")
    said = last_user_text(body)
    rate = re.search(r"rate-(\d+)x(\d+)", f"{model} {said}")
    if rate:
        return rated(int(rate[1]), int(rate[2]))
    if at_once := re.search(r"burst-(\d+)", f"{model} {said}"):
        return burst(int(at_once[1]))
    marked = re.search(r"\[\[(.+?)\]\]", said)
    name = marked[1] if marked else model
    if name in BEHAVIOURS:
        return BEHAVIOURS[name]()
    return answer(text("You said: "), text(said))


def last_user_text(body: dict[str, Any]) -> str:
    """Returns what the user said last, as text."""
    for message in reversed(body.get("messages") or []):
        if message.get("role") == "user":
            content = message.get("content")
            if isinstance(content, list):
                return " ".join(str(part.get("text", "")) for part in content)
            return str(content or "")
    return ""


async def _read_request(reader: asyncio.StreamReader) -> Recorded | None:
    head = await reader.readuntil(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").rstrip().split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {
        name.lower(): value.strip() for name, _, value in (one.partition(":") for one in lines)
    }
    raw = await reader.readexactly(int(headers.get("content-length") or 0))
    try:
        body = json.loads(raw) if raw else {}
    except ValueError:
        body = {"raw": raw.decode("utf-8", "replace")}
    return Recorded(method, path.partition("?")[0], headers, body)


@contextmanager
def serve(
    port: int = 0, models: tuple[str, ...] = MODELS, key: str = ""
) -> Iterator[ScriptedServer]:
    """Runs a server in a thread of its own on a free port until the block ends."""
    server = ScriptedServer(models, key)
    ready: Future[None] = Future()
    loop = asyncio.new_event_loop()

    async def run(stopping: asyncio.Event) -> None:
        await server.start(port)
        ready.set_result(None)
        await stopping.wait()
        await server.stop()
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    stopping = asyncio.Event()

    def thread() -> None:
        try:
            loop.run_until_complete(run(stopping))
        except OSError as error:
            ready.set_exception(error)
        finally:
            loop.close()

    worker = threading.Thread(target=thread, name="scripted-openai-server", daemon=True)
    worker.start()
    ready.result(10)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stopping.set)
        worker.join(10)


__all__ = [
    "BEHAVIOURS",
    "Answer",
    "Cut",
    "Gate",
    "Hang",
    "Pause",
    "Recorded",
    "ScriptedServer",
    "serve",
]


def main() -> None:
    """Serves until Ctrl+C."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=4999)
    parser.add_argument("--key", default="")
    options = parser.parse_args()
    with serve(options.port, key=options.key) as server:
        print(server.url, flush=True)  # noqa: T201
        with suppress(KeyboardInterrupt):
            while True:
                time.sleep(3600)


if __name__ == "__main__":
    main()
