"""BashBox: runs many lines of bash in one sandbox, and tells what each started and changed.

`evil`, `good` and `fine` are stubs that record their name and arguments. The sandbox is bubblewrap
without the network and without root's rights (a line that sets the clock must not set this
machine's), in which all but one folder in memory is read-only. Run as a program, this file is the
part inside; it imports nothing but Python's own modules.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

WORK = "/mnt/work"
STUBS = ("good", "fine", "evil")
BATCH = 250
SECONDS = 5
_SYSTEM = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"


@dataclass(frozen=True, slots=True)
class Ran:
    """What a line did: the stubs it started, in words, and the files it made, changed, removed."""

    line: str
    started: tuple[str, ...]
    changed: tuple[str, ...]

    @property
    def stubs(self) -> set[str]:
        """The names of the stubs that ran."""
        return {words.split(" ")[0] for words in self.started}


@dataclass(frozen=True)
class BashBox:
    """What the lines find: `files` (a text, or a link as `-> target`), `variables`, programs.

    `setup` is run once, before the first line.
    """

    files: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    setup: str = ""
    programs: bool = False

    def run(self, lines: Sequence[str]) -> list[Ran]:
        """Runs each line in a folder that is as it was before; skips a test without a sandbox."""
        if not sandbox():
            import pytest

            (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(
                "bubblewrap does not work"
            )
        return [
            ran for at in range(0, len(lines), BATCH) for ran in self._run(lines[at : at + BATCH])
        ]

    def _run(self, lines: Sequence[str]) -> Iterator[Ran]:
        path = f"/mnt/bin:{_SYSTEM}" if self.programs else "/mnt/bin"
        variables = {"PATH": path, "HOME": "/mnt/home", "TMPDIR": "/mnt/tmp", "LC_ALL": "C.UTF-8"}
        spec = {
            "files": dict(self.files),
            "variables": {**variables, **self.variables},
            "setup": self.setup,
            "lines": list(lines),
        }
        found = subprocess.run(
            [*sandbox(), sys.executable, "-I", "-S", __file__],
            input=json.dumps(spec), capture_output=True, text=True, check=False,
        )  # fmt: skip
        if found.returncode:
            told = found.stderr[-5_000:]
            raise RuntimeError(f"the sandbox ended with {found.returncode}: {told}")
        for line, (started, changed) in zip(lines, json.loads(found.stdout), strict=True):
            yield Ran(line, tuple(started), tuple(changed))


@cache
def sandbox() -> tuple[str, ...]:
    """Returns what starts a program in the sandbox; () where this machine has none."""
    bwrap = shutil.which("bwrap")
    start = (
        bwrap or "", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/mnt",
        "--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--cap-drop", "ALL",
        "--die-with-parent", "--new-session", "--clearenv", "--",
    )  # fmt: skip
    works = (
        bwrap
        and not subprocess.run([*start, "/bin/true"], capture_output=True, check=False).returncode
    )
    return start if works else ()


def _main() -> None:
    """Runs the lines of the specification on the standard input, inside the sandbox."""
    spec = json.load(sys.stdin)
    _prepare(spec)
    found = []
    before = _snapshot()
    for line in spec["lines"]:
        sys.stderr.write(f"{line}\n")  # the last one is where it broke
        _new_log()
        _run_line(line, spec["variables"])
        after = _snapshot()
        changed = sorted(
            path for path in before.keys() | after.keys() if before.get(path) != after.get(path)
        )
        found.append((Path("/mnt/log").read_text(errors="replace").splitlines(), changed))
        if changed:
            _restore()
            before = _snapshot()
    json.dump(found, sys.stdout)


_KEPT = ("work", "home", "remote")


def _prepare(spec: dict[str, Any]) -> None:
    for name in (*_KEPT, "bin", "tmp", "kept", "work/out"):
        Path("/mnt", name).mkdir()
    for name in STUBS:
        stub = Path("/mnt/bin", name)
        stub.write_text(f'#!/bin/bash\nbuiltin printf "%s\\n" "{name} ${{*@Q}}" >>/mnt/log\n')
        stub.chmod(0o755)
    for name, text in spec["files"].items():
        path = Path(WORK, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        if text.startswith("-> "):
            path.symlink_to(text[3:])
        else:
            path.write_text(text)
            path.chmod(0o755 if text.startswith("#!") else 0o644)
    _run_line(spec["setup"], spec["variables"])
    for name in _KEPT:
        shutil.copytree(f"/mnt/{name}", f"/mnt/kept/{name}", symlinks=True)


def _restore() -> None:
    for name in _KEPT:
        shutil.rmtree(f"/mnt/{name}", ignore_errors=True)
        shutil.copytree(f"/mnt/kept/{name}", f"/mnt/{name}", symlinks=True, dirs_exist_ok=True)


def _unlock(top: str) -> None:
    """Opens folders that a line has closed: nobody here has a superuser's rights."""
    _open(Path(top))
    for folder, folders, _files in os.walk(top):
        for each in folders:
            _open(Path(folder, each))


def _open(folder: Path) -> None:
    with contextlib.suppress(OSError):
        if not folder.is_symlink():
            folder.chmod(0o755)


def _new_log() -> None:
    with contextlib.suppress(OSError):
        Path("/mnt/log").unlink()
    Path("/mnt/log").write_text("")


def _run_line(line: str, variables: dict[str, str]) -> None:
    process = subprocess.Popen(
        ["/bin/bash", "-c", line], cwd=WORK, env=variables, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(SECONDS)
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)  # all there is in the sandbox but this process
    process.wait()


def _snapshot() -> dict[str, tuple[int, int, int]]:
    found = {}
    _open(Path("/mnt"))
    for name in _KEPT:
        _unlock(f"/mnt/{name}")
        for folder, _folders, files in os.walk(f"/mnt/{name}"):
            for file in files:
                path = f"{folder}/{file}"
                state = os.lstat(path)
                found[path] = (state.st_mode, state.st_size, state.st_mtime_ns)
    return found


if __name__ == "__main__":
    _main()
