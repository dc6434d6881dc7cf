"""The page of a workspace tells what agents find there, and which file is broken and why."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.cast import Cast, make_cast
from workspaces.sandboxes.folders import folders_of


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def settings_of(cast: Cast, language: str = "en") -> str:
    cast.alice.language = language
    cast.alice.save()
    client = Client()
    client.force_login(cast.alice)
    return client.get(f"/w/{cast.atelier.id}/settings").content.decode()


def test_broken_files_are_named_in_the_persons_language(cast: Cast) -> None:
    folder = folders_of(cast.atelier.place).workspace
    for path, text in (
        (".maia/skills/good/SKILL.md", "---\ndescription: Does <b>good</b>\n---\n"),
        (".maia/skills/bad/SKILL.md", "nothing"),
        (".maia/tools/add/TOOL.json", "{"),
    ):
        (folder / path).parent.mkdir(parents=True)
        (folder / path).write_text(text)
    english, french = settings_of(cast), settings_of(cast, "fr")

    assert "§good" in english
    assert "Does &lt;b&gt;good&lt;/b&gt;" in english
    assert ".maia/skills/bad/SKILL.md" in english
    assert "it does not begin with a YAML header" in english
    assert "its JSON is broken (line 1" in english
    assert "There is no MAIA.md, CLAUDE.md or AGENTS.md." in english
    assert "son JSON est cassé (line 1" in french
    assert "Ce que les agents trouvent ici" in french


def test_instructions_are_named(cast: Cast) -> None:
    (folders_of(cast.atelier.place).workspace / "AGENTS.md").write_text("Be kind.")

    assert "<code>AGENTS.md</code>" in settings_of(cast)
