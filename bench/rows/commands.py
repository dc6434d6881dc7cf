"""A command in the sandbox, the whole call, beside bubblewrap alone with the same arguments."""

from __future__ import annotations

import asyncio
import subprocess
import time
from typing import Any

from bench.made.django_here import django_here
from bench.report import Row
from bench.rows import row

EACH = 20
COMMAND = ("true",)


async def command(rounds: int) -> list[Row]:
    """`true`, which costs nothing itself."""
    await asyncio.to_thread(django_here)
    from workspaces.domain.commands import Run
    from workspaces.domain.places import Place
    from workspaces.sandboxes import open_sandbox
    from workspaces.sandboxes.base import probed
    from workspaces.sandboxes.folders import folders_of

    measured = row("j-command")
    found = await probed()
    if found.bwrap is None:
        measured.leave_out(found.problem)
        return [measured]
    place = Place("BENCH", 990_003, 990_003)
    folders, sandbox = folders_of(place), open_sandbox(place)
    run = Run(COMMAND, timeout=30, max_output=1_000)
    for number in range(-1, rounds * EACH):
        began = time.perf_counter()
        result = await sandbox.run(run)
        took = (time.perf_counter() - began) * 1000
        assert result.exit_code == 0, result
        bare = await asyncio.to_thread(_bare, found, folders)
        if number >= 0:  # what is loaded at the first use is no part of the later ones
            measured.add(took, bare)
    return [measured]


def _bare(found: Any, folders: Any) -> float:
    """Returns the ms from starting bubblewrap to its end."""
    from workspaces.sandboxes.bubblewrap import prepare

    spawn = prepare(found, folders, COMMAND, env={}, report=False).spawn
    began = time.perf_counter()
    process = subprocess.Popen(
        spawn.argv, env=spawn.env, cwd=spawn.cwd, pass_fds=spawn.pass_fds, stdin=subprocess.DEVNULL
    )
    status = process.wait()
    took = (time.perf_counter() - began) * 1000
    assert status == 0, status
    return took
