"""Warnings: each broken file with its cause, over REST and on the workspace's page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils.html import escape
from pytest_django.fixtures import Settings

from maia_web.accounts.models import User
from tests.cast import Cast
from workspaces.files.local import LocalFiles


class Files:
    """Writes where alice's agents look, in a data folder of this test alone."""

    def __init__(self, cast: Cast) -> None:
        self._files = LocalFiles(cast.atelier.place)

    def write(self, path: str, text: str | dict[str, Any]) -> None:
        self._files.write(path, text if isinstance(text, str) else json.dumps(text))


@pytest.fixture
def files(cast: Cast, settings: Settings, tmp_path: Path) -> Files:
    settings.DATA = tmp_path
    return Files(cast)


def get(person: User, address: str) -> Any:
    client = Client()
    client.force_login(person)
    answer = client.get(address)
    assert answer.status_code == 200
    return answer


def warnings(person: User, channel: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = get(person, f"/api/channels/{channel}/warnings").json()[
        "warnings"
    ]
    return found


def test_nothing_is_said_of_files_that_are_fine_or_not_there(
    cast: Cast, channel: str, files: Files
) -> None:
    assert warnings(cast.alice, channel) == []
    files.write(".maia/settings.json", {"permissions": {"deny": ["Bash"]}})
    assert warnings(cast.alice, channel) == []


def test_each_broken_file_is_named_with_its_cause(cast: Cast, channel: str, files: Files) -> None:
    files.write(".maia/settings.json", {"permissions": {"allow": ["Bash(ls", "Read(**)"]}})
    files.write("~/.maia/settings.json", "{no json")
    files.write(".maia/skills/s/SKILL.md", "no header")
    files.write("~/.maia/tools/t/TOOL.json", "[")
    files.write(".maia/config.json", '{"model": 7}')

    found = {one["file"]: one for one in warnings(cast.alice, channel)}
    assert set(found) == {
        ".maia/settings.json",
        "~/.maia/settings.json",
        ".maia/skills/s/SKILL.md",
        "~/.maia/tools/t/TOOL.json",
        ".maia/config.json",
    }
    assert found[".maia/settings.json"]["entry"] == "Bash(ls"
    assert "entry" not in found["~/.maia/settings.json"]
    assert "JSON" in found["~/.maia/settings.json"]["message"]
    # bob's home is another, and he reads French
    cast.bob.language = "fr"
    cast.bob.save()
    theirs = {one["file"]: one["message"] for one in warnings(cast.bob, channel)}
    assert set(theirs) == {".maia/settings.json", ".maia/config.json", ".maia/skills/s/SKILL.md"}
    assert theirs[".maia/skills/s/SKILL.md"].startswith("il ne commence pas")


def test_library_and_workspace_page_say_the_same(cast: Cast, channel: str, files: Files) -> None:
    files.write(".maia/settings.json", {"permissions": {"allow": ["Bash(ls"]}})
    files.write("~/.maia/tools/t/TOOL.json", "[")

    library = get(cast.alice, f"/api/workspaces/{cast.atelier.id}/library").json()
    assert library["warnings"] == warnings(cast.alice, channel)
    page = get(cast.alice, f"/w/{cast.atelier.id}/settings").content.decode()
    for one in library["warnings"]:
        assert one["file"] in page
        assert escape(one["message"]) in page
    assert "Bash(ls" in page


def test_a_model_server_of_ones_own_is_judged_where_it_would_count(
    cast: Cast, channel: str, files: Files, settings: Settings
) -> None:
    files.write("~/.maia/settings.json", {"LiteLLM_URL": "https://mine.example"})
    (one,) = warnings(cast.alice, channel)
    assert one["message"].startswith("LiteLLM_URL: this does not count")
    settings.OWN_MODEL_SERVERS = True
    (one,) = warnings(cast.alice, channel)
    assert one == {"file": "~/.maia/settings.json", "message": "OpenAI_EndPoint is missing"}
    files.write("~/.maia/settings.json", "{")
    assert len(warnings(cast.alice, channel)) == 1


def test_strangers_learn_nothing(cast: Cast, channel: str) -> None:
    client = Client()
    client.force_login(cast.charlie)
    assert client.get(f"/api/channels/{channel}/warnings").status_code == 404
