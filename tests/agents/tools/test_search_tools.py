"""Glob and Grep: limits, modes, what is left out; with the real ripgrep."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from agents.engine.ports.tools import ToolContext, ToolFailure
from agents.tools.glob import GlobTool
from agents.tools.grep import GrepTool
from tests.fakes import MemoryFiles, tool_context
from tests.support.tools import run_tool
from workspaces.domain.entries import FileError

RG = shutil.which("rg", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")


class RealSearch(MemoryFiles):
    """Searches a folder on the disk, as the workspace does, without a sandbox."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder

    async def search(self, arguments: tuple[str, ...], path: str, *, max_output: int) -> str:
        target = () if path == "." else (path,)
        assert RG is not None
        process = await asyncio.create_subprocess_exec(
            RG,
            *arguments,
            *target,
            cwd=self.folder,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        output, _ = await process.communicate()
        return output.decode(errors="replace")[:max_output]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {
        "src/a.py": "import os\nFOO = 1\nprint(foo)\n",
        "src/b.ts": "const foo = 2;\n",
        "notes.md": "no such word\n",
        "build/out.py": "foo\n",
        "node_modules/x.py": "foo\n",
        ".git/config": "foo\n",
        ".env": "foo=1\n",
        "x.log": "foo\n",
        ".gitignore": "build/\n*.log\n",
        "long.txt": "é" * 600 + "foo" + "z" * 5_000 + "\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "bin.dat").write_bytes(b"foo\n\0foo\n")
    (tmp_path / "big.txt").write_text("foo\n" + "x" * 2_100_000)
    return tmp_path


async def grep(folder: Path, language: str = "en", **input: Any) -> list[str]:
    if RG is None:
        pytest.skip("ripgrep is not installed")
    named = {name.replace("_dash_", "-"): value for name, value in input.items()}
    context = tool_context(RealSearch(folder), language=language)
    return (await run_tool(GrepTool(), named, context)).text.split("\n")


async def test_paths_are_listed_and_the_rest_is_left_out(folder: Path) -> None:
    assert await grep(folder, pattern="foo") == [".env", "long.txt", "src/a.py", "src/b.ts"]


async def test_case_can_be_ignored(folder: Path) -> None:
    lines = await grep(folder, pattern="FOO", path="src", _dash_i=True, output_mode="count")
    assert lines == ["src/a.py:2", "src/b.ts:1"]


@pytest.mark.parametrize("glob", ["*.{py,log}", "**/*.py", "src/*.py", "src/**/*.py"])
async def test_a_glob_narrows_and_never_shows_ignored_files(folder: Path, glob: str) -> None:
    assert await grep(folder, pattern="foo", glob=glob) == ["src/a.py"]


async def test_content_has_numbers_and_lines_around(folder: Path) -> None:
    lines = await grep(
        folder, pattern="^FOO", path="src", output_mode="content", _dash_B=1, _dash_A=1
    )
    assert lines == ["src/a.py-1-import os", "src/a.py:2:FOO = 1", "src/a.py-3-print(foo)"]
    plain = await grep(folder, pattern="^FOO", output_mode="content", _dash_n=False)
    assert plain == ["src/a.py:FOO = 1"]
    around = await grep(folder, pattern="^FOO", output_mode="content", _dash_C=1)
    assert around == lines


async def test_lines_are_cut_at_500_characters(folder: Path) -> None:
    (line,) = await grep(folder, pattern="foo", path="long.txt", output_mode="content")
    assert line == "long.txt:1:" + "é" * 500 + "…"


async def test_the_head_limit_says_how_many_there_are(folder: Path) -> None:
    (folder / "many.txt").write_text("hit\n" * 300)
    lines = await grep(folder, pattern="hit", output_mode="content")
    assert len(lines) == 251
    assert lines[-1] == "[the first 250 of 300 lines of result; head_limit=0 for all]"
    assert len(await grep(folder, pattern="hit", output_mode="content", head_limit=0)) == 300


@pytest.mark.parametrize("pattern", ["fo(o", "[", "*"])
async def test_a_bad_expression_is_a_clear_failure(folder: Path, pattern: str) -> None:
    with pytest.raises(ToolFailure, match=r"^The search failed: "):
        await grep(folder, pattern=pattern)


@pytest.mark.parametrize("pattern", ["--pre=/bin/sh", "-f", "--", "-e"])
async def test_a_pattern_that_looks_like_an_option_is_a_pattern(folder: Path, pattern: str) -> None:
    (folder / "options.txt").write_text(f"{pattern}\n")
    assert "options.txt" in await grep(folder, pattern=pattern)


async def test_looking_around_works_as_in_javascript(folder: Path) -> None:
    assert await grep(folder, pattern=r"(?<=print\()foo") == ["src/a.py"]


async def test_nothing_found_is_said(folder: Path) -> None:
    assert await grep(folder, "fr", pattern="nowhere") == ["Aucun résultat."]


async def test_a_missing_folder_is_told() -> None:
    class Missing(MemoryFiles):
        async def search(self, *_: object, **__: object) -> str:
            raise FileError("not-found", "no")

    with pytest.raises(ToolFailure, match=r"^there does not exist\.$"):
        await run_tool(GrepTool(), {"pattern": "x", "path": "there"}, tool_context(Missing()))


def found(count: int) -> ToolContext:
    return tool_context(MemoryFiles(**{f"f{n}.py": "" for n in range(count)}))


async def test_glob_shows_at_most_100_files() -> None:
    assert (
        len((await run_tool(GlobTool(), {"pattern": "*.py"}, found(100))).text.split("\n")) == 100
    )
    lines = (await run_tool(GlobTool(), {"pattern": "*.py"}, found(101))).text.split("\n")
    assert len(lines) == 101
    assert "there are more" in lines[-1]


async def test_glob_says_when_nothing_matches() -> None:
    assert (await run_tool(GlobTool(), {"pattern": "*.rs"}, found(3))).text == "No file matches."


async def test_a_pattern_of_too_many_alternatives_fails_with_a_sentence() -> None:
    with pytest.raises(ToolFailure, match="not valid: The pattern has too many alternatives"):
        await run_tool(GlobTool(), {"pattern": "src/" + "{a,b}" * 9 + ".py"}, found(1))
    wide = "{src,lib,test}/{app,core,web}/{a,b,c}/{one,two}*.{js,ts,css}"
    assert (await run_tool(GlobTool(), {"pattern": wide}, found(1))).text == "No file matches."
