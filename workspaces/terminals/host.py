"""Keeps the terminals of this process: opens, finds, watches over and closes them."""

from __future__ import annotations

import asyncio
import contextvars
import logging
import time
from contextlib import suppress

from django.utils.translation import gettext as _

from maia_web.lib.errors import Conflict, NotFound, TooMuch
from maia_web.lib.ids import new_id
from maia_web.lib.websocket_close import Close
from workspaces.domain.places import Place
from workspaces.sandboxes.repositories import folders_with_repositories
from workspaces.terminals.frames import TerminalError
from workspaces.terminals.shell import start_shell
from workspaces.terminals.terminal import Allowed, Terminal

MOST_PER_PLACE = 10
IDLE_SECONDS = 8 * 3600.0
KEPT_SECONDS = 600.0
ROUND_SECONDS = 30.0
AGAIN_SECONDS = 1.0

logger = logging.getLogger(__name__)


class TerminalHost:
    """The terminals of one process, by their ids; each belongs to one person."""

    def __init__(self, *, round_seconds: float = ROUND_SECONDS) -> None:
        self._terminals: dict[str, Terminal] = {}
        self._guards: dict[str, asyncio.Task[None]] = {}
        self._allowed: dict[str, Allowed] = {}
        self._round = round_seconds

    async def open(
        self, place: Place, cols: int, rows: int, allowed: Allowed, name: str = ""
    ) -> Terminal:
        """Starts a shell in the sandbox of the place.

        `allowed` is asked whether its person may still have it, whenever their rights changed and
        every 30 s. Raises TooMuch at the limit, Conflict if nothing can run here.
        """
        self._check_count(place)
        terminal = Terminal(new_id(), place, name or self._free_name(place), self._ended)
        self._terminals[terminal.id] = terminal  # counted from now on
        try:
            folders = await asyncio.to_thread(folders_with_repositories, place)
            await start_shell(terminal, folders, cols, rows)
        except (OSError, ValueError) as error:
            del self._terminals[terminal.id]
            raise Conflict(
                _("No terminal can run here: %(why)s") % {"why": error}, code="no-sandbox"
            ) from error
        except BaseException:
            del self._terminals[terminal.id]
            raise
        self._allowed[terminal.id] = allowed
        self._guards[terminal.id] = asyncio.create_task(
            self._guard(terminal),
            name=f"terminal {terminal.id}",
            context=contextvars.Context(),  # the request that opened it ends; the guard does not
        )
        return terminal

    def of(self, user: int, workspace: str) -> tuple[Terminal, ...]:
        """Returns this person's terminals in a workspace, oldest first."""
        return tuple(
            one
            for one in self._terminals.values()
            if (one.place.user, one.place.workspace) == (user, workspace)
        )

    def get(self, user: int, terminal: str) -> Terminal:
        """Returns a terminal of this person; raises NotFound for any other."""
        found = self._terminals.get(terminal)
        if found is None or found.place.user != user:
            raise NotFound(_("There is no such terminal."))
        return found

    async def close(self, terminal: Terminal, error: TerminalError | None = None) -> None:
        """Hangs the shell up, with everything it started, and forgets the terminal.

        With an `error`, what its sockets are told for lack of rights, they are cut off before.
        """
        if error is not None:
            terminal.end(error, Close.TERMINAL_FORBIDDEN)
        self._terminals.pop(terminal.id, None)
        self._allowed.pop(terminal.id, None)
        guard = self._guards.pop(terminal.id, None)
        if guard is not None and guard is not asyncio.current_task():
            guard.cancel()
            with suppress(asyncio.CancelledError):
                await guard
        await terminal.pty.close()
        terminal.end()

    async def close_in(self, workspace: str, user: int | None = None) -> None:
        """Closes the terminals in a workspace: this person's, or everybody's."""
        inside = [
            one
            for one in self._terminals.values()
            if one.place.workspace == workspace and user in (None, one.place.user)
        ]
        await asyncio.gather(*(self.close(one) for one in inside))

    async def recheck(self, user: int | None = None) -> None:
        """A person's rights changed, or perhaps everybody's: cuts off what they lost, at once.

        Nothing that is typed meanwhile reaches a shell. Where the rights cannot be read, it looks
        again until they can.
        """
        theirs = [one for one in self._terminals.values() if user in (None, one.place.user)]
        await asyncio.gather(*(self._recheck(one) for one in theirs))

    async def _recheck(self, terminal: Terminal) -> None:
        with terminal.doubted():
            while terminal.id in self._terminals:
                try:
                    await _drop_strangers(terminal)
                    await self._close_forbidden(terminal)
                except Exception:
                    logger.exception("the right to terminal %s could not be checked", terminal.id)
                    await asyncio.sleep(AGAIN_SECONDS)
                else:
                    return

    async def close_all(self) -> None:
        """Closes every terminal of this process, as at its end."""
        await asyncio.gather(*(self.close(one) for one in tuple(self._terminals.values())))

    def _check_count(self, place: Place) -> None:
        running = [one for one in self.of(place.user, place.workspace) if one.code is None]
        if len(running) >= MOST_PER_PLACE:
            raise TooMuch(
                _("At most %(count)d terminals at once.") % {"count": MOST_PER_PLACE},
                code="too-many-terminals",
            )

    def _free_name(self, place: Place) -> str:
        taken = {one.name for one in self.of(place.user, place.workspace)}
        names = ("bash", *(f"bash {number}" for number in range(2, 1_000)))
        return next(name for name in names if name not in taken)

    def _ended(self, terminal: Terminal) -> None:
        terminal.used = time.monotonic()

    async def _guard(self, terminal: Terminal) -> None:
        """Closes a terminal nobody uses any more, or whose person lost the right to it."""
        while True:
            await asyncio.sleep(self._round)
            try:
                await _drop_strangers(terminal)
                if await self._close_forbidden(terminal):
                    return
            except Exception:
                logger.exception("the right to terminal %s could not be checked", terminal.id)
            limit = IDLE_SECONDS if terminal.code is None else KEPT_SECONDS
            if not terminal.watched and time.monotonic() - terminal.used > limit:
                await self.close(terminal)
                return

    async def _close_forbidden(self, terminal: Terminal) -> bool:
        allowed = self._allowed.get(terminal.id)
        if allowed is None or await allowed():
            return False
        if terminal.id in self._terminals:
            message = _("You have no terminal here any more.")
            await self.close(terminal, TerminalError(code="not-allowed", message=message))
        return True


async def _drop_strangers(terminal: Terminal) -> None:
    """Cuts off the sockets whose person signed out there, or has no role here any more."""
    for view in terminal.views:
        refusal = await view.check()
        if refusal is not None:
            view.push(refusal[0])
            view.end(refusal[1])


terminals = TerminalHost()
