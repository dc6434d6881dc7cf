"""The value judged is the value that runs: over all tools, in every spelling a model may choose."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.content.events import TurnEnded
from agents.domain.content.model_messages import ModelMessage, ToolUseBlock, tool_uses, user_text
from agents.domain.content.parts import ToolPart
from agents.domain.library.custom_tools import parse_tool
from agents.domain.library.skills import Skill
from agents.domain.rules.policy import Policy
from agents.domain.rules.verdict import PolicyContext
from agents.engine.ports.model import Done, ToolUse
from agents.engine.ports.permissions import Allowed, Decision, Refused
from agents.engine.ports.tools import Tool, ToolOutput
from agents.engine.turn import run_turn
from agents.tools.custom import CommandTool
from agents.tools.mm import mm_tools
from agents.tools.registry import BUILTIN
from agents.tools.skill import SkillTool
from tests.fakes import (
    Bench,
    FakeTool,
    ListJournal,
    MemoryFiles,
    MemorySandbox,
    ScriptedModel,
    calls,
    says,
)
from tests.fakes import tool_context as a_context
from workspaces.domain.entries import FoundFile
from workspaces.domain.glob_expressions import compile_glob, matches
from workspaces.domain.paths import parse_path

CONTEXT = PolicyContext()
SKILLS = (
    Skill("secret", "hidden", "HIDDEN", "home", "p"),
    Skill("open", "shown", "SHOWN", "home", "p"),
)
ADDITION = json.dumps(
    {
        "name": "Addition",
        "description": "adds",
        "command": {
            "parameters": [
                {"name": "first", "type": "number", "default": 5},
                {"name": "second", "type": "number"},
                {"name": "word", "type": "string", "default": "quiet"},
            ],
            "run": "add {{first}} {{second}} {{word}}",
        },
    }
)
WEB = ("WebFetch", "CurrentModel", "ListModels")
TOOLS: dict[str, Tool] = {
    tool.spec.name: tool
    for tool in (
        *(made() for made in BUILTIN if made.name not in WEB),
        SkillTool("en", SKILLS),
        *mm_tools("en", SKILLS),
        CommandTool(parse_tool("addition", ADDITION), ".", "/workspace"),
    )
}
TREE = ("src/a.py", "secret/key", "secret/deep/key", "a.txt", "workspace/secret/x")
GUARDED = Policy.of(
    allow=[*TOOLS, "Read(**)", "Write(**)", "Edit(**)", "Glob(**)", "Grep(**)"],
    deny=[
        *(f"{tool}(secret/**)" for tool in ("Read", "Write", "Edit", "Glob", "Grep")),
        "Skill(secret)",
        "Addition(5)",
        "Addition(loud)",
        "Bash(evil)",
    ],
)


class SeenFiles(MemoryFiles):
    """Remembers which files of a small tree were reached, by the paths of the real workspace."""

    def __init__(self) -> None:
        super().__init__(**dict.fromkeys(TREE, "x"))
        self.reached: set[str] = set()
        self.given: list[str] = []

    def display(self, path: str) -> str:
        return parse_path(path).display

    async def read(self, path: str, *, max_bytes: int) -> Any:
        self._reach(path)
        return await super().read(path, max_bytes=max_bytes)

    async def write(self, path: str, text: str, *, version: str | None = None) -> Any:
        self._reach(path)
        return await super().write(path, text, version=version)

    async def find(self, pattern: str, path: str, *, limit: int) -> list[FoundFile]:
        below, compiled = self._below(path), compile_glob(pattern)
        found = [name for name, rest in below if matches(compiled, rest)]
        self.reached.update(found)
        return [FoundFile(name, 1) for name in found][:limit]

    async def search(self, arguments: tuple[str, ...], path: str, *, max_output: int) -> str:
        self.reached.update(name for name, _rest in self._below(path))
        return ""

    def _reach(self, path: str) -> None:
        self.given.append(path)
        self.reached.add(self.display(path))

    def _below(self, path: str) -> list[tuple[str, str]]:
        self.given.append(path)
        where = parse_path(path)
        if where.root != "workspace":
            return []
        if where.path in TREE:
            return [(where.path, "")]
        start = f"{where.path}/" if where.path else ""
        return [(name, name[len(start) :]) for name in TREE if name.startswith(start)]


class RuleGate:
    """Lets run what rules allow; keeps what it was asked about."""

    def __init__(self, policy: Policy, files: SeenFiles) -> None:
        self.policy = policy
        self.files = files
        self.judged: list[ToolUseBlock] = []
        self.families: list[str] = []

    async def decide(
        self, call: ToolUseBlock, part_index: int, preview: ToolOutput, *_recorded: object
    ) -> Decision:
        verdict = self.policy.evaluate(call.name, call.input, CONTEXT)
        self.files.reached.clear()  # what was read for the card alone
        self.judged.append(call)
        self.families.append(verdict.family)
        return Allowed() if verdict.family == "allow" else Refused(verdict.family)


class Spy:
    """A tool that remembers what it was run with."""

    def __init__(self, tool: Tool) -> None:
        self.tool = tool
        self.ran: list[dict[str, Any]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.tool, name)

    async def execute(self, input: dict[str, Any], context: Any) -> ToolOutput:
        self.ran.append(input)
        return await self.tool.execute(input, context)


class World:
    """One call of a model in a turn, everything recorded."""

    def __init__(self, tool: str, received: Mapping[str, Any], policy: Policy = GUARDED) -> None:
        self.spy = Spy(TOOLS[tool])
        self.files, self.sandbox = SeenFiles(), MemorySandbox()
        self.gate = RuleGate(policy, self.files)
        self.journal = ListJournal((user_text("go"),))
        self.bench = Bench(
            ScriptedModel(calls(("c1", tool, dict(received))), says("done")),
            (self.spy,),
            self.journal,
            gate=self.gate,  # type: ignore[arg-type]  # another kind of gate
        )

    async def run(self) -> World:
        setup = self.bench.setup
        context = a_context(self.files, self.sandbox)
        object.__setattr__(setup, "tool_context", lambda *_given: context)
        ended = await run_turn(setup, self.journal.progress())
        assert isinstance(ended, TurnEnded)
        assert ended.error is None
        return self

    @property
    def card(self) -> ToolPart:
        (part,) = (one for one in self.bench.sink.parts if isinstance(one, ToolPart))
        return part

    @property
    def remembered(self) -> ToolUseBlock:
        messages: list[ModelMessage] = self.journal.messages
        (call,) = (call for message in messages for call in tool_uses(message))
        return call


PATHS = st.sampled_from(
    [
        "secret/key", "./secret/key", "/workspace/secret/key", "src/../secret/key", "secret//key",
        "/workspace/./secret/../secret/key", "a.txt", "src/a.py", "secret", "/workspace", "", ".",
        "/secret/key", "~/secret/key", "../workspace/secret/key", None, 5, ["secret/key"],
    ]
)  # fmt: skip
PATTERNS = st.sampled_from(
    [
        "secret/*", "/secret/*", "/workspace/secret/*", "./secret/*", "src/../secret/*", "**",
        "*", "../secret/*", "//secret/*", "s*/key", "/workspace/*/key", ".//secret/*", "secret/key",
        "/workspace/secret/key", "~/secret/*", "{secret,src}/*", "x", "~", "..", "./", "/", "",
    ]
)  # fmt: skip
NAMES = st.sampled_from(
    [
        "secret",
        "§secret",
        " secret",
        "x/secret",
        "/secret",
        "§ secret ",
        "open",
        "x/§secret",
        "§§secret",
    ]
)
NUMBERS = st.sampled_from([5, "5", 5.0, "5.0", "5e0", " 5", 7, "7.5", True, None, "x", [5]])
WORDS = st.sampled_from(["loud", "quiet", 5, None, ["loud"], "5.0"])
EDITS = st.sampled_from(
    [
        [{"old_string": "x", "new_string": "y"}], {"old": "x", "new": "y"}, "[]", None,
        '[{"old": "x", "new": "y"}]', ['{"old_string": "x", "new_string": "y"}'],
    ]
)  # fmt: skip
VALUES: dict[str, st.SearchStrategy[Any]] = {
    **dict.fromkeys(("path", "file_path"), PATHS),
    "pattern": PATTERNS,
    **dict.fromkeys(("name", "skill"), NAMES),
    **dict.fromkeys(("first", "second"), NUMBERS),
    "word": WORDS,
    "extra": WORDS,
    **dict.fromkeys(("content", "text"), st.sampled_from(["x", ["x", "y"], 5, None])),
    **dict.fromkeys(("old_string", "old", "new_string", "new"), st.sampled_from(["x", "y", None])),
    "edits": EDITS,
    "command": st.sampled_from(["evil", "fine", "", " ", 5, ["evil"]]),
    **dict.fromkeys(("offset", "limit", "start", "-A"), st.sampled_from([1, "2", 0, -1, None])),
    "todos": st.sampled_from([[{"content": "a"}], '[{"content": "a"}]', {"content": "a"}, None]),
}
RECEIVED = st.fixed_dictionaries({}, optional=VALUES)


@pytest.mark.parametrize("tool", TOOLS)
@given(received=RECEIVED)
async def test_what_runs_was_judged_and_is_what_everybody_sees(
    tool: str, received: dict[str, Any]
) -> None:
    world = await World(tool, received).run()

    assert world.gate.families in ([], ["allow"], ["ask"], ["deny"])
    ran = [
        call.input
        for call, one in zip(world.gate.judged, world.gate.families, strict=True)
        if one == "allow"
    ]
    assert world.spy.ran == ran
    if world.gate.judged:
        (judged,) = world.gate.judged
        assert json.loads(world.card.input) == world.remembered.input == judged.input
        assert TOOLS[tool].read_input(judged.input) == judged.input
        place = judged.input.get("path")
        assert set(world.files.given) <= {place}
    else:
        assert world.card.status == "failed"
        assert world.files.reached == set()
        assert world.sandbox.ran == []


@pytest.mark.parametrize("tool", TOOLS)
@given(received=RECEIVED)
async def test_nothing_reaches_what_a_rule_denies(tool: str, received: dict[str, Any]) -> None:
    await check_nothing_denied(tool, received)


@pytest.mark.parametrize(
    ("tool", "received"),
    [
        ("Skill", {"name": "§secret"}),
        ("Skill", {"skill": "§ secret"}),
        ("read_skill", {"name": "x/secret"}),
        ("read_skill", {"name": "/secret"}),
        ("Read", {"file_path": "secret/key"}),
        ("read_file", {"file_path": "/workspace/secret/key"}),
        ("Write", {"file_path": "secret/key", "text": ["a", "b"]}),
        ("Edit", {"file_path": "./secret/key", "old": "x", "new": "y"}),
        ("edit_file", {"file_path": "secret/key", "edits": '[{"old": "x", "new": "y"}]'}),
        ("Glob", {"pattern": "/secret/*"}),
        ("Glob", {"pattern": ".//secret/*"}),
        ("Glob", {"pattern": "/workspace/secret/*"}),
        ("Grep", {"pattern": "x", "file_path": "secret"}),
        ("Addition", {"second": "5.0", "first": 1}),
        ("Addition", {"second": 1}),
        ("Addition", {"second": 1, "first": "5e0"}),
        ("Addition", {"second": 5.0, "first": 1}),
    ],
)
async def test_no_other_spelling_gets_round_a_deny(tool: str, received: dict[str, Any]) -> None:
    await check_nothing_denied(tool, received)


async def check_nothing_denied(tool: str, received: dict[str, Any]) -> None:
    world = await World(tool, received).run()

    assert not [path for path in world.files.reached if path.startswith("secret")]
    assert not [argv for argv in world.sandbox.ran if {"5", "loud"} & set(argv) or "evil" in argv]
    assert "HIDDEN" not in world.card.output


SAME: list[tuple[str, dict[str, Any], list[dict[str, Any]]]] = [
    ("Read", {"path": "src/a.py"}, [{"file_path": "src/a.py"}, {"path": "/workspace/src/a.py"}]),
    ("read_file", {"path": "src/a.py"}, [{"file_path": "./src/a.py"}]),
    ("Write", {"path": "n", "content": "a\nb"}, [{"file_path": "n", "text": ["a", "b"]}]),
    ("write_file", {"path": "n", "content": ""}, [{"file_path": "n", "body": ""}]),
    ("Edit", {"path": "a.txt", "old_string": "x", "new_string": "y"},
     [{"file_path": "a.txt", "old": "x", "new": "y", "why": "tidier"}]),
    ("edit_file", {"path": "a.txt", "edits": [{"old": "x", "new": "y"}]},
     [{"path": "a.txt", "old_string": "x", "new_string": "y"},
      {"path": "a.txt", "edits": {"old": "x", "new": "y"}}]),
    ("Glob", {"pattern": "*.py", "path": "src"}, [{"pattern": "/workspace/src/*.py"}]),
    ("Grep", {"pattern": "x", "path": "."}, [{"pattern": "x"}, {"pattern": "x", "path": ""}]),
    ("Bash", {"command": "fine"}, [{"command": "fine", "description": "says fine"}]),
    ("Skill", {"name": "open"}, [{"name": "§open"}, {"skill": "open"}, {"name": " open"}]),
    ("read_skill", {"name": "open"}, [{"name": "skills/open"}]),
    ("Addition", {"first": 1, "second": 2, "word": "quiet"},
     [{"first": "1", "second": 2.0}, {"first": 1, "second": "2", "word": None, "n": 9}]),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "plain", "others"), SAME)
async def test_a_harmless_call_in_another_spelling_is_not_asked_about(
    tool: str, plain: dict[str, Any], others: list[dict[str, Any]]
) -> None:
    for received in (plain, *others):
        world = await World(tool, received, Policy.of(allow=TOOLS)).run()
        assert (world.gate.families, world.spy.ran) == (["allow"], [plain])
        assert world.card.status == "completed"


@pytest.mark.parametrize(("tool", "plain", "others"), SAME)
@pytest.mark.parametrize("family", ["deny", "ask", "allow"])
def test_no_spelling_changes_a_verdict(
    tool: str, plain: dict[str, Any], others: list[dict[str, Any]], family: str
) -> None:
    rules: dict[str, Any] = {"allow": [tool], family: [tool]}
    policy = Policy.of(**rules)
    for received in others:
        read = TOOLS[tool].read_input(received)
        assert policy.evaluate(tool, read) == policy.evaluate(tool, plain)


@pytest.mark.parametrize(
    ("tool", "received", "said"),
    [
        ("Read", {}, 'Parameter "path" is missing'),
        ("Read", {"path": ["a"]}, "Received parameters: path (array)"),
        ("Read", {"path": "/etc/passwd"}, "outside the workspace"),
        ("Write", {"path": "a"}, 'Parameter "content"'),
        ("Edit", {"path": "a", "old_string": "x"}, 'Parameter "new_string"'),
        ("edit_file", {"path": "a"}, 'Parameter "edits"'),
        ("Bash", {"command": " "}, 'Parameter "command"'),
        ("Glob", {"pattern": "/etc/*"}, "/etc is outside the workspace"),
        ("Glob", {"pattern": "{a,b}" * 20}, "too many alternatives"),
        ("Skill", {"name": "nowhere"}, "no skill named nowhere"),
        ("read_skill", {"name": "nowhere"}, 'No skill named "nowhere"'),
        ("Addition", {}, 'Parameter "second"'),
        ("TodoWrite", {"todos": "x"}, "an array of objects"),
    ],
)
async def test_what_cannot_be_read_asks_nobody_and_is_told_at_once(
    tool: str, received: dict[str, Any], said: str
) -> None:
    world = await World(tool, received, Policy.of()).run()

    assert world.gate.judged == []
    assert (world.card.status, world.spy.ran) == ("failed", [])
    assert said in world.card.output


async def test_a_number_that_only_equals_another_runs_as_it_was_read() -> None:
    received = {"path": "a.txt", "offset": 2.0}
    world = await World("Read", received, Policy.of(allow=["Read(**)"])).run()

    (ran,) = world.spy.ran
    assert "2.0" not in json.dumps(ran)
    assert "2.0" not in json.dumps(world.card.input)


@pytest.mark.parametrize("tool", ["Read", "ListNothing"])
async def test_arguments_that_are_no_json_are_told_and_nothing_runs_with_defaults(
    tool: str,
) -> None:
    fake = FakeTool(tool)
    use = ToolUse("c1", tool, {}, '{"path": "a.t')
    journal = ListJournal((user_text("go"),))
    bench = Bench(ScriptedModel((use, Done("tool_use")), says("done")), (fake,), journal)
    await run_turn(bench.setup, journal.progress())

    assert (fake.runs, bench.gate.asked) == ([], [])
    (card,) = (part for part in bench.sink.parts if isinstance(part, ToolPart))
    assert card.status == "failed"
    assert card.output.endswith('They begin with: {"path": "a.t')
