"""Grep and Glob, the whole tool calls, beside ripgrep and fd started bare on the same folder."""

from __future__ import annotations

import random
import shutil
import subprocess
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from bench.django_here import django_here
from bench.report import Row

FOLDERS, FILES, LINES = 200, 100, 30
WORDS = ("alpha", "beta", "gamma", "delta", "value", "return", "import", "count", "index", "stream")
ROUNDS_EACH = 3
SAME = ("--hidden", "--no-require-git", "--max-filesize=2M", "-g", "!.git", "-g", "!node_modules")


async def search(rounds: int) -> list[Row]:
    """Measures on 20 000 files."""
    with django_here():
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
    rows: list[tuple[Row, Callable[[], Any], Callable[[], float]]] = [
        (
            Row("d1 Grep, few hits (rg + 10 ms)", "ms", 1.05, other="rg+10"),
            rare,
            bare(rg, *SAME, "-n", r"needle\d+", "./", more=10),
        ),
        (
            Row("d1 Grep, many hits, output capped", "ms", 1.2, other="rg -l"),
            partial(searched, pattern="value"),
            bare(rg, *SAME, "-l", "value", "./"),
        ),
        (Row("d2 Glob of 20 000 files by time", "ms", 0.4, other="rg sortr"), found, by_time),
        (Row("d2 Glob of 20 000 files by time", "ms", 1.8, other="rg -g"), found, listed),
        (
            Row("d2 Glob of 200 of them by time", "ms", 1.8, other="rg -g"),
            partial(found, "**/file7.py"),
            bare(rg, "--files", "-g", "**/file7.py"),
        ),
        (Row("d2 Glob after an edit", "ms", 1.8, other="rg -g"), found_changed, listed),
        (Row("d2 Glob after a new file", "ms", 1.8, other="rg -g"), found_new, listed),
        (
            Row("d2 Glob, the first: nothing known yet", "ms", 1.5, other="rg sortr"),
            found_first,
            by_time,
        ),
    ]
    if fd:
        by_fd = bare(fd, "--hidden", "--glob", "*.py")
        rows.append((Row("d2 Glob of 20 000 files by time", "ms", 1.8, other="fd"), found, by_fd))
    else:
        print("d2 Glob beside fd: left out, there is no fd (Debian: apt install fd-find)")
    return [await _row(row, rounds, ours, theirs) for row, ours, theirs in rows]


async def _row(row: Row, rounds: int, ours: Callable[[], Any], theirs: Callable[[], float]) -> Row:
    await ours()
    theirs()
    for _ in range(rounds * ROUNDS_EACH):
        began = time.perf_counter()
        await ours()
        row.add((time.perf_counter() - began) * 1000, theirs())
    return row


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
