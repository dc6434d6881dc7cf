"""Grep and Glob, the whole tool calls, beside ripgrep and fd started bare on the same folder."""

from __future__ import annotations

import random
import shutil
import subprocess
import time
from collections.abc import Callable
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
    from agents.engine.ports import TurnCounters
    from agents.tools.glob import GlobTool
    from agents.tools.grep import GrepTool
    from tests.fakes import tool_context
    from workspaces.domain.places import Place
    from workspaces.files import open_files
    from workspaces.sandboxes import open_sandbox, programs
    from workspaces.sandboxes.folders import folders_of

    place = Place("BENCH", 990_001, 990_001)
    folder = folders_of(place).workspace
    _fill(folder)
    context = tool_context(open_files(place), open_sandbox(place))  # type: ignore[arg-type]
    assert context.counters == TurnCounters()
    rg = programs.ripgrep() or "rg"
    grep, glob = GrepTool(), GlobTool()
    rare: dict[str, Any] = {"pattern": r"needle\d+", "output_mode": "content", "head_limit": 0}
    rows = [
        await _row(
            Row("d1 Grep, few hits (rg + 10 ms)", "ms", 1.05, other="rg+10"),
            rounds,
            lambda: grep.execute(rare, context),
            lambda: 10 + _ran(folder, rg, *SAME, "-n", r"needle\d+"),
        ),
        await _row(
            Row("d1 Grep, many hits, output capped", "ms", 1.2, other="rg -l"),
            rounds,
            lambda: grep.execute({"pattern": "value"}, context),
            lambda: _ran(folder, rg, *SAME, "-l", "value"),
        ),
        await _row(
            Row("d2 Glob of 20 000 files by time", "ms", 1.8, other="rg -g"),
            rounds,
            lambda: glob.execute({"pattern": "**/*.py"}, context),
            lambda: _ran(folder, rg, "--files", "-g", "**/*.py"),
        ),
        await _row(
            Row("d2 Glob of 200 files by time (+ 10 ms)", "ms", 1.8, other="rg+10"),
            rounds,
            lambda: glob.execute({"pattern": "**/file7.py"}, context),
            lambda: 10 + _ran(folder, rg, "--files", "-g", "**/file7.py"),
        ),
        await _row(
            Row("d2 Glob of 20 000 files by time", "ms", 0.4, other="rg sortr"),
            rounds,
            lambda: glob.execute({"pattern": "**/*.py"}, context),
            lambda: _ran(folder, rg, "--files", "--sortr", "modified", "-g", "**/*.py"),
        ),
    ]
    fd = shutil.which("fd") or shutil.which("fdfind")
    if fd:
        rows.append(
            await _row(
                Row("d2 Glob of 20 000 files by time", "ms", 1.8, other="fd"),
                rounds,
                lambda: glob.execute({"pattern": "**/*.py"}, context),
                lambda: _ran(folder, fd, "--hidden", "--glob", "*.py"),
            )
        )
    return rows


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
    subprocess.run(argv, cwd=folder, capture_output=True, check=False)
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
