"""Sockets of real people against the whole ASGI application."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import orjson
import pytest
from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.db import connections

from agents.models import Agent
from agents.services.channels.channels import create_channel
from maia_web.accounts.models import User
from maia_web.asgi import application
from maia_web.lib.db import in_db
from tests.cast import Cast, make_cast

ORIGIN = settings.ORIGINS[0]


def sign_in(user: User) -> str:
    """Returns the key of a new session of this person."""
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return str(session.session_key)


class Socket:
    """A socket that speaks frames."""

    def __init__(self, communicator: WebsocketCommunicator, session: str) -> None:
        self._raw = communicator
        self.session = session
        self._frames: list[dict[str, Any]] = []

    async def send(self, text: str) -> None:
        await self._raw.send_to(text_data=text)

    async def frame(self) -> dict[str, Any]:
        while not self._frames:
            body = orjson.loads(await self._raw.receive_from(timeout=60))
            self._frames += body if isinstance(body, list) else [body]
        return self._frames.pop(0)

    async def until(self, type: str, **fields: Any) -> dict[str, Any]:
        while True:
            frame = await self.frame()
            if frame["type"] == type and fields.items() <= frame.items():
                return frame

    async def command(self, type: str, **fields: Any) -> dict[str, Any]:
        """Sends a command and returns its ack or error."""
        ref = f"{type}-{len(fields)}"
        await self.send(orjson.dumps({"type": type, "clientRef": ref, **fields}).decode())
        while True:
            frame = await self.frame()
            if frame["type"] in ("ack", "error") and frame.get("clientRef") == ref:
                return frame

    async def leave(self) -> None:
        """Goes away; returns when the server has done with all it was sent."""
        await self._raw.disconnect()

    async def closed_with(self) -> int:
        while True:
            output = await self._raw.receive_output(timeout=60)
            if output["type"] == "websocket.close":
                return int(output.get("code", 1000))


Connect = Callable[[User], Coroutine[Any, Any, Socket]]


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    Agent.objects.get_or_create(name="maia", defaults={"kind": "maia"})
    return make_cast()


@pytest.fixture
def channel(cast: Cast) -> str:
    return create_channel(cast.alice.pk, cast.atelier.id, "release", members=("maia",))


def communicator(
    session: str | None, origin: str | None = ORIGIN, *, speaks: str = "", cookie: str = ""
) -> WebsocketCommunicator:
    """A socket of a browser that `speaks` a language; `cookie` more than that of the session."""
    headers = [(b"host", b"localhost")]
    if speaks:
        headers.append((b"accept-language", speaks.encode()))
    if origin is not None:
        headers.append((b"origin", origin.encode()))
    if session is not None:
        headers.append((b"cookie", f"{settings.SESSION_COOKIE_NAME}={session}{cookie}".encode()))
    return WebsocketCommunicator(application, "/ws", headers=headers)


@pytest.fixture
async def connect(cast: Cast) -> AsyncIterator[Connect]:
    opened: list[WebsocketCommunicator] = []

    async def open_socket(user: User) -> Socket:
        session = await in_db(sign_in)(user)
        raw = communicator(session)
        connected, _protocol = await raw.connect()
        assert connected
        opened.append(raw)
        socket = Socket(raw, session)
        await socket.until("channels:changed")
        return socket

    yield open_socket
    from maia_web.asgi import shutdown

    for raw in opened:
        await raw.disconnect()
    await shutdown()
    await in_db(connections.close_all)()
