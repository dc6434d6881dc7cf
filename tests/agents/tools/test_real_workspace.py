"""The tools in a real workspace: real files, real ripgrep, real bubblewrap."""

from __future__ import annotations

import itertools
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.engine.ports.tools import Tool, ToolContext, ToolFailure, ToolOutput, TurnCounters
from agents.tools.registry import builtin_tools
from maia_web.lib.ids import new_id
from tests.support.tools import run_tool
from workspaces.domain.places import Place
from workspaces.files import open_files
from workspaces.sandboxes import open_sandbox
from workspaces.sandboxes.base import probed
from workspaces.sandboxes.folders import folders_of

TOOLS: dict[str, Tool] = {tool.spec.name: tool for tool in builtin_tools()}
_numbers = itertools.count(900_000 + os.getpid() % 1_000 * 100)


class Bench:
    """A new workspace with one person in it."""

    def __init__(self) -> None:
        number = next(_numbers)
        place = Place(new_id(), number, number)
        self.folder: Path = folders_of(place).workspace
        self.live: list[str] = []
        self.context = ToolContext(
            open_files(place), open_sandbox(place), TurnCounters(), self.live.append
        )

    async def use(self, name: str, **input: Any) -> ToolOutput:
        named = {key.replace("_dash_", "-"): value for key, value in input.items()}
        return await run_tool(TOOLS[name], named, self.context)


@pytest.fixture
async def bench() -> Bench:
    found = await probed()
    if found.bwrap is None:
        pytest.skip(found.problem)
    return Bench()


async def test_a_file_is_written_read_changed_found_and_run(bench: Bench) -> None:
    await bench.use("Write", path="src/hello.py", content="print('hello')\n")
    assert (bench.folder / "src/hello.py").read_text() == "print('hello')\n"
    read = await bench.use("Read", path="/workspace/src/hello.py")
    assert read.text == "     1\tprint('hello')"
    await bench.use("Edit", path="src/hello.py", old_string="hello", new_string="changed")
    assert (await bench.use("Glob", pattern="**/*.py")).text == "src/hello.py"
    found = await bench.use("Grep", pattern="chang", output_mode="content")
    assert found.text == "src/hello.py:1:print('changed')"
    ran = await bench.use("Bash", command="cat src/hello.py; echo err >&2; exit 3")
    assert ran.text == "print('changed')\nerr\n[exit code: 3]"
    assert "".join(bench.live) == "print('changed')\nerr\n"
    assert bench.context.counters == TurnCounters(commands=1, file_ops=3)


@pytest.mark.parametrize(
    ("before", "old", "new", "after", "encoding"),
    [
        (b"caf\xe9\r\n", "café", "thé", b"th\xe9\r\n", "windows-1252"),
        (b"\xef\xbb\xbfa\r\nb\r\n", "a\nb", "a\nc", b"\xef\xbb\xbfa\r\nc\r\n", "UTF-8 with"),
        (b"\xff\xfea\0\r\0\n\0", "a", "é", b"\xff\xfe\xe9\0\r\0\n\0", "UTF-16 LE"),
    ],
)
async def test_a_file_is_edited_in_the_encoding_it_has(
    bench: Bench, before: bytes, old: str, new: str, after: bytes, encoding: str
) -> None:
    (bench.folder / "old.txt").write_bytes(before)
    assert f"[encoding: {encoding}" in (await bench.use("Read", path="old.txt")).text
    await bench.use("Edit", path="old.txt", old_string=old, new_string=new)
    assert (bench.folder / "old.txt").read_bytes() == after
    await bench.use("Write", path="old.txt", content="été\r\n")
    kept = (await bench.use("Read", path="old.txt")).text
    assert "été" in kept
    assert f"[encoding: {encoding}" in kept


async def test_what_an_encoding_lacks_is_refused_by_its_name(bench: Bench) -> None:
    (bench.folder / "old.txt").write_bytes(b"caf\xe9")
    with pytest.raises(ToolFailure, match=r"windows-1252 \(Latin-1\) has no “→”"):
        await bench.use("Edit", path="old.txt", old_string="café", new_string="→")
    assert (bench.folder / "old.txt").read_bytes() == b"caf\xe9"


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("Shot 1.01\u202fAM.txt", "Shot 1.01 AM.txt"),
        ("v\u00a013.05.txt", "v 13.05.txt"),
        ("re\u0301sume\u0301.md", "r\u00e9sum\u00e9.md"),
        ("donne\u0301es/a.md", "donn\u00e9es/a.md"),
        ("Readme.md", "README.md"),
    ],
)
async def test_a_name_that_looks_alike_is_told_in_a_form_that_can_be_sent_back(
    bench: Bench, name: str, asked: str
) -> None:
    (bench.folder / name).parent.mkdir(exist_ok=True)
    (bench.folder / name).write_text("found\n")
    with pytest.raises(ToolFailure) as caught:
        await bench.use("Read", path=asked)
    told = str(caught.value)
    assert "Create it" not in told
    meant = json.loads(told.partition("JSON: ")[2])
    assert (await bench.use("Read", path=meant)).text == "     1\tfound"


