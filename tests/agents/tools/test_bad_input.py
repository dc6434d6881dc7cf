"""Hostile and broken files and parameters: a clear error, in time, and nobody else waits."""

from __future__ import annotations

import asyncio
import itertools
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from agents.engine.ports.tools import Tool, ToolContext, ToolFailure, TurnCounters
from agents.tools.registry import builtin_tools
from maia_web.lib.ids import new_id
from tests.support.known import the
from tests.support.openai_server import ScriptedServer
from tests.support.tools import run_tool
from workspaces.domain.places import Place
from workspaces.files import open_files
from workspaces.files.store import WorkspaceFiles
from workspaces.sandboxes import open_sandbox
from workspaces.sandboxes.base import probed
from workspaces.sandboxes.folders import folders_of

TOOLS: dict[str, Tool] = {tool.spec.name: tool for tool in builtin_tools()}
GIGABYTE = 1 << 30
_numbers = itertools.count(970_000 + os.getpid() % 1_000 * 10)


class Bench:
    """A new workspace with one person in it."""

    def __init__(self) -> None:
        number = next(_numbers)
        place = Place(new_id(), number, number)
        self.folder: Path = folders_of(place).workspace
        files, sandbox = open_files(place), open_sandbox(place)
        self.context = ToolContext(files, sandbox, TurnCounters(), lambda _: None)

    async def use(self, tool: str, /, **input: Any) -> str:
        return (await run_tool(TOOLS[tool], input, self.context)).text

    async def fails(self, tool: str, /, **input: Any) -> str:
        with pytest.raises(ToolFailure) as caught:
            await self.use(tool, **input)
        return str(caught.value)


@pytest.fixture
async def bench() -> Bench:
    found = await probed()
    if found.bwrap is None:
        pytest.skip(found.problem)
    return Bench()


@asynccontextmanager
async def another_turn_streams(server: ScriptedServer) -> AsyncIterator[list[float]]:
    """Meanwhile a model streams 100 deltas a second to somebody else; gives the gaps, in s."""
    from agents.domain.model_servers.endpoint import Endpoint
    from agents.engine.ports.model import ChatRequest
    from agents.providers.openai_chat import OpenAIChat

    gaps: list[float] = []
    began = asyncio.Event()

    async def read() -> None:
        last = time.monotonic()
        request = ChatRequest("", ())
        async for _ in OpenAIChat(Endpoint(server.url), "rate-100x3000").stream(request):
            now = time.monotonic()
            gaps.append(now - last)
            last = now
            began.set()

    reader = asyncio.create_task(read())
    await began.wait()
    gaps.clear()
    yield gaps
    reader.cancel()
    with suppress(asyncio.CancelledError):
        await reader


@pytest.mark.parametrize("pattern", [r"(a+)+$", r"(a|aa)+\1?$", r"(?=(a+)+$)b", r"^(\w+\s?)*\1$"])
async def test_a_regex_that_would_run_forever_ends(
    bench: Bench, model_server: ScriptedServer, pattern: str
) -> None:
    (bench.folder / "a.txt").write_text(("a" * 5_000 + "!\n") * 20)
    async with another_turn_streams(model_server) as gaps, asyncio.timeout(40):
        with suppress(ToolFailure):  # found nothing, or a clear failure: but soon
            await bench.use("Grep", pattern=pattern)
    assert not gaps or max(gaps) < 10


async def test_a_file_of_three_gigabytes_is_refused_at_once(bench: Bench) -> None:
    with (bench.folder / "huge.bin").open("wb") as file:
        file.truncate(3 * GIGABYTE)  # sparse: it takes no room
    (bench.folder / "needle.txt").write_text("needle\n")
    async with asyncio.timeout(15):
        for tool, input in (
            ("Read", {}),
            ("Edit", {"old_string": "a", "new_string": "b"}),
        ):
            assert "too large" in await bench.fails(tool, path="huge.bin", **input)
        assert await bench.use("Grep", pattern="needle") == "needle.txt"
        assert "huge.bin" in await bench.use("Glob", pattern="*.bin")
        assert "in place of content" in await bench.use("Write", path="huge.bin", content="x")
    assert (bench.folder / "huge.bin").read_text() == "x"


