"""The socket of a terminal, as a plain ASGI application: no thread hop for a keystroke."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import orjson
from django.contrib.auth import get_user
from django.contrib.sessions.backends.db import SessionStore
from django.utils.translation import gettext as _

from maia_web.lib.db import in_db
from maia_web.lib.errors import MaiaError, NotFound, NotSignedIn
from workspaces.selectors import workspace_for
from workspaces.terminals.frames import Ack, Resize, ServerFrame, TerminalError, parse_frame
from workspaces.terminals.host import ROUND_SECONDS, TerminalHost, terminals
from workspaces.terminals.terminal import Size, Terminal, View

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

MAX_BYTES = 1_048_576
_CLOSE = {401: 4001, 403: 4003, 404: 4004}
_OVERLOADED = 1013


class TerminalSocket:
    """Serves `/ws/terminal/<id>`; sign-in and Origin were checked around it, the rest is here."""

    def __init__(
        self, host: TerminalHost = terminals, *, round_seconds: float = ROUND_SECONDS
    ) -> None:
        self._host = host
        self._round = round_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one socket until either side leaves."""
        if (await receive())["type"] != "websocket.connect":
            return
        await send({"type": "websocket.accept"})
        try:
            terminal = await self._terminal_for(scope)
        except MaiaError as error:
            await _refuse(send, error)
            return
        view = terminal.attach()
        try:
            await self._serve(terminal, view, scope, receive, send)
        finally:
            terminal.detach(view)

    async def _serve(
        self, terminal: Terminal, view: View, scope: Scope, receive: Receive, send: Send
    ) -> None:
        tasks = {
            asyncio.create_task(_listen(terminal, view, receive), name="terminal listens"),
            asyncio.create_task(_speak(view, send), name="terminal speaks"),
            asyncio.create_task(self._check(scope, send), name="terminal checks"),
        }
        try:
            done, _pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        for task in done:
            task.result()

    async def _check(self, scope: Scope, send: Send) -> None:
        """Ends the socket of somebody who signed out or lost their role, within 30 s."""
        while True:
            await asyncio.sleep(self._round)
            try:
                await self._terminal_for(scope)
            except MaiaError as error:
                await _refuse(send, error)
                return

    async def _terminal_for(self, scope: Scope) -> Terminal:
        user = await in_db(_signed_in)(scope)
        terminal = self._host.get(user, _terminal_id(scope))
        await in_db(workspace_for)(user, terminal.place.workspace, "editor")
        return terminal


def _terminal_id(scope: Scope) -> str:
    return str(scope["path"]).rstrip("/").rpartition("/")[2]


def _signed_in(scope: Scope) -> int:
    """Returns the person's id, from the session as it is now; raises NotSignedIn."""
    user = scope.get("user")
    session = scope.get("session")
    if session is not None and session.session_key:
        request: Any = SimpleNamespace(session=SessionStore(session.session_key))
        user = get_user(request)
    if user is None or not user.is_authenticated or not user.is_active:
        raise NotSignedIn(_("Sign in first."))
    return int(user.pk)


async def _listen(terminal: Terminal, view: View, receive: Receive) -> None:
    while True:
        message = await receive()
        if message["type"] == "websocket.disconnect":
            return
        data = message.get("bytes")
        if data is not None:
            _typed(terminal, view, data)
        else:
            _told(terminal, view, message.get("text") or "")


def _typed(terminal: Terminal, view: View, data: bytes) -> None:
    if len(data) > MAX_BYTES:
        view.push(TerminalError(code="too-large", message=_("That is too much at once.")))
    elif not terminal.type(data):
        view.push(TerminalError(code="busy", message=_("The program does not read its input.")))


def _told(terminal: Terminal, view: View, text: str) -> None:
    frame = parse_frame(text) if len(text) <= MAX_BYTES else None
    match frame:
        case Resize(cols=cols, rows=rows):
            terminal.resize(view, Size(cols, rows))
        case Ack(bytes=count):
            terminal.acknowledge(view, count)
        case None:
            message = _("This is not a frame of a terminal.")
            view.push(TerminalError(code="invalid", message=message))


async def _speak(view: View, send: Send) -> None:
    while True:
        for item in await view.take():
            if isinstance(item, bytes):
                await send({"type": "websocket.send", "bytes": item})
            else:
                await send({"type": "websocket.send", "text": _encoded(item)})
        if view.closed:
            await send({"type": "websocket.close", "code": _OVERLOADED})
            return


def _encoded(frame: ServerFrame) -> str:
    return orjson.dumps(frame.wire()).decode()


async def _refuse(send: Send, error: MaiaError) -> None:
    """Tells a client why and closes; a foreign terminal looks like one that never was."""
    if isinstance(error, NotFound):
        error = NotFound(_("There is no such terminal."))
    frame = TerminalError(code=error.code, message=error.message)
    await send({"type": "websocket.send", "text": _encoded(frame)})
    await send({"type": "websocket.close", "code": _CLOSE.get(error.status, 1008)})


terminal_socket = TerminalSocket()
