"""Completion and the library over REST: scoped by person, fast on many files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.test import Client

from agents.domain.typed.completion import MOST
from agents.models import Turn
from agents.services.typed.user_commands import post_command
from tests.cast import Cast
from workspaces.files.listing import forget_listings
from workspaces.sandboxes.base import probed
from workspaces.sandboxes.folders import folders_of

MANY = 20_000


@pytest.fixture(autouse=True)
def _fresh() -> None:
    forget_listings()


@pytest.fixture
def folder(cast: Cast) -> Path:
    found = async_to_sync(probed)()
    if found.bwrap is None:
        pytest.skip(found.problem)
    return folders_of(cast.atelier.place).workspace


def signed_in(person: Any) -> Client:
    client = Client()
    client.force_login(person)
    return client


def options(person: Any, channel: str, kind: str, prefix: str = "") -> list[dict[str, Any]]:
    answer = signed_in(person).get(
        f"/api/channels/{channel}/complete", {"kind": kind, "prefix": prefix}
    )
    assert answer.status_code == 200, answer.content
    found: list[dict[str, Any]] = answer.json()["options"]
    return found


def inserted(person: Any, channel: str, kind: str, prefix: str = "") -> list[str]:
    return [option["insert"] for option in options(person, channel, kind, prefix)]


def test_agents_come_before_files_and_folders_go_on(cast: Cast, channel: str, folder: Path) -> None:
    (folder / "main.py").write_text("")
    (folder / "docs").mkdir()
    (folder / "docs/my notes.md").write_text("")

    assert inserted(cast.alice, channel, "@", "ma") == ["@maia ", "@main.py "]
    assert inserted(cast.alice, channel, "@", "do")[0] == "@docs/"
    assert inserted(cast.alice, channel, "@", "'docs/my n") == ["@'docs/my notes.md' "]
    assert inserted(cast.alice, channel, "$", "main") == ["$main.py "]


def test_the_home_is_each_persons_own(cast: Cast, channel: str, folder: Path) -> None:
    (folders_of(cast.atelier.place).home / "secret.md").write_text("")

    assert inserted(cast.alice, channel, "@", "~/sec") == ["@~/secret.md "]
    assert inserted(cast.bob, channel, "@", "~/sec") == []


def test_skills_show_what_they_do(cast: Cast, channel: str, folder: Path) -> None:
    skill = folder / ".maia/skills/release-notes"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\ndescription: Groups the changes\n---\n")

    (found,) = options(cast.alice, channel, "§", "rel")
    assert (found["insert"], found["words"]) == ("§release-notes ", "Groups the changes")
    assert options(cast.alice, channel, "§", "x") == []


def test_commands_are_remembered_for_the_person_who_typed_them(cast: Cast, channel: str) -> None:
    for command in ("ls -la", "make", "ls -la", "'odd'"):
        post_command(cast.alice.pk, channel, f"!{command}", command)
        Turn.objects.update(state="ended")

    assert inserted(cast.alice, channel, "!") == ["!'\\'odd\\''", "!ls -la", "!make"]
    assert inserted(cast.alice, channel, "!", "ls") == ["!ls -la"]
    assert inserted(cast.bob, channel, "!") == []


def test_slash_commands_are_offered_too(cast: Cast, channel: str) -> None:
    (found,) = options(cast.vera, channel, "/", "comp")
    assert found["insert"] == "/compact "
    assert found["words"]


@pytest.mark.parametrize(
    "path", ["channels/{channel}/complete?kind=@", "workspaces/{workspace}/library"]
)
def test_strangers_learn_nothing(cast: Cast, channel: str, path: str) -> None:
    address = "/api/" + path.format(channel=channel, workspace=cast.atelier.id)

    assert signed_in(cast.charlie).get(address).status_code == 404
    assert Client().get(address).status_code == 401
    assert signed_in(cast.vera).get(address).status_code == 200


def test_bad_questions_are_refused(cast: Cast, channel: str) -> None:
    client = signed_in(cast.alice)
    address = f"/api/channels/{channel}/complete"

    assert client.get(address, {"kind": "%"}).status_code == 422
    assert client.get(address, {"kind": "@", "prefix": "x" * 1_001}).status_code == 422
    assert inserted(cast.alice, channel, "@", "../../etc") == []
    assert inserted(cast.alice, channel, "@", "~/../x") == []


def test_among_20_000_files_few_are_offered_the_best_first(
    cast: Cast, channel: str, folder: Path
) -> None:
    for number in range(10):
        (folder / f"d{number}").mkdir()
    for number in range(MANY):
        (folder / f"d{number % 10}/f{number}.txt").touch()
    assert inserted(cast.alice, channel, "@", "d3/f1999")[0] == "@d3/f19993.txt "
    assert inserted(cast.alice, channel, "@", "zzzzz") == []
    for prefix in ("", "f1", "dft"):
        assert 0 < len(inserted(cast.alice, channel, "@", prefix)) <= MOST


def test_the_library_names_what_is_there_and_what_is_broken(
    cast: Cast, channel: str, folder: Path
) -> None:
    (folder / "CLAUDE.md").write_text("Be kind.")
    for name, text in (("good", "---\ndescription: Good\n---\n"), ("bad", "nothing")):
        path = folder / ".maia/skills" / name
        path.mkdir(parents=True)
        (path / "SKILL.md").write_text(text)
    cast.alice.language = "fr"
    cast.alice.save()
    shown = signed_in(cast.alice).get(f"/api/workspaces/{cast.atelier.id}/library").json()

    assert shown["instructions"] == "CLAUDE.md"
    assert [one["name"] for one in shown["skills"]] == ["good"]
    (warning,) = [one for one in shown["warnings"] if "skills" in one["file"]]
    assert warning["file"] == ".maia/skills/bad/SKILL.md"
    assert warning["message"].startswith("il ne commence pas par un en-tête")
