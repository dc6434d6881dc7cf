"""The local runtime: commands of one place in bubblewrap, or why they do not run."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import replace

from workspaces.domain.argv import RIPGREP, as_person
from workspaces.domain.bounds import FILE_MB, TOO_LARGE_FILE, Reached
from workspaces.domain.commands import CommandResult, OnOutput, Run
from workspaces.domain.entries import FileError
from workspaces.domain.git_settings import git_environment, host_gitconfig
from workspaces.domain.paths import FOLDERS, Where, parse_path
from workspaces.domain.places import Place
from workspaces.domain.spelling import raw
from workspaces.sandboxes import programs
from workspaces.sandboxes.bubblewrap import Rights, command_ran, prepare
from workspaces.sandboxes.folders import Folders, folders_of, keep_gitconfig
from workspaces.sandboxes.people import git_identity
from workspaces.sandboxes.process import Outcome, Spawn, run
from workspaces.sandboxes.repositories import folders_with_repositories
from workspaces.sandboxes.status import Probed
from workspaces.sandboxes.watchdog import Watch, limits, make_group, no_room, remove_group


def _not_started(error: str) -> CommandResult:
    return CommandResult("", "not-started", error=error)


def _result(outcome: Outcome, *, frozen: bool = False) -> CommandResult:
    if outcome.reached is not None:
        return _at_bound(outcome.reached, outcome.output, outcome.dropped)
    if outcome.ended == "timeout":
        return CommandResult(outcome.output, "timeout", dropped=outcome.dropped)
    reached = Reached("frozen", limits().free) if frozen else None
    if outcome.exit_code in (-TOO_LARGE_FILE, 128 + TOO_LARGE_FILE):
        reached = Reached("file-size", FILE_MB)
    return CommandResult(
        outcome.output,
        "exited",
        exit_code=outcome.exit_code,
        dropped=outcome.dropped,
        reached=reached,
    )


def _at_bound(reached: Reached, output: str = "", dropped: int = 0) -> CommandResult:
    return CommandResult(output, "bound", dropped=dropped, reached=reached)


class BubblewrapSandbox:
    """Runs commands isolated, as one person in one workspace (the engine's Sandbox port)."""

    def __init__(
        self, place: Place, probed: Probed, *, read_only: bool = False, own: bool = False
    ) -> None:
        self._place = place
        self._probed = probed
        self._read_only = read_only
        self._own = own

    async def run(self, command: Run, on_output: OnOutput | None = None) -> CommandResult:
        """Runs it as `Sandbox.run` says.

        Bounds of memory and of what is written hold for all it starts together; where too little
        space is left, agents' commands do not run and people's cannot write.
        """
        try:
            where = parse_path(command.cwd)
            identity = None if self._read_only else await git_identity(self._place.user)
            folders = await asyncio.to_thread(folders_with_repositories, self._place)
            folders = replace(folders, identity=identity)
            frozen = not self._read_only and await asyncio.to_thread(no_room, folders.workspace)
            if frozen and not self._own:
                return _at_bound(Reached("no-room", limits().free))
            group = None if self._read_only else make_group(self._probed.cgroups)
            prepared = prepare(
                self._probed,
                folders,
                command.argv,
                chdir=raw(where.inside),
                env=command.env,
                rights=Rights(self._read_only, self._own, 0 if frozen else FILE_MB),
                group=group,
            )
        except FileError as error:
            return _not_started(error.message)
        except OSError as error:
            return _not_started(str(error))
        try:
            outcome = await run(
                prepared.spawn,
                command,
                on_output=on_output,
                watch=Watch(folders.workspace, group),
            )
            if outcome.ended == "exited" and not command_ran(prepared.status):
                return _not_started(outcome.output.strip())
            return _result(outcome, frozen=frozen)
        except (OSError, ValueError) as error:
            return _not_started(str(error))
        finally:
            os.close(prepared.status)
            remove_group(self._probed.cgroups, group)


class UnconfinedSandbox:
    """Runs commands without isolation, where an administrator switched that on."""

    def __init__(self, place: Place, *, read_only: bool = False, own: bool = False) -> None:
        self._place = place
        self._read_only = read_only
        self._own = own

    async def run(self, command: Run, on_output: OnOutput | None = None) -> CommandResult:
        """Runs it on this machine, without the server's environment."""
        try:
            where = parse_path(command.cwd)
            identity = None if self._read_only else await git_identity(self._place.user)
            folders = await asyncio.to_thread(folders_of, self._place)
            folders = replace(folders, identity=identity)
            if await asyncio.to_thread(no_room, folders.workspace):
                return _at_bound(Reached("no-room", limits().free))
            outcome = await run(
                unconfined_spawn(
                    folders, where, _on_this_machine(command.argv), command.env, own=self._own
                ),
                command,
                on_output=on_output,
                watch=Watch(folders.workspace),
            )
        except FileError as error:
            return _not_started(error.message)
        except (OSError, ValueError) as error:
            return _not_started(str(error))
        return _result(outcome)


def _on_this_machine(argv: tuple[str, ...]) -> tuple[str, ...]:
    """Finds our own ripgrep where no sandbox shows it at its usual place."""
    program = programs.ripgrep() if RIPGREP in argv else None
    ours = programs.for_everybody(program) if program else RIPGREP
    return tuple(ours if word == RIPGREP else word for word in argv)


def unconfined_spawn(
    folders: Folders,
    where: Where,
    argv: tuple[str, ...],
    env: Mapping[str, str],
    *,
    own: bool = False,
) -> Spawn:
    """Returns a process that only differs from the server by its person and environment."""
    folder = folders.under(where.root)
    variables = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(folders.home),
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        **git_environment(own=own),
        **_git_of(folders),
        **{name: _on_the_host(value, folders) for name, value in env.items()},
    }
    owner = folders.owner
    command = as_person(owner.uid, owner.gid, argv) if owner else argv
    return Spawn(command, variables, cwd=str(folder / where.raw))


def _git_of(folders: Folders) -> dict[str, str]:
    """Returns what makes git read who the person is, below their own settings."""
    if folders.identity is None:
        return {}
    return {"GIT_CONFIG_SYSTEM": str(keep_gitconfig(folders, host_gitconfig(folders.identity)))}


def _on_the_host(value: str, folders: Folders) -> str:
    """Returns a path as a sandbox shows it where it is without one; other values as they are."""
    for root, shown in FOLDERS.items():
        if value == shown or value.startswith(f"{shown}/"):
            return str(folders.under(root)) + value[len(shown) :]
    return value


class NoSandbox:
    """Runs nothing, and says why (security law 5: no sandbox, not run)."""

    def __init__(self, problem: str) -> None:
        self._problem = problem

    async def run(self, command: Run, on_output: OnOutput | None = None) -> CommandResult:
        """Returns "not-started" with the problem."""
        return _not_started(self._problem)
