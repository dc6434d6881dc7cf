"""The socket of a terminal, as a plain ASGI application: no thread hop for a keystroke."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

import orjson
from django.db import DatabaseError
from django.utils import translation
from django.utils.translation import gettext as _

from maia_web.accounts.selectors import Present, present, signed_in
from maia_web.lib.db import in_db
from maia_web.lib.errors import MaiaError, NotSignedIn
from maia_web.lib.websocket_close import Close, closed, sent
from workspaces.selectors import workspace_for
from workspaces.terminals.frames import Ack, Focus, Resize, ServerFrame, TerminalError, parse_frame
from workspaces.terminals.host import ROUND_SECONDS, TerminalHost, terminals
from workspaces.terminals.terminal import Terminal
from workspaces.terminals.view import Refusal, Size, View

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

logger = logging.getLogger(__name__)
MAX_BYTES = 1_048_576
CUT_OFF_SECONDS = 5.0
_CODES = {401: Close.TERMINAL_SIGNED_OUT, 404: Close.TERMINAL_GONE}


class TerminalSocket:
    """Serves `/ws/terminal/<id>`; the Origin was checked around it, the rest is here."""

    def __init__(
        self, host: TerminalHost = terminals, *, round_seconds: float = ROUND_SECONDS
    ) -> None:
        self._host = host
        self._round = round_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one socket until either side leaves."""
        if (await receive())["type"] != "websocket.connect":
            return
        if not await sent(send, {"type": "websocket.accept"}):
            return
        seat = Seat(scope)
        try:
            terminal = await self._terminal_for(seat)
        except MaiaError as error:
            await _refuse(send, *_refusal(error))
            return
        view = terminal.attach(partial(self._check, seat, translation.get_language()))
        try:
            await self._serve(terminal, view, receive, send)
        finally:
            terminal.detach(view)

    async def _serve(self, terminal: Terminal, view: View, receive: Receive, send: Send) -> None:
        tasks = {
            asyncio.create_task(_listen(terminal, view, receive), name="terminal listens"),
            asyncio.create_task(_speak(view, send), name="terminal speaks"),
            asyncio.create_task(_cut_off(view, send), name="terminal ends"),
            asyncio.create_task(self._look_again(view), name="terminal checks"),
        }
        try:
            done, _pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        for task in done:
            task.result()

    async def _look_again(self, view: View) -> None:
        """Ends the socket of a person who may not have it, also where no word of it arrived.

        To do so at once is up to `TerminalHost.recheck`.
        """
        while True:
            await asyncio.sleep(self._round)
            try:
                refusal = await view.check()
            except DatabaseError:
                logger.exception("the right to a terminal could not be checked; trying again")
                continue
            if refusal is not None:
                view.push(refusal[0])
                view.end(refusal[1])

    async def _check(self, seat: Seat, language: str | None) -> Refusal | None:
        with translation.override(language):
            try:
                await self._terminal_for(seat)
            except MaiaError as error:
                return _refusal(error)
        return None

    async def _terminal_for(self, seat: Seat) -> Terminal:
        user = await in_db(seat.person)()
        if seat.language:
            translation.activate(seat.language)
        terminal = self._host.get(user, seat.terminal)
        await in_db(workspace_for)(user, terminal.place.workspace, "editor")
        return terminal


class Seat:
    """Who sits at a socket: the person of a session, which may go on under another key."""

    def __init__(self, scope: Scope) -> None:
        self._cookies: Mapping[str, str] = scope["cookies"]
        self._known: Present | None = None
        self.terminal = str(scope["path"]).rstrip("/").rpartition("/")[2]

    @property
    def language(self) -> str:
        """The language they chose, "" for none."""
        return self._known.user.language if self._known else ""

    def person(self) -> int:
        """Returns the person's id, from the rows as they are now; raises NotSignedIn."""
        known = self._known
        found = present(known.user.pk, known.session) if known else signed_in(self._cookies)
        if found is None:
            raise NotSignedIn(_("Sign in first."))
        self._known = found
        return int(found.user.pk)


async def _listen(terminal: Terminal, view: View, receive: Receive) -> None:
    while True:
        message = await receive()
        if message["type"] == "websocket.disconnect":
            return
        await terminal.sure()
        data = message.get("bytes")
        if data is not None:
            _typed(terminal, view, data)
        else:
            _told(terminal, view, message.get("text") or "")


def _typed(terminal: Terminal, view: View, data: bytes) -> None:
    """Gives the shell what was typed, or answered; whose keys come has the keyboard.

    On another device nothing tells that the focus came back. An answer begins with ESC.
    """
    if not data.startswith(b"\x1b"):
        terminal.focus(view)
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
        case Focus():
            terminal.focus(view)
        case None:
            message = _("This is not a frame of a terminal.")
            view.push(TerminalError(code="invalid", message=message))


async def _speak(view: View, send: Send) -> None:
    while True:
        for item in await view.take():
            if not await sent(send, _message(item)):
                return
        if view.closed and not view.pending:
            await closed(send, view.closed)
            return


async def _cut_off(view: View, send: Send) -> None:
    """Closes the socket for a writer that cannot: its client takes nothing any more."""
    await view.over.wait()
    await asyncio.sleep(CUT_OFF_SECONDS)
    if view.closed:
        await closed(send, view.closed)


def _message(item: bytes | ServerFrame) -> dict[str, Any]:
    if isinstance(item, bytes):
        return {"type": "websocket.send", "bytes": item}
    return {"type": "websocket.send", "text": orjson.dumps(item.wire()).decode()}


def _refusal(error: MaiaError) -> Refusal:
    """Returns why the socket ends, and the code; a foreign terminal looks like one that never was.

    In the language of whoever is refused.
    """
    code = _CODES.get(error.status, Close.TERMINAL_FORBIDDEN)
    gone = code is Close.TERMINAL_GONE
    message = _("There is no such terminal.") if gone else error.message
    return TerminalError(code=error.code, message=message), code


async def _refuse(send: Send, frame: TerminalError, code: Close) -> None:
    if await sent(send, _message(frame)):
        await closed(send, code)


terminal_socket = TerminalSocket()
