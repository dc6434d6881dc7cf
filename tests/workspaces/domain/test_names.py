"""Names that differ in no way that shows are twins; others are not."""

from __future__ import annotations

import pytest

from workspaces.domain.names import twin


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("\u00e9.md", "e\u0301.md"),
        ("\ud55c", "\u1112\u1161\u11ab"),
        ("a b", "a\u202fb"),
        ("a\u3000b", "a\u2003b"),
        ("n", "n\u200b"),
        ("\u2764\ufe0f", "\u2764"),  # the selector of emoji style
        ("e\u034f", "e"),
        ("n\u3164", "n"),
        ("e\u200b\u0301", "\u00e9"),  # an invisible sign between a letter and its accent
        ("t\U000e0061", "t"),
    ],
)
def test_twins(name: str, there: str) -> None:
    assert twin(name, [there, "other"]) == there
    assert twin(there, [name, "other"]) == name


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("a", "a"),
        ("fi", "\ufb01"),
        ("\u0643", "\ufed9"),
        ("A", "a"),
        ("e", "\u00e9"),
        ("A", "\uff21"),
    ],
)
def test_what_shows_is_no_twin(name: str, there: str) -> None:
    assert twin(name, [there]) == ""
