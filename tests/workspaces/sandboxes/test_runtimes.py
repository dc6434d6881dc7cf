"""Which runtime a machine gets: root or not, a data folder in /root, none, unconfined."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from maia_web.lib import config
from maia_web.lib.errors import Conflict
from workspaces.domain.commands import Run
from workspaces.domain.places import Place
from workspaces.sandboxes import base, programs
from workspaces.sandboxes.base import LazySandbox, open_sandbox, sandbox_status
from workspaces.sandboxes.folders import folders_of
from workspaces.sandboxes.probe import probe
from workspaces.sandboxes.status import Probed
from workspaces.terminals import shell
from workspaces.terminals.host import TerminalHost

_SCRIPT = """
import asyncio, json, os, sys
import django
django.setup()
from workspaces.domain.commands import Run
from workspaces.domain.places import Place
from workspaces.files import open_files
from workspaces.sandboxes import open_sandbox, sandbox_status

async def main():
    place = Place("01w", 7, 7)
    sandbox = open_sandbox(place)
    status = (await sandbox_status(place)).wire()
    own = open_sandbox(place, own=True)
    await own.run(Run(("mkdir", "-p", ".maia/skills"), timeout=20, max_output=1000))
    script = "id -u; echo hello > f; cat /proc/1/environ | tr '\\\\0' '\\\\n' | grep -c DJANGO;"
    script += "touch .maia/skills/x && ! touch .maia/x 2>/dev/null && echo kept"
    result = await sandbox.run(Run(("bash", "-c", script), timeout=20, max_output=1000))
    found = await open_files(place).search(("-l", "-e", "hello"), "", max_output=1000)
    print(json.dumps([os.getuid(), status, result.output, result.error, found]))

asyncio.run(main())
"""


def _python_for_everybody() -> str | None:
    """Returns a Python of our version that every user may run."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    for path in (Path(sys.executable).resolve(), Path(f"/usr/bin/python{version}")):
        if path.exists() and programs.reachable(path):
            return str(path)
    return None


