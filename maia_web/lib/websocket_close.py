"""WebSocket close: the codes with which the server closes a WebSocket, and the end of one.

Only codes from 4000: of the others, servers let an application send 1000 alone (RFC 6455, 7.4.2).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from enum import IntEnum
from typing import Any

Message = dict[str, Any]
Send = Callable[[Message], Awaitable[None]]


class Close(IntEnum):
    """Why the server closed; docs/websocket.md lists them with these words."""

    why: str

    def __new__(cls, code: int, why: str) -> Close:
        """Keeps the words beside the code."""
        member = int.__new__(cls, code)
        member._value_, member.why = code, why
        return member

    TERMINAL_SIGNED_OUT = 4001, "a terminal: nobody is signed in here any more"
    TERMINAL_FORBIDDEN = 4003, "a terminal: your role allows none here"
    TERMINAL_GONE = 4004, "a terminal: there is none of this name, or it was closed"
    SIGNED_OUT = 4401, "nobody is signed in here any more: sign in, then connect"
    TOO_SLOW = 4408, "you read too slowly: connect again"
    BROKEN = 4500, "it could not be written to: connect again"


async def sent(send: Send, message: Message) -> bool:
    """Sends a message; returns False where the client is gone, which is no fault of anybody."""
    try:
        await send(message)
    except (OSError, RuntimeError):  # uvicorn says one, or both; daphne's `Disconnected` the other
        return False
    return True


async def closed(send: Send, code: Close) -> None:
    """Closes the socket, if it is still open."""
    await sent(send, {"type": "websocket.close", "code": int(code)})
