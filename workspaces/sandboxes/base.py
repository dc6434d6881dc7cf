"""Chooses how commands run in a place; the probe runs once and its answer is kept."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from django.conf import settings
from django.utils.translation import gettext as _

from maia_web.lib import config
from workspaces.domain.commands import CommandResult
from workspaces.domain.places import Place
from workspaces.sandboxes.local import BubblewrapSandbox, NoSandbox, UnconfinedSandbox
from workspaces.sandboxes.probe import probe
from workspaces.sandboxes.status import Probed, SandboxStatus

_answers: dict[Path, Probed] = {}


class Sandbox(Protocol):
    """Runs commands as one person in one workspace."""

    async def run(
        self,
        argv: tuple[str, ...],
        *,
        timeout: float,
        max_output: int,
        on_output: Callable[[str], None] | None = None,
        env: dict[str, str] | None = None,
        cwd: str = ".",
        stop_when_full: bool = False,
    ) -> CommandResult:
        """Runs `argv`; see BubblewrapSandbox."""
        ...


async def probed() -> Probed:
    """Returns what the probe found, trying the sandbox at the first call of this process."""
    data: Path = settings.DATA
    if data not in _answers:  # two first calls at once both try: harmless
        _answers[data] = await probe()
    return _answers[data]


def unconfined_allowed() -> bool:
    """Returns whether an administrator switched commands without isolation on."""
    return config.flag("MAIA_UNCONFINED")


async def runs_unconfined() -> bool:
    """Returns whether commands run without isolation: it is switched on, and no sandbox works."""
    return unconfined_allowed() and (await probed()).bwrap is None


class LazySandbox:
    """The sandbox of a place; which runtime it is shows at the first command."""

    def __init__(self, place: Place, *, read_only: bool = False, own: bool = False) -> None:
        self._place = place
        self._read_only = read_only
        self._own = own

    async def run(
        self,
        argv: tuple[str, ...],
        *,
        timeout: float,
        max_output: int,
        on_output: Callable[[str], None] | None = None,
        env: dict[str, str] | None = None,
        cwd: str = ".",
        stop_when_full: bool = False,
    ) -> CommandResult:
        """Runs `argv`; see BubblewrapSandbox."""
        sandbox = self._chosen(await probed())
        return await sandbox.run(
            argv,
            timeout=timeout,
            max_output=max_output,
            on_output=on_output,
            env=env,
            cwd=cwd,
            stop_when_full=stop_when_full,
        )

    def _chosen(self, found: Probed) -> Sandbox:
        if found.bwrap is not None:
            return BubblewrapSandbox(self._place, found, read_only=self._read_only, own=self._own)
        if unconfined_allowed():
            return UnconfinedSandbox(self._place, own=self._own)
        return NoSandbox(found.problem)


def open_sandbox(place: Place, *, read_only: bool = False, own: bool = False) -> Sandbox:
    """Returns the sandbox of this person in this workspace; nothing is started yet.

    `own`: for what the person types; only then ~/.maia (settings, rules) is there to be read, and
    its skills and tools to be changed.
    """
    return LazySandbox(place, read_only=read_only, own=own)


async def sandbox_status(place: Place) -> SandboxStatus:
    """Returns how commands run in this place, for every page to tell."""
    found = await probed()
    note = "" if os.geteuid() == 0 else _("All members' commands run under the server's own user.")
    if found.bwrap is not None:
        return SandboxStatus(runtime="local", note=note)
    if unconfined_allowed():
        return SandboxStatus(runtime="unconfined", problem=found.problem, note=note, network="open")
    return SandboxStatus(runtime="none", problem=found.problem, note=note)
