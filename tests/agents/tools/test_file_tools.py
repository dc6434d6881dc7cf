"""Read, Write, Edit: every limit and every sentence the model reads."""

from __future__ import annotations

from typing import Any

import pytest

from agents.domain.content.parts import Location
from agents.engine.ports.tools import Tool, ToolContext, ToolFailure
from agents.tools.edit import EditTool
from agents.tools.read import ReadTool
from agents.tools.write import WriteTool
from tests.fakes import MemoryFiles, tool_context
from tests.support.tools import previewed, run_tool


@pytest.fixture
def files() -> MemoryFiles:
    return MemoryFiles(**{"a.txt": "one\ntwo\nthree\n"})


@pytest.fixture
def context(files: MemoryFiles) -> ToolContext:
    return tool_context(files)


async def failure(tool: Tool, input: dict[str, Any], context: ToolContext) -> str:
    with pytest.raises(ToolFailure) as caught:
        await run_tool(tool, input, context)
    return str(caught.value)


async def test_read_numbers_lines_and_names_the_place(context: ToolContext) -> None:
    output = await run_tool(ReadTool(), {"path": "a.txt"}, context)
    assert output.text == "     1\tone\n     2\ttwo\n     3\tthree"
    assert output.locations == (Location(path="a.txt", line=1),)
    assert context.counters.file_ops == 1


async def test_read_takes_a_window_and_tells_where_to_go_on(context: ToolContext) -> None:
    output = await run_tool(ReadTool(), {"path": "a.txt", "offset": 2, "limit": 1}, context)
    assert output.text == "     2\ttwo\n[lines 2 to 2 of 3; go on with offset=3]"


async def test_read_shows_2000_lines_unless_told(files: MemoryFiles, context: ToolContext) -> None:
    files.put("long", "x\n" * 2_001)
    output = await run_tool(ReadTool(), {"path": "long"}, context)
    assert output.text.endswith("  2000\tx\n[lines 1 to 2000 of 2001; go on with offset=2001]")


async def test_read_says_which_line_ends_a_file_has_when_they_are_not_lf(
    files: MemoryFiles, context: ToolContext
) -> None:
    files.put("dos", "a\r\nb\r\n")
    files.put("mixed", "a\r\nb\n")
    told = (await run_tool(ReadTool(), {"path": "dos"}, context)).text
    assert told.startswith("     1\ta\n     2\tb\n[line ends: CRLF;")
    told = (await run_tool(ReadTool(), {"path": "mixed", "limit": 1}, context)).text
    assert "[line ends: 1 CRLF, 1 LF;" in told


async def test_read_past_the_end_and_of_nothing(files: MemoryFiles, context: ToolContext) -> None:
    files.put("empty", "")
    assert (await run_tool(ReadTool(), {"path": "empty"}, context)).text == "(empty is empty)"
    assert "only 3 lines" in await failure(ReadTool(), {"path": "a.txt", "offset": 4}, context)


@pytest.mark.parametrize(
    ("path", "language", "expected"),
    [
        ("no", "en", "no does not exist. Create it with Write."),
        ("no", "fr", "no n'existe pas. Crée-le avec Write."),
        ("../x", "en", "../x is outside the workspace and the home folder."),
        (
            "bin",
            "fr",
            "bin n'est pas un fichier texte en UTF-8, UTF-16 ou Latin-1. Si c'est du texte dans un "
            "autre encodage, convertis-en une copie (iconv).",
        ),
    ],
)
async def test_what_cannot_be_read_is_told(
    files: MemoryFiles, path: str, language: str, expected: str
) -> None:
    files.binary.add("bin")
    told = await failure(ReadTool(), {"path": path}, tool_context(files, language=language))
    assert told == expected


@pytest.mark.parametrize("tool", [ReadTool(), WriteTool(), EditTool()])
async def test_a_missing_path_lists_what_was_received(tool: Tool, context: ToolContext) -> None:
    told = await failure(tool, {"limit": 3}, context)
    assert 'Parameter "path"' in told
    assert "limit (number)" in told


@pytest.mark.parametrize("tool", [ReadTool(), WriteTool(), EditTool()])
def test_calls_on_one_file_share_a_key_however_it_is_written(
    tool: Tool, context: ToolContext
) -> None:
    rest = {"content": "", "old_string": "a", "new_string": "b"}
    keys = {
        tool.lock_key(tool.read_input({"path": path, **rest}), context)
        for path in ("a.txt", "/workspace/./a.txt")
    }
    assert keys == {"file:a.txt"}


async def test_write_creates_with_a_header_and_a_diff(
    files: MemoryFiles, context: ToolContext
) -> None:
    output = await run_tool(WriteTool(), {"path": "b.txt", "content": "x\ny\n"}, context)
    assert output.text == "b.txt: created; lines: 2.\n@@ -1,0 +1,2 @@\n+     1\tx\n+     2\ty"
    assert files.texts["b.txt"] == "x\ny\n"
    (diff,) = output.diffs
    assert (diff.new_file, diff.old_text, diff.new_text) == (True, "", "x\ny\n")


async def test_write_replaces_with_a_header_and_a_diff(context: ToolContext) -> None:
    output = await run_tool(WriteTool(), {"path": "a.txt", "content": "one\n2\nthree\n"}, context)
    header, *diff = output.text.split("\n")
    assert header == "a.txt: written; lines added: 1, removed: 1, first changed line: 2."
    assert "-     2\ttwo" in diff
    assert "+     2\t2" in diff


