"""Grep and Glob, the whole tool calls, beside ripgrep and fd started bare on the same folder."""

from __future__ import annotations

import asyncio
import random
import shutil
import subprocess
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from bench.made.django_here import django_here
from bench.report import Row
from bench.rows import row

FOLDERS, FILES, LINES = 200, 100, 30
WORDS = ("alpha", "beta", "gamma", "delta", "value", "return", "import", "count", "index", "stream")
ROUNDS_EACH = 3
SAME = ("--hidden", "--no-require-git", "--max-filesize=2M", "-g", "!.git", "-g", "!node_modules")


async def search(rounds: int) -> list[Row]:
    """Measures on 20 000 files."""
    await asyncio.to_thread(django_here)
    return await _measure(rounds)


async def _measure(rounds: int) -> list[Row]:
    from agents.engine.ports.tools import TurnCounters
    from agents.tools.glob import GlobTool
    from agents.tools.grep import GrepTool
    from tests.fakes import tool_context
    from workspaces.domain.places import Place
    from workspaces.files import open_files
    from workspaces.files.name_search import forget_files
    from workspaces.sandboxes import open_sandbox, programs
    from workspaces.sandboxes.folders import folders_of

    place = Place("BENCH", 990_001, 990_001)
    folder = folders_of(place).workspace
    _fill(folder)
    context = tool_context(open_files(place), open_sandbox(place))
    assert context.counters == TurnCounters()
    rg = programs.ripgrep() or "rg"
    fd = shutil.which("fd") or shutil.which("fdfind")
    grep, glob = GrepTool(), GlobTool()

    async def searched(**input: Any) -> None:
        await grep.execute(grep.read_input(input), context)

    async def found(pattern: str = "**/*.py") -> None:
        await glob.execute(glob.read_input({"pattern": pattern}), context)

    async def found_first() -> None:
        forget_files()
        await found()

    async def found_changed() -> None:
        (folder / "package0/part0/file0.py").write_text(f"{time.monotonic_ns()}\n")
        await found()

    async def found_new() -> None:
        (folder / f"package0/part0/new{time.monotonic_ns()}.py").write_text("new\n")
        await found()

    def bare(*argv: str, more: float = 0) -> Callable[[], float]:
        return lambda: more + _ran(folder, *argv)

    rare = partial(searched, pattern=r"needle\d+", output_mode="content", head_limit=0)
    listed = bare(rg, "--files", "-g", "**/*.py")
    by_time = bare(rg, "--files", "--sortr", "modified", "-g", "**/*.py")
    few = bare(rg, *SAME, "-n", r"needle\d+", "./", more=10)
    many = bare(rg, *SAME, "-l", "value", "./")
    some = bare(rg, "--files", "-g", "**/file7.py")
    rows: list[tuple[str, Callable[[], Any], Callable[[], float]]] = [
        ("d1-few", rare, few),
        ("d1-many", partial(searched, pattern="value"), many),
        ("d2-sorted", found, by_time),
        ("d2-all", found, listed),
        ("d2-some", partial(found, "**/file7.py"), some),
        ("d2-edit", found_changed, listed),
        ("d2-new", found_new, listed),
        ("d2-first", found_first, by_time),
    ]
    measured = [await _row(row(name), rounds, ours, theirs) for name, ours, theirs in rows]
    beside_fd = row("d2-fd")
    if fd:
        by_fd = bare(fd, "--hidden", "--glob", "*.py")
        await _row(beside_fd, rounds, found, by_fd)
    else:
        beside_fd.leave_out("there is no fd (Debian: apt install fd-find)")
    return [*measured, beside_fd]


async def _row(
    measured: Row, rounds: int, ours: Callable[[], Any], theirs: Callable[[], float]
) -> Row:
    await ours()
    theirs()
    for _ in range(rounds * ROUNDS_EACH):
        began = time.perf_counter()
        await ours()
        measured.add((time.perf_counter() - began) * 1000, theirs())
    return measured


def _ran(folder: Path, *argv: str) -> float:
    """Returns how long the program took, in ms, its output read as a peer reads it."""
    began = time.perf_counter()
    # Without a stdin ripgrep and fd cannot take it for what they should search.
    subprocess.run(argv, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return (time.perf_counter() - began) * 1000


def _fill(folder: Path) -> None:
    chosen = random.Random(1)
    texts = [
        "\n".join(" ".join(chosen.choices(WORDS, k=8)) for _ in range(LINES)) for _ in range(50)
    ]
    for number in range(FOLDERS):
        below = folder / f"package{number // 20}" / f"part{number}"
        below.mkdir(parents=True)
        for file in range(FILES):
            text = texts[(number + file) % 50] + (f"\nneedle{number}\n" if file == 7 else "\n")
            (below / f"file{file}.py").write_text(text)
