"""A terminal's socket driven by a test, without a network."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any

Application = Callable[..., Coroutine[Any, Any, None]]


class SocketClient:
    """Speaks ASGI to an application as a browser's WebSocket would."""

    def __init__(self, application: Application, path: str, **scope: Any) -> None:
        self._in: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._out: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        full = {"type": "websocket", "path": path, "headers": [], **scope}
        self._task = asyncio.create_task(application(full, self._in.get, self._out.put))
        self.screen = b""
        self.frames: list[dict[str, Any]] = []
        self.close_code: int | None = None
        self._in.put_nowait({"type": "websocket.connect"})

    def type(self, text: str) -> None:
        self._in.put_nowait({"type": "websocket.receive", "bytes": text.encode()})

    def say(self, frame: Any) -> None:
        text = frame if isinstance(frame, str) else json.dumps(frame)
        self._in.put_nowait({"type": "websocket.receive", "text": text})

    async def step(self) -> None:
        message = await self._out.get()
        if message["type"] == "websocket.close":
            self.close_code = message.get("code")
        elif message.get("bytes") is not None:
            self.screen += message["bytes"]
        elif message.get("text"):
            self.frames.append(json.loads(message["text"]))

    async def until(self, text: str) -> bytes:
        """Waits until `text` is on the screen; returns all of it."""
        async with asyncio.timeout(10):
            while text.encode() not in self.screen:
                await self.step()
        return self.screen

    async def until_frame(self, type: str) -> dict[str, Any]:
        async with asyncio.timeout(10):
            while not any(frame["type"] == type for frame in self.frames):
                await self.step()
        return next(frame for frame in self.frames if frame["type"] == type)

    async def until_closed(self) -> int:
        async with asyncio.timeout(10):
            while self.close_code is None:
                await self.step()
        return self.close_code

    async def leave(self) -> None:
        self._in.put_nowait({"type": "websocket.disconnect", "code": 1001})
        async with asyncio.timeout(10):
            await self._task
