"""The shell of a terminal: started in its sandbox, its jobs held to the bounds of commands."""

from __future__ import annotations

import asyncio
import contextvars
from dataclasses import replace

from django.utils.translation import get_language

from workspaces.domain.argv import SETTINGS, terminal_command
from workspaces.domain.bounds import FILE_MB, Reached
from workspaces.domain.paths import Where
from workspaces.sandboxes.base import PlaceRuntime, runtime_of
from workspaces.sandboxes.bubblewrap import Rights, prepare
from workspaces.sandboxes.cgroups import Cgroup
from workspaces.sandboxes.folders import Folders
from workspaces.sandboxes.local import unconfined_spawn
from workspaces.sandboxes.people import git_identity
from workspaces.sandboxes.process import Spawn
from workspaces.sandboxes.watchdog import JobWatch, limits, make_group, no_room, remove_group
from workspaces.terminals.terminal import Terminal

# Where no space is left: an interactive bash ends at the signal for less, as for its history.
_SMALL_MB = 8
_ENVIRONMENT = {
    "TERM": "xterm-256color",
    "COLORTERM": "truecolor",
    "INPUTRC": f"{SETTINGS}/inputrc",  # an agent could bind a key to a command in ~/.inputrc
}


async def start_shell(terminal: Terminal, folders: Folders, cols: int, rows: int) -> None:
    """Starts the shell; raises OSError or ValueError with the reason if nothing may run.

    A job that reaches a bound is ended, and the terminal says so in its opener's language. Where
    too little space is left, only small files can be written from it, to make room.
    """
    found, language = await runtime_of(terminal.place), get_language() or "en"
    folders = replace(folders, identity=await git_identity(terminal.place.user))
    frozen = await asyncio.to_thread(no_room, folders.workspace)
    group = make_group(found.probed.cgroups)
    try:
        spawn = _spawn(found, folders, frozen=frozen, group=group)
        child = terminal.pty.start(spawn, cols, rows, folders.owner)
    except BaseException:
        remove_group(found.probed.cgroups, group)
        raise

    def tell(reached: Reached) -> None:
        terminal.note(reached.sentence(language))

    if frozen:
        tell(Reached("frozen", limits().free))
    watching = asyncio.create_task(
        JobWatch(folders.workspace, group).run(child.pid, tell),
        name=f"bounds of terminal {terminal.id}",
        context=contextvars.Context(),
    )

    def ended(_exited: asyncio.Future[int]) -> None:
        watching.cancel()
        remove_group(found.probed.cgroups, group)

    child.exited.add_done_callback(ended)


def _spawn(found: PlaceRuntime, folders: Folders, *, frozen: bool, group: Cgroup | None) -> Spawn:
    if found.runtime == "unconfined":
        shell = terminal_command(str(folders.under("settings")))
        return unconfined_spawn(folders, Where("workspace", ""), shell, _ENVIRONMENT, own=True)
    return prepare(
        found.probed,
        folders,
        terminal_command(),
        env=_ENVIRONMENT,
        rights=Rights(own=True, file_mb=_SMALL_MB if frozen else FILE_MB),
        report=False,
        group=group,
    ).spawn