async def test_the_nearest_name_is_told(bench: Bench) -> None:
    (bench.folder / "settings.py").write_text("x")
    with pytest.raises(ToolFailure, match=r'Create it with Write\. The nearest .*"settings\.py"'):
        await bench.use("Read", path="setting.py")


async def test_brackets_in_names_are_found_as_they_are_written(bench: Bench) -> None:
    for name in ("app/[id]/page.tsx", "app/[...slug]/page.tsx", "app/[user-id]/x.ts", "img/7.png"):
        (bench.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (bench.folder / name).write_text("needle\n")
    assert (
        await bench.use("Glob", pattern="app/[[]...slug]/*.tsx")
    ).text == "app/[...slug]/page.tsx"
    for pattern in ("app/[...slug]/page.tsx", "/workspace/app/[...slug]/*.tsx"):
        found = (await bench.use("Glob", pattern=pattern)).text
        assert "app/[...slug]/page.tsx" in found.split("\n")
    assert (await bench.use("Glob", pattern="img/[0-9].png")).text == "img/7.png"
    found = (await bench.use("Grep", pattern="needle", glob="app/[user-id]/*.ts")).text
    assert found == "app/[user-id]/x.ts"
    for glob in ("app/[id]/*.tsx", "/workspace/app/[id]/page.tsx"):
        found = (await bench.use("Grep", pattern="needle", glob=glob)).text
        assert "app/[id]/page.tsx" in found.split("\n")


async def test_the_end_of_a_line_is_found_before_either_line_end(bench: Bench) -> None:
    (bench.folder / "c.py").write_bytes(b"foo = 1\r\nbar\r\n")
    (bench.folder / "l.py").write_bytes(b"foo = 1\n")
    found = await bench.use("Grep", pattern="foo = 1$", output_mode="content")
    assert found.text == "c.py:1:foo = 1\nl.py:1:foo = 1"


async def test_ignored_and_hidden_files_are_treated_as_the_seed_says(bench: Bench) -> None:
    for name in ("a.txt", "skip.log", "node_modules/x.txt", ".git/y.txt", ".hidden"):
        (bench.folder / name).parent.mkdir(exist_ok=True)
        (bench.folder / name).write_text("needle\n")
    (bench.folder / ".gitignore").write_text("*.log\n")
    assert (await bench.use("Grep", pattern="needle")).text == ".hidden\na.txt"
    assert (await bench.use("Grep", pattern="needle", glob="*.log")).text == "Nothing was found."


@pytest.mark.parametrize(
    ("name", "input", "expected"),
    [
        ("Read", {"path": "../../etc/passwd"}, "outside"),
        ("Read", {"path": "none"}, "none does not exist. Create it with Write."),
        ("Write", {"path": "/etc/x", "content": "x"}, "outside"),
        ("Grep", {"pattern": "fo(o"}, "The search failed: "),
        ("Grep", {"pattern": "x", "path": "none"}, "none does not exist."),
        ("Glob", {"pattern": "*", "path": "none"}, "none does not exist."),
    ],
)
async def test_what_cannot_be_done_is_told(
    bench: Bench, name: str, input: dict[str, Any], expected: str
) -> None:
    with pytest.raises(ToolFailure) as caught:
        await bench.use(name, **input)
    assert expected in str(caught.value)


async def test_output_is_cut_and_the_last_line_still_tells_the_end(bench: Bench) -> None:
    ran = await bench.use("Bash", command="head -c 100000 /dev/zero | tr '\\0' x")
    assert ran.text.endswith("[exit code: 0]")
    assert len(ran.text) < 30_200


async def test_a_name_that_is_no_utf8_is_given_in_a_form_that_can_be_sent_back(
    bench: Bench,
) -> None:
    folder = bench.folder / os.fsdecode(b"donn\xe9es")
    folder.mkdir(mode=0o777)
    names = {b"Sal\xe9.txt": r"Sal\xe9.txt", rb"Sal\xe9.txt": r"Sal\x5cxe9.txt"}
    for name, spelling in names.items():
        (folder / os.fsdecode(name)).write_text(f"needle of {spelling}\n")
    globbed = (await bench.use("Glob", pattern="**/*.txt")).text
    assert set(globbed.split("\n")) == {rf"donn\xe9es/{one}" for one in names.values()}
    found = await bench.use("Grep", pattern="needle", path=r"donn\xe9es", output_mode="content")
    assert len(found.text.split("\n")) == 2
    for name, spelling in names.items():
        path = rf"donn\xe9es/{spelling}"
        assert f"{path}:1:needle of {spelling}" in found.text
        assert (await bench.use("Glob", pattern=path)).text == path
        named = await bench.use("Grep", pattern="needle", path=path)
        assert named.text == path
        edited = await bench.use("Edit", path=path, old_string="needle", new_string="thread")
        assert edited.locations[0].path == edited.diffs[0].path == path
        await bench.use("Write", path=path, content="new\n")
        assert (folder / os.fsdecode(name)).read_text() == "new\n"
        assert (await bench.use("Read", path=path)).text == "     1\tnew"
    byte = await bench.use("Grep", pattern="new", glob=r"donn\xe9es/Sal\xe9.txt")
    assert byte.text == r"donn\xe9es/Sal\xe9.txt"
    listed = await bench.use("Bash", command=r"ls donn*; cat donn*/$'Sal\xe9.txt'")
    assert r"Sal\xe9.txt" in listed.text
    assert "new" in listed.text
    assert len(list(folder.iterdir())) == 2


TWINS = [
    ("Shot 1.01\u202fAM.txt", "Shot 1.01 AM.txt"),
    ("Shot 1.01 AM.txt", "Shot 1.01\u00a0AM.txt"),
    ("re\u0301sume\u0301.md", "r\u00e9sum\u00e9.md"),
    ("r\u00e9sum\u00e9.md", "re\u0301sume\u0301.md"),
    ("\u1112\u1161\u11ab.md", "\ud55c.md"),
    ("no\u200bte.md", "note.md"),
    ("donne\u0301es/a.md", "donn\u00e9es/a.md"),
]


@pytest.mark.parametrize(("name", "asked"), TWINS)
@pytest.mark.parametrize("language", ["en", "fr"])
async def test_no_second_file_of_the_same_look_is_made_unless_it_is_meant(
    bench: Bench, name: str, asked: str, language: str
) -> None:
    bench.context = replace(bench.context, language=language)
    (bench.folder / name).parent.mkdir(exist_ok=True, mode=0o777)
    (bench.folder / name).write_text("first\n")
    for act in (TOOLS["Write"].execute, TOOLS["Write"].preview):
        with pytest.raises(ToolFailure) as caught:
            await act({"path": asked, "content": "x"}, bench.context)
        told = str(caught.value)
        meant, _end = json.JSONDecoder().raw_decode(told, told.index('"'))
        assert meant == name
    assert not (bench.folder / asked).exists()
    await bench.use("Write", path=meant, content="second\n")
    assert (bench.folder / name).read_text() == "second\n"
    folder = asked.rpartition("/")[0]
    await bench.use("Bash", command=f"mkdir -p './{folder}'; touch './{asked}'")
    await bench.use("Write", path=asked, content="its own\n")
    assert (bench.folder / asked).read_text() == "its own\n"
    assert (bench.folder / name).read_text() == "second\n"


async def test_a_new_file_in_a_folder_of_another_form_is_made_there_or_not_at_all(
    bench: Bench,
) -> None:
    (bench.folder / "donne\u0301es").mkdir(mode=0o777)
    with pytest.raises(ToolFailure, match="looks the same") as caught:
        await bench.use("Write", path="donn\u00e9es/2026/new.md", content="x")
    assert json.dumps("donne\u0301es/2026/new.md") in str(caught.value)
    assert [one.name for one in bench.folder.iterdir()] == ["donne\u0301es"]


@pytest.mark.parametrize("asked", ["readme.md", "Readme.MD", "x2.md", "notes.md"])
async def test_another_case_or_another_sign_is_another_file(bench: Bench, asked: str) -> None:
    for name in ("README.md", "x².md", "note.md"):
        (bench.folder / name).write_text("first\n")
    await bench.use("Write", path=asked, content="x\n")
    assert (bench.folder / asked).read_text() == "x\n"
