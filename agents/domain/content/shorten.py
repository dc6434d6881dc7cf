"""shorten: long texts keep their beginning and their end."""

from __future__ import annotations

from agents.domain.content.turn_texts import turn_text


def shorten(text: str, limit: int, language: str = "en") -> str:
    """Returns `text` in about `limit` characters, the middle left out and counted."""
    if len(text) <= limit:
        return text
    half = limit // 2
    gap = turn_text("shortened", language, count=len(text) - 2 * half)
    return f"{text[:half]}\n{gap}\n{text[len(text) - half :]}"
