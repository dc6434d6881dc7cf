"""Text and marks keep the contrast of WCAG 2.2 AA, in the light and the dark theme."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TOKENS = Path(__file__).resolve().parents[2] / "static" / "css" / "tokens.css"
DECLARED = re.compile(r"^\s*--([\w-]+):\s*light-dark\((#[0-9a-f]{6}),\s*(#[0-9a-f]{6})\)", re.M)
SURFACES = ("canvas", "surface", "raised", "sunken")
STATES = ("ok", "warn", "fail", "info", "ask", "accent")
TEXT, MARK = 4.5, 3.0

PAIRS = [
    *((ink, surface, TEXT) for ink in ("ink", "ink-2", "ink-3") for surface in SURFACES),
    *((state, surface, TEXT) for state in STATES for surface in ("surface", "raised")),
    *((state, f"{state}-soft", TEXT) for state in STATES),
    ("ink-invert", "primary", TEXT),
    ("on-accent", "accent", TEXT),
    ("on-ask", "ask", TEXT),
    ("on-fail", "fail", TEXT),
    ("ink", "bubble", TEXT),
    *(("ink", f"person-{number}", TEXT) for number in (1, 2, 3, 4)),
    ("line-control", "raised", MARK),
    *(("focus", surface, MARK) for surface in SURFACES),
    *((f"ctx-{level}", "surface", MARK) for level in ("ok", "warn", "crit")),
]


def _tokens() -> dict[str, tuple[str, str]]:
    return {name: (light, dark) for name, light, dark in DECLARED.findall(TOKENS.read_text())}


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(("front", "back", "least"), PAIRS)
@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_this_pair_can_be_told_apart(theme: int, front: str, back: str, least: float) -> None:
    tokens = _tokens()
    ratio = _contrast(tokens[front][theme], tokens[back][theme])
    assert ratio >= least, f"{front} on {back}: {ratio:.2f}, wanted {least}"
