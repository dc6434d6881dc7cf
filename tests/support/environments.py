"""Environments of their own for programs whose pins must not reach the project's.

Installed once, from exact pins, into a cache folder. Where that cannot be done the tests skip and
say why; under CI they fail.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.processes import ROOT

INSTALL_SECONDS = 900


class NotInstalled(Exception):
    """An environment cannot be made here; says why."""


def environment(name: str, requirements: Path, *options: str) -> Path:
    """Returns the `bin` folder for a test, which skips, or fails under CI, where there is none."""
    try:
        return installed(name, requirements, *options)
    except NotInstalled as error:
        if os.environ.get("CI", "").lower() == "true":
            pytest.fail(str(error))
        pytest.skip(str(error))


def installed(name: str, requirements: Path, *options: str) -> Path:
    """Returns the `bin` folder of the environment, made first where needed.

    Raises `NotInstalled`.
    """
    content = requirements.read_bytes() + " ".join(options).encode()
    digest = hashlib.sha256(content).hexdigest()[:12]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "maia-tests" / name
    folder = cache / f"{digest}-py{sys.version_info.major}.{sys.version_info.minor}"
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "complete").exists():
            _install(name, folder, requirements, options)
    return folder / "bin"


def _install(name: str, folder: Path, requirements: Path, options: tuple[str, ...]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    uv = _uv()
    python = str(folder / "bin" / "python")
    chosen = [*options, "-r", str(requirements)]
    if uv:
        commands = [
            [uv, "venv", "--quiet", "--python", sys.executable, str(folder)],
            [uv, "pip", "install", "--quiet", "--python", python, *chosen],
        ]
    else:
        commands = [
            [sys.executable, "-m", "venv", str(folder)],
            [python, "-m", "pip", "install", "--quiet", *chosen],
        ]
    for command in commands:
        try:
            subprocess.run(
                command, check=True, capture_output=True, text=True, timeout=INSTALL_SECONDS
            )
        except (OSError, subprocess.SubprocessError) as error:
            told = getattr(error, "stderr", "") or error
            raise NotInstalled(f"{name} cannot be installed: {told}") from error
    (folder / "complete").touch()


def _uv() -> str | None:
    """Returns uv, of the system or what set the project up: Debian's Python alone makes nothing."""
    ours = (ROOT / ".uv" / "uv", ROOT / ".uv" / "pip" / "bin" / "uv")
    found = next((str(path) for path in ours if path.is_file()), None)
    return os.environ.get("UV") or shutil.which("uv") or found
