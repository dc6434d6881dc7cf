"""Numbers in forms and addresses, which anybody may write as they like."""

from __future__ import annotations

MOST_DIGITS = 15
"""More fit into no column; Python refuses to read many thousands."""


def typed_number(text: str) -> int:
    """Returns the whole number that `text` is, 0 for anything else and for more than 15 digits."""
    return int(text) if text.isdecimal() and len(text) <= MOST_DIGITS else 0
