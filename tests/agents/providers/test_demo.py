"""The demo model plays its scenes with whatever the tools answer, in both languages."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from string import Formatter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.content.model_messages import (
    ModelMessage,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    join_user,
)
from agents.domain.memory.context import MAX_PENDING, Heard, add_pending, build_request
from agents.domain.typed.user_commands import context_text
from agents.engine.ports.model import (
    ChatRequest,
    Done,
    StreamEvent,
    TextDelta,
    ThoughtDelta,
    ToolSpec,
    ToolUse,
)
from agents.providers.demo import DemoModel
from agents.providers.demo.texts import text_file

NAMES = ("Read", "Write", "Edit", "Glob", "Grep", "Bash", "TodoWrite")
TOOLS = tuple(ToolSpec(name, name, {"type": "object"}) for name in NAMES)
Answer = Callable[[ToolUse], tuple[str, bool]]


class Folder:
    """A pretended workspace: enough of the tools to play a scene to its end."""

    def __init__(self) -> None:
        self.files: dict[str, str] = {}
        self.ran: list[str] = []

    def __call__(self, use: ToolUse) -> tuple[str, bool]:
        given = use.input
        if use.name == "Write":
            self.files[given["path"]] = given["content"]
        elif use.name == "Edit":
            text = self.files[given["path"]]
            assert text.count(given["old_string"]) == 1
            self.files[given["path"]] = text.replace(given["old_string"], given["new_string"])
        elif use.name == "Read":
            if given["path"] not in self.files:
                return "No such file.", True
            lines = self.files[given["path"]].splitlines()
            return "\n".join(f"{n:6}\t{line}" for n, line in enumerate(lines, 1)), False
        elif use.name == "Bash":
            self.ran.append(given["command"])
            return "Hello, world!\n[exit code: 0]", False
        return "\n".join(self.files) or "ok", False


class Talk:
    def __init__(self, tools: tuple[ToolSpec, ...] = TOOLS) -> None:
        self.messages: tuple[ModelMessage, ...] = ()
        self.tools = tools
        self.used: list[ToolUse] = []
        self.events: list[StreamEvent] = []

    async def ask(self, text: str, answer: Answer) -> str:
        """Returns what the model said in the whole turn."""
        self.messages = join_user(self.messages, text)
        self.events, self.used = [], []
        for _ in range(8):
            request = ChatRequest("You are MAIA.", self.messages, self.tools)
            events = [event async for event in DemoModel(delay=0).stream(request)]
            self.events += events
            uses = [event for event in events if isinstance(event, ToolUse)]
            self._remember(events, uses)
            if not uses:
                assert events[-1] == Done("end_turn")
                return self._said(self.events)
            assert events[-1] == Done("tool_use")
            results = [(use, *answer(use)) for use in uses]
            blocks = [
                ToolResultBlock(tool_use_id=use.id, content=text, is_error=failed or None)
                for use, text, failed in results
            ]
            self.messages = (*self.messages, ModelMessage(role="user", content=tuple(blocks)))
        raise AssertionError("the scene never ends")

    def _remember(self, events: list[StreamEvent], uses: list[ToolUse]) -> None:
        self.used += uses
        blocks = [ToolUseBlock(id=use.id, name=use.name, input=use.input) for use in uses]
        content = (TextBlock(text=self._said(events)), *blocks)
        self.messages = (*self.messages, ModelMessage(role="assistant", content=content))

    @staticmethod
    def _said(events: list[StreamEvent]) -> str:
        return "".join(event.text for event in events if isinstance(event, TextDelta))

    @property
    def names(self) -> list[str]:
        return [use.name for use in self.used]


@pytest.mark.parametrize(
    "asked",
    [
        "write a hello world in Python and run it",
        "Please create hello.py and execute it",
        "écris un hello world en Python et lance-le",
        "Crée un programme Python et exécute-le",
    ],
)
async def test_a_program_is_planned_written_run_and_shown(asked: str) -> None:
    folder, talk = Folder(), Talk()
    said = await talk.ask(asked, folder)
    assert talk.names == ["TodoWrite", "Write", "TodoWrite", "Bash", "TodoWrite"]
    assert any(isinstance(event, ThoughtDelta) for event in talk.events)
    compile(folder.files["hello.py"], "hello.py", "exec")
    assert folder.ran == ["python3 hello.py"]
    assert "Hello, world!" in said
    last = talk.used[-1].input["todos"]
    assert [todo["status"] for todo in last] == ["completed", "completed"]


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf build",
        "rm hello.py && echo $(id)",
        "echo 'write a \"plan\"' > notes.md",
        "ls",
        "git log .",
    ],
)
async def test_a_command_behind_run_is_run_as_it_stands(command: str) -> None:
    for lead in ("run ", "@maia run ", "lance la commande "):
        folder, talk = Folder(), Talk()
        await talk.ask(lead + command, folder)
        assert (talk.names, folder.ran) == (["Bash"], [command])


@pytest.mark.parametrize("lead", ["run ", "@maia Run ", "lance la commande "])
async def test_a_quoted_command_behind_run_is_run_whatever_words_it_holds(lead: str) -> None:
    folder, talk = Folder(), Talk()
    await talk.ask(f"{lead}`make plan`.", folder)
    assert (talk.names, folder.ran) == (["Bash"], ["make plan"])


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("speaker", ["Camille", None])
async def test_what_comes_with_a_request_is_not_taken_for_it(
    speaker: str | None, language: str
) -> None:
    ran = context_text("printf 'add \"a\"' > plan.md", "nothing\n[exit code: 0]", language)
    pending = add_pending(["x" * MAX_PENDING], ran, language)
    heard = [Heard("Léo", 'make a plan and replace "one" with "two"')]
    for unseen in ((), heard):
        request = build_request("@maia run `ls`", speaker=speaker, unseen=unseen, pending=pending)
        folder, talk = Folder(), Talk()
        await talk.ask(request, folder)
        assert (talk.names, folder.ran) == (["Bash"], ["ls"])


async def test_a_file_is_changed_as_quoted_after_being_read() -> None:
    folder, talk = Folder(), Talk()
    await talk.ask("write a hello world in Python", folder)
    assert talk.names == ["Write"]
    await talk.ask('replace "Hello" with "Good morning" in hello.py', folder)
    assert talk.names == ["Read", "Edit"]
    assert "Good morning, {name}" in folder.files["hello.py"]


async def test_a_change_without_particulars_adds_a_line_to_the_last_file() -> None:
    folder, talk = Folder(), Talk()
    await talk.ask("écris un fichier notes.md", folder)
    before = folder.files["notes.md"]
    said = await talk.ask("modifie-le", folder)
    assert len(folder.files["notes.md"]) > len(before)
    assert "modifié" in said


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("list the files", ["Glob"]),
        ("liste les fichiers", ["Glob"]),
        ("search for greet", ["Grep"]),
        ("cherche « greet »", ["Grep"]),
        ("run `python3 --version`", ["Bash"]),
        ("run the tests", ["Bash"]),
        ("lance les tests", ["Bash"]),
        ("make a todo list for a picnic", ["TodoWrite"] * 3),
        ("fais une liste de tâches pour un pique-nique", ["TodoWrite"] * 3),
        ("show me a markdown table and some code", []),
        ("montre-moi un tableau markdown et du code", []),
        ("think about why the sky is blue", []),
        ("réfléchis : pourquoi le ciel est-il bleu ?", []),
        ("hello", []),
        ("quelle heure est-il à Tokyo", []),
        ("", []),
    ],
)
async def test_each_request_of_the_list_is_understood(asked: str, names: list[str]) -> None:
    talk = Talk()
    said = await talk.ask(asked, Folder())
    assert talk.names == names
    assert said.strip()


async def test_every_suggestion_of_the_help_leads_somewhere() -> None:
    for hello in ("hello", "bonjour"):
        help_text = await Talk().ask(hello, Folder())
        asked = re.findall(r"(?m)\*(?!\*)([^*\n]+)\*(?:,|$)", help_text)
        assert len(asked) >= 6
        for one in asked:
            folder = Folder()
            folder.files["hello.py"] = 'print("Hello, world!")\n'
            assert await Talk().ask(one, folder) != help_text


async def test_what_read_says_of_a_file_is_none_of_its_lines() -> None:
    said = "     1\tone\n     2\ttwo\n[line ends: CRLF; write \\n in edits, the file keeps its own]"
    talk = Talk()
    shown = await talk.ask("read notes.txt", lambda _use: (said, False))
    assert "```text\none\ntwo\n```" in shown
    await talk.ask("add a remark to notes.txt", lambda _use: (said, False))
    assert talk.used[-1].input["old_string"] == "one"


async def test_a_showcase_has_a_table_and_code() -> None:
    said = await Talk().ask("show me markdown", Folder())
    assert "| Tool |" in said
    assert "```python" in said


async def test_it_says_that_it_is_a_demonstration() -> None:
    assert "demo model" in await Talk().ask("hi there", Folder())
    assert "démonstration" in await Talk().ask("bonjour à tous", Folder())


async def test_a_refusal_is_accepted_and_its_word_repeated() -> None:
    def refuse(use: ToolUse) -> tuple[str, bool]:
        return ("ok", False) if use.name == "TodoWrite" else ("Refused: call it main.py", True)

    talk = Talk()
    said = await talk.ask("write a hello world in Python and run it", refuse)
    assert talk.names == ["TodoWrite", "Write"]
    assert "call it main.py" in said


async def test_a_refused_command_ends_the_scene_but_a_failing_one_is_shown() -> None:
    talk = Talk()
    said = await talk.ask("run `false`", lambda _: ("The user refused this action.", True))
    assert "refused" in said
    assert talk.names == ["Bash"]
    said = await Talk().ask("run `false`", lambda _: ("oops\n[exit code: 1]", True))
    assert "oops" in said
    assert "did not work" not in said


async def test_a_missing_file_is_told() -> None:
    said = await Talk().ask('replace "a" with "b" in gone.txt', Folder())
    assert "No such file" in said


async def test_a_tool_that_is_not_offered_is_not_called() -> None:
    talk = Talk(tools=())
    said = await talk.ask("list the files", Folder())
    assert talk.names == []
    assert "Glob" in said


async def test_ids_never_repeat_in_a_conversation() -> None:
    folder, talk, ids = Folder(), Talk(), list[str]()
    for asked in ("write a hello world in Python and run it", "list the files", "run `ls`"):
        await talk.ask(asked, folder)
        ids += [use.id for use in talk.used]
    assert len(ids) == len(set(ids)) == 7


async def test_the_same_request_gets_the_same_answer() -> None:
    one, two = Talk(), Talk()
    assert await one.ask("make a plan", Folder()) == await two.ask("make a plan", Folder())
    assert one.events == two.events


@given(st.text(max_size=200))
async def test_no_request_breaks_it(asked: str) -> None:
    text = asked.encode("utf-8", "replace").decode()
    await Talk().ask(text, lambda _: ("ok", False))


def test_what_it_says_stands_in_both_languages_with_the_same_gaps() -> None:
    for name, texts in tomllib.loads(text_file("sayings.toml")).items():
        gaps = [
            sorted(field for _, field, _, _ in Formatter().parse(one) if field) for one in texts
        ]
        assert len(gaps) == 2, name
        assert gaps[0] == gaps[1], name
        assert texts[0].count("\n") == texts[1].count("\n"), name
