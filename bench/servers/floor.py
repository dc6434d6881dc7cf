"""F: a bare fan-out. Reads the model's stream and writes each delta to the sockets; nothing else.

`python -m bench.servers.floor --port 8001 --model http://127.0.0.1:4999`, under daphne (or uvicorn
with MAIA_SERVER=uvicorn). A socket that connects to `/ws/<room>` joins the room; the text it sends
names the model's stream that the room gets. `/pty` is a terminal, `/` a page.
"""

from __future__ import annotations

import argparse
import asyncio
import os
from collections import defaultdict
from typing import Any

import httpx
import orjson

from bench.servers.bare_pty import PATH as PTY
from bench.servers.bare_pty import bare_pty

PATH = "/v1/chat/completions"


class Reader:
    """One socket: a pending list and a writer."""

    def __init__(self, send: Any) -> None:
        self._send = send
        self._pending: list[bytes] = []
        self._news = asyncio.Event()

    def push(self, body: bytes) -> None:
        """Queues a frame."""
        self._pending.append(body)
        self._news.set()

    async def run(self) -> None:
        """Writes what is pending, all at once."""
        while True:
            await self._news.wait()
            self._news.clear()
            pending, self._pending = self._pending, []
            body = pending[0] if len(pending) == 1 else b"[" + b",".join(pending) + b"]"
            await self._send({"type": "websocket.send", "text": body.decode()})


class Floor:
    """The application."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._rooms: defaultdict[str, set[Reader]] = defaultdict(set)
        self._tasks: set[asyncio.Task[None]] = set()
        self._client: httpx.AsyncClient | None = None

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"ready"})
        elif scope["type"] == "websocket":
            await self._socket(scope["path"], receive, send)

    async def _socket(self, room: str, receive: Any, send: Any) -> None:
        await receive()
        if room == PTY:
            await bare_pty(receive, send)
            return
        await send({"type": "websocket.accept"})
        reader = Reader(send)
        writer = asyncio.create_task(reader.run())
        self._rooms[room].add(reader)
        try:
            while (message := await receive())["type"] == "websocket.receive":
                self._spawn(self._stream(room, message["text"]))
        finally:
            self._rooms[room].discard(reader)
            writer.cancel()

    def _spawn(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _stream(self, room: str, name: str) -> None:
        self._client = self._client or httpx.AsyncClient(trust_env=False, timeout=60)
        body = {"model": name, "stream": True, "messages": [{"role": "user", "content": name}]}
        offset = 0
        async with self._client.stream("POST", self._model + PATH, json=body) as answer:
            rest = b""
            async for chunk in answer.aiter_raw():
                *events, rest = (rest + chunk).split(b"\n\n")
                for event in events:
                    text = _text(event)
                    if text:
                        self._publish(room, text, offset)
                        offset += len(text)

    def _publish(self, room: str, text: str, offset: int) -> None:
        frame = {"type": "message:delta", "index": 0, "kind": "text", "text": text}
        body = orjson.dumps({**frame, "offset": offset, "channel": room, "messageId": "1"})
        for reader in self._rooms[room]:
            reader.push(body)


def _text(event: bytes) -> str:
    if not event.startswith(b"data: {"):
        return ""
    choices = orjson.loads(event[6:]).get("choices") or [{}]
    return str(choices[0].get("delta", {}).get("content") or "")


def main() -> None:
    """Serves until it is ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--model", required=True)
    options = parser.parse_args()
    application = Floor(options.model)
    if os.environ.get("MAIA_SERVER") == "uvicorn":
        import uvicorn

        uvicorn.run(
            application,
            port=options.port,
            lifespan="off",
            log_level="warning",
            ws_per_message_deflate=False,
        )
        return
    from daphne.server import Server

    Server(application, endpoints=[f"tcp:port={options.port}:interface=127.0.0.1"]).run()


if __name__ == "__main__":
    main()
