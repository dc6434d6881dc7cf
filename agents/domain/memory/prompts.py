"""System prompt: who MAIA is, where it works, and the project's instructions (seed M §11.1)."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from agents.domain.content.wording import Sentences, say

FOLDER = Path(__file__).parent / "prompt_texts"
_NAMED = re.compile(r"\b(?:Glob|TodoWrite)\b")
_TITLES: Sentences = {
    "instructions": ("# Instructions ({path})", "# Instructions ({path})"),
    "start": (
        "# Starting context: compacted summary of the conversation so far",
        "# Contexte de départ : résumé compacté de la conversation précédente",
    ),
}


def build_system_prompt(
    language: str,
    folder: str,
    instructions: tuple[str, str] | None = None,
    start_context: str = "",
    *,
    names_tools: bool = True,
) -> str:
    """Returns the prompt in "en" or "fr" for work in `folder`.

    `names_tools`: the agent has MAIA's own tools, which the prompt tells how to choose from.

    `instructions` are path and text of MAIA.md, CLAUDE.md or AGENTS.md. They stand before a
    `start_context`, the summary of a compacted conversation, so that what a server keeps of the
    prompt outlives a compaction; seed M §14.1 puts the summary in their place.
    """
    base = _base("fr" if language.startswith("fr") else "en", names_tools)
    sections = [base.replace("{folder}", folder)]
    if instructions is not None and instructions[1].strip():
        path, text = instructions
        sections.append(f"{say(_TITLES, 'instructions', language, path=path)}\n\n{text.strip()}")
    if start_context.strip():
        sections.append(f"{say(_TITLES, 'start', language)}\n\n{start_context.strip()}")
    return "\n\n".join(sections)


@cache
def _base(language: str, names_tools: bool) -> str:
    lines = (FOLDER / f"system.{language}.md").read_text(encoding="utf-8").strip().split("\n")
    return "\n".join(line for line in lines if names_tools or not _NAMED.search(line))