def _run(data: Path, *, python: str = sys.executable, become: tuple[str, ...] = ()) -> list[Any]:
    environment = {
        "PATH": os.environ["PATH"],
        "MAIA_DATA": str(data),
        "DJANGO_SETTINGS_MODULE": "maia_web.settings",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": f"{config.ROOT}:{sysconfig.get_path('purelib')}",
    }
    done = subprocess.run(
        [*become, python, "-c", _SCRIPT],
        cwd=config.ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.usefixtures("sandboxed")
def test_it_works_for_a_server_that_is_not_root() -> None:
    python = _python_for_everybody()
    if python is None or not programs.reachable(config.ROOT / "x"):
        pytest.skip("Python or the checkout is below a folder that only root may enter")
    data = Path(tempfile.mkdtemp(prefix="maia-user-"))
    become: tuple[str, ...] = ()
    if os.geteuid() == 0:
        os.chown(data, 65_534, 65_534)
        become = ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--")
    try:
        uid, status, output, error, found = _run(data, python=python, become=become)
    finally:
        shutil.rmtree(data)
    assert uid == (os.geteuid() or 65_534)
    assert (status["runtime"], output, error) == ("local", "1000\n0\nkept\n", "")
    assert status["note"]
    assert found == "f\n"


@pytest.mark.usefixtures("sandboxed")
def test_it_works_with_the_data_where_nobody_else_may_go(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    data = closed / "data"
    data.mkdir(mode=0o711)
    assert not programs.reachable(data / "workspaces")
    uid, status, output, error, found = _run(data)
    assert (status["runtime"], output, error) == ("local", "1000\n0\nkept\n", "")
    assert found == "f\n"
    owner = (data / "workspaces" / "01w" / "f").stat().st_uid
    assert owner == (200_007 if uid == 0 else uid)


@pytest.mark.usefixtures("sandboxed")
async def test_the_packaged_bubblewrap_holds_too(
    monkeypatch: pytest.MonkeyPatch, place: Place
) -> None:
    packaged = programs._packaged_bwrap()
    assert packaged is not None
    monkeypatch.setattr(programs, "bwrap_candidates", lambda: (packaged,))
    found = await probe()
    assert found.problem == ""
    assert programs._version(packaged) >= (0, 8)


async def test_without_bubblewrap_nothing_runs_and_a_sentence_says_why(
    monkeypatch: pytest.MonkeyPatch, place: Place, settings: Settings
) -> None:
    monkeypatch.setattr(programs, "bwrap_candidates", lambda: ())
    monkeypatch.setitem(base._answers, settings.DATA, await probe())
    result = await open_sandbox(place).run(Run(("true",), timeout=5, max_output=10))
    assert result.status == "not-started"
    assert "bubblewrap" in result.error
    status = await sandbox_status(place)
    assert (status.runtime, status.network) == ("none", "none")
    assert "bubblewrap" in status.problem


def _program(folder: Path, text: str) -> str:
    path = folder / "bwrap"
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


async def test_a_broken_bubblewrap_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text(
        "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n"
    )
    broken.chmod(0o755)
    monkeypatch.setattr(programs, "bwrap_candidates", lambda: (str(broken),))
    found = await probe()
    assert found.bwrap is None
    assert "namespaces" in found.problem


async def test_a_sandbox_that_does_not_hold_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A "bubblewrap" that isolates nothing must fail the probe."""
    script = '#!/bin/bash\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"\n'
    fake = _program(tmp_path, script)
    monkeypatch.setattr(programs, "bwrap_candidates", lambda: (fake,))
    found = await probe()
    assert found.bwrap is None
    assert "does not hold" in found.problem


async def test_unconfined_runs_only_where_it_was_switched_on(
    monkeypatch: pytest.MonkeyPatch, settings: Settings, place: Place
) -> None:
    monkeypatch.setitem(base._answers, settings.DATA, Probed(None, problem="No sandbox here."))
    monkeypatch.setenv("MAIA_UNCONFINED", "1")
    monkeypatch.setenv("MAIA_CANARY", "secret")
    heard: list[str] = []
    sandbox = LazySandbox(place)
    script = "pwd; echo $HOME; env | grep -c MAIA_; exit 4"
    command = Run(("bash", "-c", script), timeout=10, max_output=1_000)
    result = await sandbox.run(command, heard.append)
    folders = folders_of(place)
    assert result.output == f"{folders.workspace}\n{folders.home}\n0\n"
    assert result.exit_code == 4
    assert "".join(heard) == result.output
    status = await sandbox_status(place)
    assert (status.runtime, status.network) == ("unconfined", "open")
    slow = await sandbox.run(Run(("sleep", "300"), timeout=0.2, max_output=10))
    assert slow.status == "timeout"
    missing = await sandbox.run(Run(("no-such",), timeout=5, max_output=10))
    assert missing.status in {"not-started", "exited"}


@pytest.mark.usefixtures("sandboxed")
async def test_each_workspace_is_asked_for_its_own_runtime(
    monkeypatch: pytest.MonkeyPatch, place: Place
) -> None:
    """As when some of them run elsewhere: commands, terminals and pages ask with the workspace."""
    elsewhere = replace(place, workspace="01elsewhere")
    found = await base.probed()

    async def runtime_of(asked: Place) -> base.PlaceRuntime:
        if asked.workspace == place.workspace:
            return base.PlaceRuntime("local", found)
        return base.PlaceRuntime("none", Probed(None, problem="Its container is away."))

    for module in (base, shell):
        monkeypatch.setattr(module, "runtime_of", runtime_of)
    command, terminals = Run(("true",), timeout=30, max_output=99), TerminalHost()
    assert (await open_sandbox(place).run(command)).exit_code == 0
    assert (await open_sandbox(elsewhere).run(command)).error == "Its container is away."
    told = await sandbox_status(elsewhere)
    assert (told.runtime, told.problem) == ("none", "Its container is away.")
    try:
        await terminals.open(place, 80, 24, _allowed)
        with pytest.raises(Conflict, match="Its container is away"):
            await terminals.open(elsewhere, 80, 24, _allowed)
    finally:
        await terminals.close_all()


async def _allowed() -> bool:
    return True


def test_a_person_has_one_uid_and_a_workspace_one_gid(place: Place) -> None:
    folders = folders_of(place)
    other = folders_of(Place("01second", place.workspace_number + 1, place.user))
    if folders.owner is None or other.owner is None:
        assert os.geteuid() != 0
        return
    assert folders.owner.uid == other.owner.uid
    assert folders.owner.gid != other.owner.gid
