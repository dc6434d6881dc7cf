"""Chooses how commands run in a place; the probe runs once and its answer is kept."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import assert_never

from django.conf import settings
from django.utils.translation import gettext as _

from maia_web.lib import config
from workspaces.domain.commands import CommandResult, OnOutput, Run, Sandbox
from workspaces.domain.git_settings import committer_environment
from workspaces.domain.identity import Committer
from workspaces.domain.places import Place
from workspaces.sandboxes.local import BubblewrapSandbox, NoSandbox, UnconfinedSandbox
from workspaces.sandboxes.probe import probe
from workspaces.sandboxes.status import Probed, Runtime, SandboxStatus

_answers: dict[Path, Probed] = {}


async def probed() -> Probed:
    """Returns what the probe found, trying the sandbox at the first call of this process."""
    data: Path = settings.DATA
    if data not in _answers:  # two first calls at once both try: harmless
        _answers[data] = await probe()
    return _answers[data]


def unconfined_allowed() -> bool:
    """Returns whether an administrator switched commands without isolation on."""
    return config.flag("MAIA_UNCONFINED")


@dataclass(frozen=True, slots=True)
class PlaceRuntime:
    """How commands of a place run, with what the probe found where they would."""

    runtime: Runtime
    probed: Probed


async def runtime_of(place: Place) -> PlaceRuntime:
    """Returns how commands of this workspace run; today all of them run as on this server."""
    return await _on_this_server()


async def runs_unconfined() -> bool:
    """Returns whether this server runs commands without isolation, for the warning on each page."""
    return (await _on_this_server()).runtime == "unconfined"


async def _on_this_server() -> PlaceRuntime:
    found = await probed()
    if found.bwrap is not None:
        return PlaceRuntime("local", found)
    return PlaceRuntime("unconfined" if unconfined_allowed() else "none", found)


class LazySandbox:
    """The sandbox of a place; which runtime it is shows at each command."""

    def __init__(
        self,
        place: Place,
        *,
        read_only: bool = False,
        own: bool = False,
        committer: Committer | None = None,
    ) -> None:
        self._place = place
        self._read_only = read_only
        self._own = own
        self._committer = committer

    async def run(self, command: Run, on_output: OnOutput | None = None) -> CommandResult:
        """Runs it as `Sandbox.run` says."""
        if self._committer is not None:
            variables = committer_environment(await self._committer())
            command = replace(command, env={**variables, **command.env})
        return await self._chosen(await runtime_of(self._place)).run(command, on_output)

    def _chosen(self, found: PlaceRuntime) -> Sandbox:
        match found.runtime:
            case "local":
                return BubblewrapSandbox(
                    self._place, found.probed, read_only=self._read_only, own=self._own
                )
            case "unconfined":
                return UnconfinedSandbox(self._place, read_only=self._read_only, own=self._own)
            case "none":
                return NoSandbox(found.probed.problem)
            case other:
                assert_never(other)


def open_sandbox(
    place: Place,
    *,
    read_only: bool = False,
    own: bool = False,
    committer: Committer | None = None,
) -> Sandbox:
    """Returns the sandbox of this person in this workspace; nothing is started yet.

    `own`: for what the person types; only then ~/.maia (settings, rules) is there to be read, and
    its skills and tools to be changed. `committer`: asked at each command, of what is an agent's.
    """
    return LazySandbox(place, read_only=read_only, own=own, committer=committer)


async def sandbox_status(place: Place) -> SandboxStatus:
    """Returns how commands run in this place, for every page to tell."""
    found = await runtime_of(place)
    note = "" if os.geteuid() == 0 else _("All members' commands run under the server's own user.")
    return SandboxStatus(
        runtime=found.runtime,
        problem=found.probed.problem,
        note=note,
        network="open" if found.runtime == "unconfined" else "none",
    )
