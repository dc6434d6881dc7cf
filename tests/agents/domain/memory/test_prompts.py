"""The system prompt: language, folder, instructions or a summary."""

from __future__ import annotations

import re

import pytest

from agents.domain.memory.prompts import build_system_prompt


@pytest.mark.parametrize(("language", "word"), [("en", "You are MAIA"), ("fr-ca", "Tu es MAIA")])
def test_the_prompt_speaks_the_language_and_names_the_folder(language: str, word: str) -> None:
    prompt = build_system_prompt(language, "/workspace")
    assert prompt.startswith(word)
    assert "/workspace" in prompt
    assert "TodoWrite" in prompt


@pytest.mark.parametrize("language", ["en", "fr"])
def test_an_agent_without_our_tools_is_not_told_to_use_them(language: str) -> None:
    prompt = build_system_prompt(language, "/workspace", names_tools=False)
    assert "MAIA" in prompt
    assert not {"Glob", "Grep", "TodoWrite", "Bash"} & set(re.findall(r"\w+", prompt))


def test_any_other_language_gives_english() -> None:
    assert build_system_prompt("de", "/w") == build_system_prompt("en", "/w")


def test_instructions_stand_under_their_path_and_are_not_filled_in() -> None:
    prompt = build_system_prompt("en", "/w", ("MAIA.md", "Use {folder} tabs.\n"))
    assert prompt.endswith("# Instructions (MAIA.md)\n\nUse {folder} tabs.")


@pytest.mark.parametrize(
    ("language", "title"),
    [
        ("en", "# Starting context: compacted summary of the conversation so far"),
        ("fr", "# Contexte de départ : résumé compacté de la conversation précédente"),
    ],
)
def test_a_summary_stands_behind_the_instructions(language: str, title: str) -> None:
    before = build_system_prompt(language, "/w", ("MAIA.md", "tabs"))
    prompt = build_system_prompt(language, "/w", ("MAIA.md", "tabs"), "## Objectif\n- finir")
    assert prompt == f"{before}\n\n{title}\n\n## Objectif\n- finir"


def test_empty_instructions_are_left_out() -> None:
    assert "# Instructions" not in build_system_prompt("en", "/w", ("MAIA.md", " \n"))
