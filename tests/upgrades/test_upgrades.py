"""This commit starts on the data of earlier ones, and refuses what does not fit in a sentence."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.fixtures import StartServer
from tests.support.openai_behaviours import answer, text
from tests.support.openai_server import ScriptedServer
from tests.support.processes import ROOT
from tests.support.reader import last_said, pending, reading, said, tools
from tests.support.server import MaiaServer
from tests.upgrades.conftest import FIRST, Earlier


def test_no_migration_that_made_data_is_ever_touched_again(commit: Path) -> None:
    made = json.loads((commit / "told.json").read_text())["migrations"]
    assert any(path.endswith("0001_initial.py") for path in made)
    now = {path: hashlib.sha256((ROOT / path).read_bytes()).hexdigest() for path in made}
    assert now == made


async def test_people_go_on_where_they_were(
    start_server: StartServer, model_server: ScriptedServer, earlier: Earlier
) -> None:
    earlier.execute("UPDATE agents_modelserver SET url = ?", (model_server.url,))
    server = start_server(earlier.env)
    model_server.script(answer(text("Written.")))
    channel, workspace = earlier.site["channel"], earlier.site["workspace"]
    with server.sign_in("alice") as alice, server.sign_in("bob") as bob:
        for scope, family, rule in earlier.told["rules"]:
            rules = alice.get("/api/rules", params={"scope": scope}).json()
            assert (family, rule) in [(one["family"], one["text"]) for one in rules]
        assert workspace in [one["id"] for one in bob.get("/api/workspaces").json()]
        async with reading(server, alice, channel) as tab:
            told = [said(message) for message in tab.state.messages]
            assert told[:4] == [
                "@maia good morning",
                "Good morning, Alice.",
                "@maia is it true?",
                "It is true.",
            ]
            assert [card.status for card in tools(tab.state.messages[3])] == ["completed"]
            [request] = (await tab.until(pending)).permissions
            assert request.id == earlier.site["request"]
            await tab.answer(request, "allow_once")
            state = await tab.until_idle()
    assert last_said(state) == "Written."
    assert (earlier.data / "workspaces" / workspace / "ran.txt").read_text() == "line\n"
    assert model_server.chats[-1].headers["authorization"] == f"Bearer {earlier.told['model_key']}"


of_the_first = pytest.mark.parametrize("commit", [FIRST], indirect=True)


@of_the_first
def test_a_database_of_a_later_release_is_left_alone(earlier: Earlier) -> None:
    values = ("agents", "0999_of_tomorrow", "2030-01-01 00:00:00+00:00")
    earlier.execute("INSERT INTO django_migrations (app, name, applied) VALUES (?, ?, ?)", values)
    told = MaiaServer(earlier.data, earlier.env).refusal()
    assert "later MAIA (it has agents.0999_of_tomorrow)" in told
    assert "Start that release again" in told


@of_the_first
def test_a_database_of_another_program_is_left_alone(earlier: Earlier) -> None:
    earlier.execute("DELETE FROM django_migrations")
    earlier.execute("CREATE TABLE theirs (id integer)")
    told = MaiaServer(earlier.data, earlier.env).refusal()
    assert "belongs to another program (theirs)" in told
    assert "DATABASE_URL" in told


@of_the_first
def test_a_schema_that_somebody_changed_is_named(earlier: Earlier) -> None:
    earlier.execute("ALTER TABLE agents_channel RENAME COLUMN description TO about")
    told = MaiaServer(earlier.data, earlier.env).refusal()
    assert "lacks agents_channel.description" in told


def test_a_start_that_was_killed_in_its_first_moment_is_taken_up(
    data: Path, start_server: StartServer
) -> None:
    data.mkdir()
    with closing(sqlite3.connect(data / "maia.sqlite3")) as database:
        columns = "id integer PRIMARY KEY, app text, name text, applied text"
        database.execute(f"CREATE TABLE django_migrations ({columns})")
    server = start_server()
    with server.http() as client:
        assert client.get("/sign-in").status_code in {200, 302}