async def test_identical_content_writes_nothing_and_says_so(
    files: MemoryFiles, context: ToolContext
) -> None:
    output = await run_tool(
        WriteTool(), {"path": "a.txt", "content": files.texts["a.txt"]}, context
    )
    assert "nothing was written" in output.text
    assert files.versions["a.txt"] == 1
    assert output.diffs == ()


@pytest.mark.parametrize(
    "name", ["content", "contents", "text", "file_text", "file_content", "data", "body"]
)
async def test_the_content_goes_by_several_names(
    name: str, files: MemoryFiles, context: ToolContext
) -> None:
    await run_tool(WriteTool(), {"path": "n", name: "text"}, context)
    assert files.texts["n"] == "text"


async def test_an_array_of_lines_is_joined(files: MemoryFiles, context: ToolContext) -> None:
    await run_tool(WriteTool(), {"path": "n", "content": ["a", "b"]}, context)
    assert files.texts["n"] == "a\nb"


async def test_an_empty_file_can_be_created(files: MemoryFiles, context: ToolContext) -> None:
    output = await run_tool(WriteTool(), {"path": "n", "content": ""}, context)
    assert output.text == "n: created; lines: 0."
    assert files.texts["n"] == ""


async def test_binary_content_can_be_replaced(files: MemoryFiles, context: ToolContext) -> None:
    files.binary.add("bin")
    files.put("bin", "?")
    output = await run_tool(WriteTool(), {"path": "bin", "content": "x"}, context)
    assert "in place of content that is no readable text" in output.text


@pytest.mark.parametrize(
    ("tool", "input"),
    [
        (WriteTool(), {"path": "a.txt", "content": "mine"}),
        (EditTool(), {"path": "a.txt", "old_string": "two", "new_string": "mine"}),
    ],
    ids=["Write", "Edit"],
)
async def test_a_change_by_somebody_else_is_not_overwritten(
    tool: Tool, input: dict[str, Any], files: MemoryFiles, context: ToolContext
) -> None:
    read = files.read

    async def late(path: str, *, max_bytes: int) -> Any:
        found = await read(path, max_bytes=max_bytes)
        files.put("a.txt", "theirs")
        return found

    files.read = late  # type: ignore[method-assign]  # somebody writes in between
    assert "changed by somebody else" in await failure(tool, input, context)
    assert files.texts["a.txt"] == "theirs"


async def test_the_previews_show_the_change_and_change_nothing(
    files: MemoryFiles, context: ToolContext
) -> None:
    edit = {"path": "a.txt", "old_string": "two", "new_string": "2"}
    for tool, input in (
        (WriteTool(), {"path": "a.txt", "content": "one\n2\nthree\n"}),
        (EditTool(), edit),
    ):
        (diff,) = (await previewed(tool, input, context)).diffs
        assert (diff.old_text, diff.new_text) == ("one\ntwo\nthree\n", "one\n2\nthree\n")
    assert files.versions["a.txt"] == 1
    assert context.counters.file_ops == 0


async def test_edit_replaces_with_header_and_diff(files: MemoryFiles, context: ToolContext) -> None:
    output = await run_tool(
        EditTool(), {"path": "a.txt", "old_string": "two", "new_string": "2"}, context
    )
    header = output.text.split("\n")[0]
    assert header == ("a.txt: edits applied: 1, lines added: 1, removed: 1, first changed line: 2.")
    assert files.texts["a.txt"] == "one\n2\nthree\n"
    assert output.locations == (Location(path="a.txt", line=2),)


@pytest.mark.parametrize(("old", "new"), [("old_string", "new_string"), ("old", "new")])
async def test_several_edits_are_all_made(
    old: str, new: str, files: MemoryFiles, context: ToolContext
) -> None:
    edits = [{old: "three", new: "3"}, {old: "one\n", new: ""}]
    await run_tool(EditTool(), {"path": "a.txt", "edits": edits}, context)
    assert files.texts["a.txt"] == "two\n3\n"


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([{"old_string": "nope", "new_string": ""}], "Edit 1: the text to find is not in a.txt"),
        ([{"old_string": "t", "new_string": ""}], "stands 2 times in a.txt"),
        (
            [{"old_string": "one\ntwo", "new_string": ""}, {"old_string": "two", "new_string": ""}],
            "Edits 1 and 2 overlap",
        ),
        ([{"old_string": "one"}], 'Parameter "new_string"'),
        ([], 'Parameter "old_string"'),
    ],
)
async def test_a_refused_edit_writes_nothing(
    edits: list[dict[str, str]], expected: str, files: MemoryFiles, context: ToolContext
) -> None:
    good = {"old_string": "three", "new_string": "3"}
    told = await failure(EditTool(), {"path": "a.txt", "edits": edits}, context)
    assert expected in told
    if edits:
        await failure(EditTool(), {"path": "a.txt", "edits": [*edits, good]}, context)
    assert files.versions["a.txt"] == 1


async def test_a_dry_run_shows_and_writes_nothing(files: MemoryFiles, context: ToolContext) -> None:
    output = await run_tool(
        EditTool(),
        {"path": "a.txt", "old_string": "two", "new_string": "2", "dry_run": True},
        context,
    )
    assert "nothing was written" in output.text
    assert "+     2\t2" in output.text
    assert files.versions["a.txt"] == 1
