"""The toolset `mm`: names, limits and words of seed T."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agents.domain.content.model_messages import ToolUseBlock
from agents.domain.library.skills import Skill
from agents.domain.rules.decisions import decision_text
from agents.domain.rules.policy import Policy
from agents.engine.ports.permissions import Allowed, Decision, Refused, StopAsked
from agents.engine.ports.tools import Tool, ToolContext, ToolFailure, ToolOutput, TurnCounters
from agents.tools.command_output import CAPTURED
from agents.tools.mm import mm_tools
from agents.tools.mm.gate import REJECTED, MmGate
from tests.fakes import MemoryFiles, MemorySandbox, ScriptedGate, tool_context
from tests.support.tools import run_tool
from workspaces.domain.commands import CommandResult

SKILLS = (
    Skill("zip", "packs", "# Zip\n\nuse zip", "home", "~/.maia/skills/zip/SKILL.md"),
    Skill("art", "draws", "# Art", "workspace", ".maia/skills/art/SKILL.md"),
)
TOOLS: dict[str, Tool] = {tool.spec.name: tool for tool in mm_tools("en", SKILLS)}


async def use(tool: str, context: ToolContext, /, **input: Any) -> ToolOutput:
    return await run_tool(TOOLS[tool], input, context)


async def fails(tool: str, context: ToolContext, /, **input: Any) -> str:
    with pytest.raises(ToolFailure) as caught:
        await use(tool, context, **input)
    return str(caught.value)


def test_the_five_tools_are_declared_as_the_seed_has_them() -> None:
    shown = [
        (t.spec.name, t.kind, t.default_permission, list(t.spec.input_schema["properties"]))
        for t in mm_tools("fr", SKILLS)
    ]
    assert shown == [
        ("bash", "execute", "ask", ["command"]),
        ("read_skill", "read", "auto", ["name"]),
        ("read_file", "read", "auto", ["path", "start", "end", "numbered"]),
        ("write_file", "edit", "ask", ["path", "content"]),
        ("edit_file", "edit", "ask", ["path", "edits", "dry_run"]),
    ]


@pytest.mark.parametrize("language", ["en", "fr"])
def test_every_parameter_is_described(language: str) -> None:
    for tool in mm_tools(language, SKILLS):
        assert len(tool.spec.description) > 40
        for schema in tool.spec.input_schema["properties"].values():
            assert len(schema["description"]) > 5


def test_without_skills_there_is_no_tool_for_them() -> None:
    assert "read_skill" not in [tool.spec.name for tool in mm_tools()]


# --- bash


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (CommandResult("done\n", "exited", 0), "done"),
        (CommandResult("oops\n", "exited", 3), "oops\n[exit code: exit status 3]"),
        (CommandResult("", "exited", 1), "(no output)\n[exit code: exit status 1]"),
        (CommandResult("half", "timeout"), "half\n[error: 30s timeout exceeded]"),
        (CommandResult("", "exited", -9), "(no output)\n[exit code: signal: 9]"),
    ],
)
async def test_bash_tells_how_it_ended(result: CommandResult, text: str) -> None:
    context = tool_context(sandbox=MemorySandbox(lambda _: result), language="fr")
    output = await use("bash", context, command="x")
    assert output.text.replace("(aucune sortie)", "(no output)") == text
    assert output.exit_code == result.exit_code


async def test_bash_is_a_new_shell_with_thirty_seconds() -> None:
    sandbox = MemorySandbox()
    context = tool_context(sandbox=sandbox)
    await use("bash", context, command="cd /; ls")
    assert sandbox.ran == [("bash", "-c", "cd /; ls")]
    assert sandbox.limits == (30, CAPTURED)
    assert context.counters == TurnCounters(commands=1)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (Refused(decision_text("refused", "fr")), Refused(REJECTED)),
        (Refused("denied by a rule"), Refused("denied by a rule")),
        (Allowed(), Allowed()),
        (StopAsked(), StopAsked()),
    ],
)
async def test_a_rejected_command_is_told_in_the_words_of_the_seed(
    answer: Decision, told: Decision
) -> None:
    gate = MmGate(ScriptedGate({"bash": answer, "write_file": answer}), "fr")
    call = ToolUseBlock(id="1", name="bash", input={})
    assert await gate.decide(call, 0, ToolOutput("")) == told
    other = ToolUseBlock(id="2", name="write_file", input={})
    assert await gate.decide(other, 0, ToolOutput("")) == answer
    assert REJECTED == "[command rejected by the user]"


# --- read_skill


async def test_the_description_lists_the_skills_by_name() -> None:
    assert TOOLS["read_skill"].spec.description.endswith("\n art — draws\n zip — packs")


async def test_a_skill_is_read_by_its_name() -> None:
    context = tool_context()
    assert (await use("read_skill", context, name="zip")).text == "# Zip\n\nuse zip"
    assert (await use("read_skill", context, name="../x/zip")).text == "# Zip\n\nuse zip"
    assert context.counters == TurnCounters(skills=2)


@pytest.mark.parametrize("name", ["nope", "/etc/nope", "../nope"])
async def test_an_unknown_skill_names_the_others(name: str) -> None:
    said = await fails("read_skill", tool_context(), name=name)
    assert said == 'No skill named "nope". Available skills: art, zip'


# --- read_file


@pytest.mark.parametrize(
    ("input", "text"),
    [
        ({}, "a\nb\nc\n"),
        ({"start": 0, "end": 0}, "a\nb\nc\n"),
        ({"start": 2}, "b\nc\n"),
        ({"end": 2}, "a\nb"),
        ({"start": 2, "end": 2}, "b"),
        ({"start": 2, "end": 99, "numbered": True}, "     2\tb\n     3\tc\n"),
        ({"start": 9}, ""),
        ({"start": 3, "end": 2}, ""),
    ],
)
async def test_read_file_shows_a_range(input: dict[str, Any], text: str) -> None:
    context = tool_context(MemoryFiles(f="a\nb\nc\n"))
    output = await use("read_file", context, path="f", **input)
    assert output.text == text
    assert output.locations[0].path == "f"
    assert context.counters == TurnCounters(file_ops=1)


async def test_a_file_without_a_newline_at_its_end_gets_none() -> None:
    assert (await use("read_file", tool_context(MemoryFiles(f="a\nb")), path="f")).text == "a\nb"


@pytest.mark.parametrize("name", ["read_file", "edit_file"])
async def test_a_missing_file_is_told_in_the_words_of_the_seed(name: str) -> None:
    edits = [{"old": "a", "new": "b"}]
    for language in ("en", "fr"):
        context = tool_context(language=language)
        said = await fails(name, context, path="none.txt", edits=edits)
        assert said == "none.txt does not exist. Create it with write_file"


# --- write_file and edit_file


async def test_write_file_gives_a_header_and_the_diff() -> None:
    context = tool_context(MemoryFiles(f="a\nb\n"))
    output = await use("write_file", context, path="f", content="a\nB\n")
    header, _, diff = output.text.partition("\n")
    assert "lines added: 1, removed: 1" in header
    assert diff == "@@ -1,2 +1,2 @@\n      1\ta\n-     2\tb\n+     2\tB"
    assert output.diffs[0].old_text == "a\nb\n"
    same = await use("write_file", context, path="f", content="a\nB\n")
    assert "nothing was written" in same.text
    created = await use("write_file", context, path="new/g", content="x\n")
    assert created.diffs[0].new_file
    assert context.counters == TurnCounters(file_ops=3)


async def test_edit_file_resolves_all_edits_on_the_original() -> None:
    files = MemoryFiles(f="one\ntwo\nthree\n")
    edits = [{"old": "one", "new": "two"}, {"old": "two", "new": ""}]
    output = await use("edit_file", tool_context(files), path="f", edits=edits)
    assert files.texts["f"] == "two\n\nthree\n"
    header = output.text.split("\n")[0]
    assert header == "f: edits applied: 2, lines added: 1, removed: 1, first changed line: 1."
    assert "-     1\tone" in output.text
    assert "+     2\t" in output.text


async def test_a_dry_run_writes_nothing() -> None:
    files = MemoryFiles(f="one\n")
    edits = [{"old": "one", "new": "two"}]
    output = await use("edit_file", tool_context(files), path="f", edits=edits, dry_run=True)
    assert files.texts["f"] == "one\n"
    assert "dry run, nothing was written" in output.text


@pytest.mark.parametrize(
    ("edits", "reason"),
    [
        ([{"old": "one", "new": "x"}, {"old": "none", "new": "x"}], "is not in f"),
        ([{"old": "t", "new": "x"}], "stands 2 times"),
        ([{"old": "one\n", "new": "x"}, {"old": "\ntwo", "new": "y"}], "overlap"),
        ([{"old": "one", "new": "x"}, {"old": "one", "new": "y"}], "overlap"),
        ([{"old": "one\ntwo", "new": "x"}, {"old": "n", "new": "y"}], "overlap"),
        ([], '"edits" is missing or invalid'),
    ],
)
async def test_any_refused_edit_refuses_all(edits: list[dict[str, str]], reason: str) -> None:
    files = MemoryFiles(f="one\ntwo\nthree\n")
    assert reason in await fails("edit_file", tool_context(files), path="f", edits=edits)
    assert files.texts["f"] == "one\ntwo\nthree\n"


# --- rules


def test_the_tools_obey_the_rules_of_those_they_stand_for(tmp_path: Path) -> None:
    policy = Policy.of(allow=["Bash(ls *)", "Read(src/**)"], deny=["Write(*.env)", "Skill(zip)"])
    assert policy.evaluate("bash", {"command": "ls -la"}).family == "allow"
    assert policy.evaluate("bash", {"command": "rm x"}).family == "ask"
    assert policy.evaluate("read_file", {"path": "src/a.py"}).family == "allow"
    assert policy.evaluate("write_file", {"path": "a.env", "content": ""}).family == "deny"
    assert policy.evaluate("read_skill", {"name": "zip"}).family == "deny"
    assert policy.evaluate("edit_file", {"path": "src/a.py", "edits": []}).family == "ask"