async def test_a_folder_of_a_hundred_thousand_entries_disturbs_nobody(
    bench: Bench, model_server: ScriptedServer
) -> None:
    many = bench.folder / "many"
    many.mkdir()
    for first in ("0", "50000"):  # a file has at most 65 000 names
        (many / first).write_text("needle\n")
    descriptor = os.open(many, os.O_RDONLY)
    for number in range(100_000):
        if number not in (0, 50_000):
            first = "0" if number < 50_000 else "50000"
            os.link(first, str(number), src_dir_fd=descriptor, dst_dir_fd=descriptor)
    os.close(descriptor)
    async with another_turn_streams(model_server) as gaps, asyncio.timeout(90):
        found = await bench.use("Glob", pattern="many/*")
        assert found.count("\n") == 100
        listed = await bench.use("Grep", pattern="needle", head_limit=3)
        assert "head_limit=0 for all" in listed
        files = the(WorkspaceFiles, bench.context.files)
        entries = await asyncio.to_thread(files.local.entries, "many")
        assert len(entries) == 10_000
    assert gaps
    assert max(gaps) < 10


@pytest.mark.parametrize(
    "content",
    [
        b"caf\x81\n",
        "漢字、仮名。\n".encode("shift-jis"),
        b"a\0b\n",
        b"\xff\xfe\0\0",
        b"\x01\xed\xa0\x80",
    ],
)
async def test_bytes_that_are_no_text_are_told(bench: Bench, content: bytes) -> None:
    (bench.folder / "x").write_bytes(content)
    told = await bench.fails("Read", path="x")
    assert told.startswith("x is not a text file in UTF-8, UTF-16 or Latin-1.")
    assert "another encoding, convert a copy (iconv)" in told
    assert "not a text file" in await bench.fails("Edit", path="x", old_string="a", new_string="b")
    assert (bench.folder / "x").read_bytes() == content


async def test_a_name_that_is_no_utf8_breaks_nothing(bench: Bench) -> None:
    (bench.folder / os.fsdecode(b"caf\xe9.txt")).write_text("needle\n")
    (bench.folder / "good.txt").write_text("needle\n")
    assert "good.txt" in await bench.use("Glob", pattern="*.txt")
    assert "good.txt" in await bench.use("Grep", pattern="needle")


LONG = "d/" * 2_500 + "x"


@pytest.mark.parametrize(
    ("tool", "input"),
    [
        ("Read", {"path": LONG}),
        ("Write", {"path": LONG, "content": "x"}),
        ("Edit", {"path": LONG, "old_string": "a", "new_string": "b"}),
        ("Glob", {"pattern": "*", "path": LONG}),
        ("Grep", {"pattern": "x", "path": LONG}),
        ("Read", {"path": "x" * 5_000}),
        ("Write", {"path": "x" * 5_000, "content": "x"}),
        ("Read", {"path": "a\0b"}),
        ("Write", {"path": "a\0b", "content": "x"}),
        ("Glob", {"pattern": "*", "path": "a\0b"}),
        ("Grep", {"pattern": "x", "path": "a\0b"}),
        ("Grep", {"pattern": "a\0b"}),
        ("Glob", {"pattern": "a\0b"}),
        ("Glob", {"pattern": "x" * 5_000}),
        ("Glob", {"pattern": "{a,b}" * 20}),
        ("Bash", {"command": "echo a\0b"}),
    ],
)
async def test_paths_that_cannot_be_are_clear_errors(
    bench: Bench, tool: str, input: dict[str, Any]
) -> None:
    async with asyncio.timeout(10):
        said = await bench.fails(tool, **input)
    assert said
    assert len(said) < 6_000
    assert "Traceback" not in said


async def test_what_is_no_regular_file_does_not_hold_a_tool_up(bench: Bench) -> None:
    os.mkfifo(bench.folder / "pipe")
    (bench.folder / "link").symlink_to("/etc/passwd")
    (bench.folder / "loop").symlink_to("loop")
    async with asyncio.timeout(10):
        assert "not a regular file" in await bench.fails("Read", path="pipe")
        for name in ("link", "loop"):
            assert "outside" in await bench.fails("Read", path=name)
        assert await bench.use("Grep", pattern="root") == "Nothing was found."
        assert await bench.use("Glob", pattern="*") == "No file matches."


async def test_a_write_of_too_much_is_refused(bench: Bench) -> None:
    said = await bench.fails("Write", path="x", content="x" * (16 * 1_048_576 + 1))
    assert "too large" in said
    assert not (bench.folder / "x").exists()


async def test_output_without_end_is_cut_and_stopped(bench: Bench) -> None:
    async with asyncio.timeout(60):
        said = await bench.use("Bash", command="timeout 2 yes | head -c 50000000; echo end")
    assert len(said) < 31_000
    assert said.endswith("[exit code: 0]")
