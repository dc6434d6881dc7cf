"""A reader of one conversation over a real WebSocket: folds frames as a browser does.

A gap, a reset or a lost connection makes it subscribe again, and nothing else does: what it shows
is what a person at that tab would see.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx

from agents.domain.content.messages import Message
from agents.domain.content.parts import TextPart, ToolPart
from agents.domain.content.transcript import OutOfOrder
from agents.domain.rules.requests import PermissionRequest
from agents.protocol.frames import FRAME, ChannelReset, ChannelSnapshot
from agents.protocol.state import apply_frame
from tests.support.server import MaiaServer, Socket

SECONDS = 180.0


def said(message: Message) -> str:
    """The text of a message."""
    return "".join(part.text for part in message.parts if isinstance(part, TextPart))


def tools(message: Message) -> list[ToolPart]:
    """The tool calls of a message."""
    return [part for part in message.parts if isinstance(part, ToolPart)]


def last_said(state: ChannelSnapshot) -> str:
    """The text of the last message."""
    return said(state.messages[-1]) if state.messages else ""


def pending(state: ChannelSnapshot) -> list[PermissionRequest]:
    """The requests that wait."""
    return [one for one in state.permissions if one.state == "pending"]


def idle(state: ChannelSnapshot) -> bool:
    """Whether everything that was said is answered."""
    done = all(message.done for message in state.messages)
    return done and not state.busy and not state.queued and state.messages[-1].role != "user"


def essence(state: ChannelSnapshot) -> dict[str, Any]:
    """What every reader must see alike, whenever they joined."""
    return {
        "seq": state.seq,
        "messages": state.messages,
        "busy": state.busy,
        "queued": state.queued,
        "answering": state.answering,
        "permissions": sorted(state.permissions, key=lambda one: one.id),
        "usage": state.usage,
    }


class Reader:
    """One tab on one channel."""

    state: ChannelSnapshot

    def __init__(self, socket: Socket, channel: str) -> None:
        self.socket = socket
        self.channel = channel
        self.subscriptions = 0
        self._seen = 0
        self._stale = True

    @property
    def shown(self) -> ChannelSnapshot | None:
        """What it shows; None while it knows that it is behind."""
        return None if self._stale else self.state

    async def until(
        self, true: Callable[[ChannelSnapshot], object], seconds: float = SECONDS
    ) -> ChannelSnapshot:
        """Returns the state once it satisfies a condition; fails when that takes too long."""
        try:
            async with asyncio.timeout(seconds):
                while True:
                    if self._fold_new():
                        await self._subscribe()
                    elif not self._stale and true(self.state):
                        return self.state
                    else:
                        await self.socket.more(self._seen)
        except TimeoutError:
            shown = self.state.model_dump_json()[-3000:] if hasattr(self, "state") else "nothing"
            raise AssertionError(f"not within {seconds} s; shown is {shown}") from None

    async def until_idle(self, seconds: float = SECONDS) -> ChannelSnapshot:
        """Waits until the last answer is finished and nothing waits."""
        return await self.until(idle, seconds)

    async def until_fresh(self, client: httpx.Client) -> None:
        """Waits until this tab shows what a new one would: the context's bar may come last."""
        await self.until(lambda state: essence(state) == essence(fresh(client, self.channel)))

    async def send(self, text: str) -> None:
        """Says something."""
        await self.socket.command("channel:send", channel=self.channel, text=text)

    async def answer(self, request: PermissionRequest, option: str, **more: Any) -> None:
        """Answers a permission request."""
        await self.socket.command("permission:answer", id=request.id, option=option, **more)

    async def _subscribe(self) -> None:
        self._stale = True
        self.subscriptions += 1
        await self.socket.command("channel:subscribe", channel=self.channel)

    def _fold_new(self) -> bool:
        """Folds what came since; returns whether to subscribe (again)."""
        frames = self.socket.frames
        while self._seen < len(frames):
            frame = FRAME.validate_python(frames[self._seen])
            self._seen += 1
            if isinstance(frame, ChannelSnapshot) and frame.channel.id == self.channel:
                self.state, self._stale = frame, False
            elif isinstance(frame, ChannelReset):
                self._stale = True
                return True
            elif not self._stale:
                try:
                    self.state = apply_frame(self.state, frame)
                except OutOfOrder:
                    self._stale = True
                    return True
        return not self.subscriptions


@asynccontextmanager
async def reading(server: MaiaServer, client: httpx.Client, channel: str) -> AsyncIterator[Reader]:
    """Opens a tab of this person on a channel and waits until it shows something."""
    async with server.socket(client) as socket:
        reader = Reader(socket, channel)
        await reader.until(lambda _state: True)
        yield reader


def fresh(client: httpx.Client, channel: str) -> ChannelSnapshot:
    """The conversation as REST gives it."""
    answer = client.get(f"/api/channels/{channel}")
    answer.raise_for_status()
    return ChannelSnapshot.model_validate(answer.json())
