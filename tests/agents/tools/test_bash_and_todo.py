"""Bash and TodoWrite: last lines, limits, the list people see."""

from __future__ import annotations

import re

import pytest

from agents.engine.ports.tools import ToolFailure
from agents.tools.bash import BashTool
from agents.tools.command_output import CAPTURED
from agents.tools.todo import TodoWriteTool
from tests.fakes import MemorySandbox, tool_context
from tests.support.tools import run_tool
from workspaces.domain.commands import CommandResult


@pytest.mark.parametrize(
    ("result", "english", "french", "is_error"),
    [
        (CommandResult("a\n", "exited", 0), "a\n[exit code: 0]", "a\n[code de sortie : 0]", False),
        (
            CommandResult("", "exited", 3),
            "(no output)\n[exit code: 3]",
            "(aucune sortie)\n[code de sortie : 3]",
            False,
        ),
        (
            CommandResult("a", "timeout"),
            "a\n[time limit exceeded (120 s)]",
            "a\n[délai dépassé (120 s)]",
            True,
        ),
        (
            CommandResult("a", "cancelled"),
            "a\n[interrupted (Ctrl+C)]",
            "a\n[interrompu (Ctrl+C)]",
            True,
        ),
        (
            CommandResult("", "not-started", error="no bwrap"),
            "(no output)\nno bwrap\n[the command could not be started]",
            "(aucune sortie)\nno bwrap\n[échec du lancement de la commande]",
            True,
        ),
        (
            CommandResult("", "exited", -9),
            "(no output)\n[ended by signal 9]",
            "(aucune sortie)\n[terminé par le signal 9]",
            False,
        ),
        (
            CommandResult("a", "exited", 0, dropped=7),
            "a\n[… 7 characters left out …]\n[exit code: 0]",
            "a\n[… 7 caractères omis …]\n[code de sortie : 0]",
            False,
        ),
    ],
)
async def test_the_last_line_tells_how_the_command_ended(
    result: CommandResult, english: str, french: str, is_error: bool
) -> None:
    sandbox = MemorySandbox(lambda _: result)
    for language, expected in (("en", english), ("fr", french)):
        context = tool_context(sandbox=sandbox, language=language)
        output = await run_tool(BashTool(language), {"command": "x"}, context)
        assert output.text == expected
        assert output.is_error is is_error
        assert output.exit_code == (result.exit_code if result.status == "exited" else None)
        assert context.counters.commands == 1


async def test_the_model_reads_what_a_terminal_would_show_and_people_see_colours() -> None:
    bars = "".join(f"\r{n} of 2000" for n in range(1, 2_001)) + "\n\x1b[31mred\x1b[0m\n"
    sandbox = MemorySandbox(lambda _: CommandResult(bars, "exited", 2))
    output = await run_tool(BashTool(), {"command": "x"}, tool_context(sandbox=sandbox))
    shown, note, end = output.text.rsplit("\n", 2)
    assert (shown, end) == ("2000 of 2000\nred", "[exit code: 2]")
    assert re.fullmatch(r"\[… \d{5} characters left out that were overwritten …\]", note)
    assert "\x1b[31mred\x1b[0m\n[exit code: 2]" in output.shown
    assert output.exit_code == 2


async def test_of_a_long_output_beginning_and_end_are_told() -> None:
    long = "a" * 40_000 + "b" * 40_000
    sandbox = MemorySandbox(lambda _: CommandResult(long, "exited", 0))
    text = (await run_tool(BashTool(), {"command": "x"}, tool_context(sandbox=sandbox))).text
    assert len(text) < 30_100
    assert text.startswith("a" * 15_000 + "\n[… 50000 characters left out …]\nb")


async def test_the_command_runs_in_bash_with_the_limits_and_live_output() -> None:
    sandbox = MemorySandbox()
    live: list[str] = []
    await run_tool(
        BashTool(), {"command": "ls -la"}, tool_context(sandbox=sandbox, emit=live.append)
    )
    assert sandbox.ran == [("bash", "-c", "ls -la")]
    assert sandbox.limits == (120, CAPTURED)
    assert live == ["bash -c ls -la"]


@pytest.mark.parametrize("command", ["", "  \n", None, 3, "a\0b", ["ls"]])
async def test_what_is_no_command_is_refused(command: object) -> None:
    with pytest.raises(ToolFailure, match='Parameter "command"'):
        await run_tool(BashTool(), {"command": command}, tool_context())


def test_the_title_is_one_short_line() -> None:
    assert BashTool().title({"command": "ls\n  -la"}) == "ls -la"
    assert len(BashTool().title({"command": "x" * 1_000})) == 200
    assert BashTool().title({}) == ""


async def test_the_list_is_text_for_the_model_and_a_plan_for_people() -> None:
    todos = [
        {"content": "a", "status": "completed"},
        {"content": "b", "status": "in_progress", "activeForm": "doing b"},
    ]
    output = await run_tool(TodoWriteTool(), {"todos": todos}, tool_context())
    assert output.text == "☑ a\n▶ doing b"
    assert output.plan is not None
    assert [entry.status for entry in output.plan] == ["completed", "in_progress"]
    assert TodoWriteTool().title({"todos": todos}) == "1/2"
    assert TodoWriteTool().lock_key({}, tool_context()) == "todowrite"


async def test_an_empty_list_empties_the_plan() -> None:
    output = await run_tool(TodoWriteTool(), {"todos": []}, tool_context(language="fr"))
    assert (output.text, output.plan) == ("La liste de tâches est vide.", ())
