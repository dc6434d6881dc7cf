"""No file is read on the database's thread: nobody's question waits for a disk."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import current_thread
from typing import Any

import pytest
from asgiref.sync import ThreadSensitiveContext
from django.conf import settings
from django.test import AsyncClient

from agents.library import found
from agents.runtime.host import Host
from maia_web.lib.db import in_db
from tests.agents.consumers.conftest import Connect, connect
from tests.agents.services.permissions.asked import ask, start_turn
from tests.cast import Cast
from tests.support.listener import listening
from tests.support.openai_behaviours import answer, text, tool_answer
from tests.support.openai_server import ScriptedServer
from workspaces.files import beneath
from workspaces.sandboxes.folders import folders_of

pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["connect"]


class Opened:
    """Which threads opened files since it was last asked, and which files."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._by: dict[str, list[str]] = {}
        real_beneath, real_team = beneath.open_beneath, found.use_team_file

        def opened(folder: int, path: str, *args: Any, **more: Any) -> int:
            self._note(path)
            return real_beneath(folder, path, *args, **more)

        def team(path: Path, use: Callable[..., Any]) -> Any:
            self._note(str(path))
            return real_team(path, use)

        monkeypatch.setattr(beneath, "open_beneath", opened)
        monkeypatch.setattr(found, "use_team_file", team)

    def _note(self, path: str) -> None:
        self._by.setdefault(current_thread().name, []).append(path)

    def check(self, *some: str) -> None:
        """Fails if the database's thread opened one, or if none of `some` was opened at all."""
        by, self._by = self._by, {}
        all_of_them = [path for paths in by.values() for path in paths]
        assert [path for path in some if path not in all_of_them] == []
        assert {name: paths for name, paths in by.items() if name.startswith("database")} == {}


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Opened:
    return Opened(monkeypatch)


RULES = ".maia/settings.json"
SKILL = ".maia/skills/greet/SKILL.md"


@pytest.fixture
def place(cast: Cast) -> Iterator[Path]:
    """A workspace with a skill, a tool, instructions and rules; the team has a skill too."""
    root = folders_of(cast.atelier.place).workspace
    for path, content in (
        (SKILL, "---\ndescription: Says hello\n---\nHello."),
        (".maia/tools/t/TOOL.json", '{"description": "x", "command": {"run": "true"}}'),
        (RULES, json.dumps({"permissions": {"deny": ["Bash(rm *)"], "allow": ["Bash(make)"]}})),
        (".maia/config.json", "{}"),
        ("MAIA.md", "Be kind."),
    ):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content)
    team = settings.DATA / "library/skills/of-the-team/SKILL.md"
    team.parent.mkdir(parents=True, exist_ok=True)
    team.write_text("---\ndescription: x\n---\nx")
    yield root
    team.unlink()
    team.parent.rmdir()


async def test_that_the_database_has_a_thread_of_that_name(cast: Cast) -> None:
    assert (await in_db(current_thread)()).name.startswith("database")


@pytest.mark.parametrize(
    ("line", "files"),
    [
        ("/help", [SKILL]),
        ("/permissions", [RULES]),
        ("/new", [SKILL, RULES, ".maia/config.json"]),
        ("/clear", [SKILL, RULES, "MAIA.md"]),
        ("§", [SKILL]),
        ("§greet all", [SKILL]),
    ],
)
async def test_a_typed_line(
    cast: Cast, channel: str, connect: Connect, place: Path, opened: Opened, line: str,
    files: list[str],
) -> None:  # fmt: skip
    socket = await connect(cast.alice)
    said = await socket.command("channel:send", channel=channel, text=line)
    assert said["type"] == "ack"
    opened.check(*files)


@pytest.mark.parametrize(
    ("address", "files"),
    [
        ("/api/channels/{channel}/complete?kind=%40&prefix=~/", []),
        ("/api/channels/{channel}/complete?kind=%C2%A7&prefix=gr", [SKILL]),
        ("/api/channels/{channel}/warnings", [SKILL, RULES]),
        ("/api/workspaces/{workspace}/library", [SKILL, RULES]),
        ("/api/rules/files/{workspace}", [RULES]),
    ],
)
async def test_a_page(
    cast: Cast, channel: str, place: Path, opened: Opened, address: str, files: list[str]
) -> None:
    client = AsyncClient()
    await client.aforce_login(cast.alice)
    async with ThreadSensitiveContext():  # as the server does around each request
        got = await client.get(address.format(channel=channel, workspace=cast.atelier.id))
    assert got.status_code == 200, got.content
    opened.check(*files)


async def test_a_turn_its_judged_calls_and_its_skill(
    cast: Cast, direct: str, connect: Connect, place: Path, opened: Opened, host: Host,
    model: ScriptedServer,
) -> None:  # fmt: skip
    model.script(
        tool_answer("Read", {"path": "MAIA.md"}),
        tool_answer("Bash", {"command": "rm x"}),
        answer(text("Done.")),
    )
    socket = await connect(cast.alice)
    async with listening(cast.alice.pk, direct) as listener:
        await socket.command("channel:send", channel=direct, text="§greet @MAIA.md")
        state = await listener.until_idle()
    assert "Bash(rm *)" in json.dumps([one.wire() for one in state.messages])
    opened.check(SKILL, RULES, "MAIA.md", ".maia/config.json")


async def test_a_call_that_is_asked_about_and_its_answer(
    cast: Cast, direct: str, connect: Connect, place: Path, opened: Opened, host: Host,
    model: ScriptedServer,
) -> None:  # fmt: skip
    model.script(tool_answer("Bash", {"command": "cat MAIA.md"}), answer(text("Done.")))
    socket = await connect(cast.alice)
    async with listening(cast.alice.pk, direct) as listener:
        await socket.command("channel:send", channel=direct, text="go on")
        state = await listener.until(lambda s: any(r.state == "pending" for r in s.permissions))
        opened.check(RULES)
        given = {"option": "allow_always", "rule": "Bash(cat *)", "scope": "person"}
        answered = await socket.command("permission:answer", id=state.permissions[0].id, **given)
        assert answered["type"] == "ack", answered
        await listener.until_idle()
    opened.check(RULES)


async def test_a_proposal(
    cast: Cast, channel: str, connect: Connect, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = await in_db(start_turn)(cast.bob.pk, channel)
    request = await in_db(ask)(cast, turn, "make clean")
    opened = Opened(monkeypatch)
    socket = await connect(cast.alice)
    input = {"command": "make cleaner"}
    done = await socket.command("permission:propose", id=request.id, input=input)
    assert done["type"] == "ack", done
    opened.check(RULES)
