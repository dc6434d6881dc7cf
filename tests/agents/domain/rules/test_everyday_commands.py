"""Everyday commands with the rules people write: they are not asked about more than they were.

`before` is the verdict of the first release of the permission model, `now` what holds. Where one
asks that was allowed, `why` says which kind of argument nobody can know.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from agents.domain.rules.policy import Policy

ROWS: list[dict[str, Any]] = [
    json.loads(line)
    for line in Path(__file__).with_name("everyday_commands.jsonl").read_text("utf-8").splitlines()
]
MORE = [row for row in ROWS if row["before"] == "allow" and row["now"] != "allow"]
REASONS = {
    "wildcard": re.compile(r" (?![./])\S*\*"),
    "expansion": re.compile(r"\S\$[A-Z]"),
    "another folder": re.compile(r"git -C "),
    "another program after cd": re.compile(r"cd .*&& \./"),
}


def _verdict(row: dict[str, Any]) -> str:
    return Policy.of(allow=row["allow"]).evaluate("Bash", {"command": row["command"]}).family


def test_each_command_comes_out_as_the_table_says() -> None:
    assert [row["command"] for row in ROWS if _verdict(row) != row["now"]] == []


def test_two_hundred_commands_are_allowed_as_they_were() -> None:
    assert len([row for row in ROWS if row["before"] == row["now"] == "allow"]) >= 200


@pytest.mark.parametrize("row", MORE, ids=lambda row: row["command"])
def test_what_is_asked_more_is_what_nobody_can_know(row: dict[str, Any]) -> None:
    assert REASONS[row["why"]].search(row["command"])


def test_the_same_commands_without_the_wildcard_or_the_expansion_are_allowed() -> None:
    for row in MORE:
        known = {"wildcard": ("*", "./a"), "expansion": ("$", "")}.get(row["why"])
        if known is not None:
            plain = row["command"].replace(*known)
            assert _verdict({**row, "command": plain}) == "allow", plain
