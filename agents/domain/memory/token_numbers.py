"""Token numbers: how a count is written for people, and read from a model's answer (seed M §13)."""

from __future__ import annotations

import re

SMALLEST_CONTEXT = 4_000
"""No model that works with tools takes in less; years and version numbers are below it."""
LARGEST_CONTEXT = 100_000_000

_SPACES = "\u0020\u00a0\u2009\u202f"
_NUMBER = re.compile(
    rf"(?P<before>(?:tokens?|jetons?)[{_SPACES}]?[:=][{_SPACES}*]{{0,4}})?"
    rf"(?<![\w.,])(?P<number>\d{{1,3}}(?:(?P<mark>[{_SPACES}.,'’_])\d{{3}})(?:(?P=mark)\d{{3}})*(?!\d)"
    rf"|\d+(?:[.,]\d+)?)"
    rf"(?:[{_SPACES}-]?(?P<unit>k|m|thousand|mille|millions?)(?![^\W_]))?"
    rf"(?P<tokens>[{_SPACES}*-]{{0,4}}(?:de[{_SPACES}])?(?:tokens?|jetons?)(?![^\W_]))?",
    re.IGNORECASE,
)
_AROUND = re.compile(r"^[\s*_`\"'“”«»~≈=:.]+|[\s*_`\"'“”«»=:.!]+$")


def format_tokens(tokens: int) -> str:
    """Returns `950`, `12.3k`, `200k`, `1.049M`: to 100 tokens below a million, then to 1 000."""
    if tokens < 1_000:
        return str(tokens)
    hundreds = (tokens + 50) // 100
    if hundreds < 10_000:
        return f"{hundreds / 10:.1f}".removesuffix(".0") + "k"
    thousands = (tokens + 500) // 1_000
    return f"{thousands / 1_000:.3f}".rstrip("0").rstrip(".") + "M"


def parse_token_count(text: str) -> int | None:
    """Returns the context size a model named in words, or None (seed M §13.2).

    A number counts beside "k", "M" or "tokens", or where it is the whole answer: prose is full of
    years and versions. One with a unit wins over one without; among equals the largest wins.
    """
    whole = _NUMBER.fullmatch(_AROUND.sub("", text))
    with_unit: list[int] = []
    plain: list[int] = []
    for match in [whole] if whole else _NUMBER.finditer(text):
        unit = (match["unit"] or "").lower()
        value = _value(match["number"], unit)
        said = unit or match["tokens"] or match["before"] or whole
        if said and SMALLEST_CONTEXT <= value <= LARGEST_CONTEXT:
            (with_unit if unit else plain).append(value)
    return max(with_unit or plain, default=None)


def _value(number: str, unit: str) -> int:
    digits = re.sub(rf"[{_SPACES}'’_]", "", number)
    if not unit:
        grouped = re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", digits)
        return int(re.sub(r"[.,]", "", digits)) if grouped else int(re.split(r"[.,]", digits)[0])
    if digits.count(".") > 1 or digits.count(",") > 1:
        digits = re.sub(r"[.,]", "", digits)
    scale = 1_000_000 if unit.startswith("m") and unit != "mille" else 1_000
    return round(float(digits.replace(",", ".")) * scale)
