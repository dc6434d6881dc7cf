"""Custom tools in a real sandbox: arguments stay arguments, the folder is the tool's own."""

from __future__ import annotations

import itertools
import os
import shutil
from pathlib import Path

import pytest

from agents.domain.library.custom_tools import parse_tool
from agents.domain.library.skills import parse_skill
from agents.engine.ports.tools import ToolContext, ToolFailure, TurnCounters
from agents.tools.command_output import CAPTURED
from agents.tools.custom import CommandTool
from agents.tools.skill import SkillTool
from maia_web.lib.ids import new_id
from tests.fakes import MemorySandbox, tool_context
from tests.support.tools import run_tool
from workspaces.domain.commands import CommandResult
from workspaces.domain.places import Place
from workspaces.files import open_files
from workspaces.sandboxes import open_sandbox
from workspaces.sandboxes.base import probed
from workspaces.sandboxes.folders import folders_of

ADDITION = Path(__file__).parents[3] / "examples" / "tools" / "addition"
NASTY = "; rm -rf / $(touch pwned) `id` 'a' \"b\" *\n-n"
_numbers = itertools.count(800_000 + os.getpid() % 1_000 * 100)


class Bench:
    """A new workspace and home, with tools in them."""

    def __init__(self) -> None:
        number = next(_numbers)
        place = Place(new_id(), number, number)
        folders = folders_of(place)
        own = folders.under("tools")
        self.roots = {"workspace": folders.workspace / ".maia/tools", "home": own}
        self.context = ToolContext(
            open_files(place), open_sandbox(place), TurnCounters(), lambda _text: None
        )

    def folder(self, root: str, name: str) -> Path:
        folder = self.roots[root] / name
        folder.mkdir(parents=True)
        return folder

    def tool(self, root: str, name: str, run: str, *parameters: str) -> CommandTool:
        described = ",".join(f'{{"name": "{each}", "type": "string"}}' for each in parameters)
        text = f'{{"description": "x", "command": {{"parameters": [{described}], "run": "{run}"}}}}'
        return loaded(name, text, root)


def loaded(name: str, text: str, root: str) -> CommandTool:
    cwd = f"{'~/' if root == 'home' else ''}.maia/tools/{name}"
    inside = f"{'/home/agent' if root == 'home' else '/workspace'}/.maia/tools/{name}"
    return CommandTool(parse_tool(name, text), cwd, inside)


@pytest.fixture
async def bench() -> Bench:
    found = await probed()
    if found.bwrap is None:
        pytest.skip(found.problem)
    return Bench()


async def test_the_example_adds(bench: Bench) -> None:
    folder = bench.folder("workspace", "addition")
    shutil.copytree(ADDITION, folder, dirs_exist_ok=True)
    tool = loaded("addition", (folder / "TOOL.json").read_text(), "workspace")

    assert tool.spec.name == "Addition"
    assert tool.title({"first": 2, "second": 3.5}) == "sh ./add.sh 2 3.5"
    ran = await run_tool(tool, {"first": 2, "second": 3.5}, bench.context)
    assert ran.text == "2 + 3.5 = 5.5\n[exit code: 0]"
    assert bench.context.counters.commands == 1


async def test_no_value_reaches_a_shell(bench: Bench) -> None:
    folder = bench.folder("workspace", "show")
    (folder / "show.sh").write_text('printf "%s|" "$@"; pwd; echo "$MAIA_CWD $MAIA_TOOL_DIR"')
    tool = bench.tool("workspace", "show", "sh ./show.sh {{p}} 'x {{p}}' end", "p")

    ran = await run_tool(tool, {"p": NASTY}, bench.context)
    assert ran.text.startswith(f"{NASTY}|x {NASTY}|end|/workspace/.maia/tools/show\n")
    assert "/workspace /workspace/.maia/tools/show" in ran.text
    assert not list(bench.roots["workspace"].rglob("pwned"))


async def test_a_tool_of_the_home_runs_there(bench: Bench) -> None:
    bench.folder("home", "where")
    ran = await run_tool(bench.tool("home", "where", "pwd"), {}, bench.context)

    assert ran.text == "/home/agent/.maia/tools/where\n[exit code: 0]"


async def test_another_exit_code_is_an_error_with_what_was_said(bench: Bench) -> None:
    folder = bench.folder("workspace", "fail")
    (folder / "fail.sh").write_text("echo why >&2; exit 4")
    tool = bench.tool("workspace", "fail", "sh fail.sh")

    output = await run_tool(tool, {}, bench.context)
    assert (output.text, output.is_error, output.exit_code) == ("why\n[exit code: 4]", True, 4)


async def test_a_program_that_does_not_exist_is_an_error(bench: Bench) -> None:
    bench.folder("workspace", "gone")
    output = await run_tool(bench.tool("workspace", "gone", "./nothing-here"), {}, bench.context)
    assert output.is_error
    assert "nothing-here" in output.text


async def test_two_minutes_and_30_000_characters() -> None:
    sandbox = MemorySandbox(lambda _argv: CommandResult("slow", "timeout"))
    tool = loaded("slow", '{"description": "x", "command": {"run": "sleep 999"}}', "workspace")

    output = await run_tool(tool, {}, tool_context(sandbox=sandbox))
    assert output.is_error
    assert "time limit exceeded (120 s)" in output.text
    assert sandbox.limits == (120, CAPTURED)


async def test_what_is_missing_is_named_and_nothing_runs() -> None:
    sandbox = MemorySandbox()
    text = (
        '{"description": "x", "command": {"parameters": [{"name": "n", "type": "number"}],'
        ' "run": "add {{n}}"}}'
    )
    tool = loaded("add", text, "workspace")

    with pytest.raises(ToolFailure, match=r'"n" is missing.*Received parameters: m \(string\)'):
        await run_tool(tool, {"m": "1"}, tool_context(sandbox=sandbox))
    assert sandbox.ran == []
    assert tool.title({}) == "add {{n}}"
    assert tool.default_permission == "ask"


async def test_a_skill_is_loaded_on_demand_and_counted() -> None:
    text = "---\ndescription: How\n---\nLook at $ARGUMENTS."
    skill = parse_skill("review", text, source="team", path="")
    tool = SkillTool("en", (skill,))
    context = tool_context()

    loaded_text = (await run_tool(tool, {"skill": "§review", "arguments": "a.py"}, context)).text
    assert loaded_text == "Skill review:\n\nLook at a.py."
    assert context.counters.skills == 1
    assert tool.title({"name": "review"}) == "review"
    with pytest.raises(ToolFailure, match=r"no skill named x. Available: review\."):
        await run_tool(tool, {"name": "x"}, context)
