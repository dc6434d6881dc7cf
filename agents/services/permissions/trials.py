"""Trials: a call is judged by the rules of a person in a workspace; nothing runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.library.found import custom_tool
from agents.library.rule_files import rule_files
from agents.selectors.permissions.tester import Tested, VerdictInfo, tested_place, verdict_on
from workspaces.files.real_paths import RealPaths


def try_call(
    user_id: int, workspace: str, tool: str, input: Mapping[str, Any], *,
    person: int = 0, agent: str = "maia",
) -> VerdictInfo:  # fmt: skip
    """Returns the verdict for a person (oneself; any for administrators) in a workspace.

    It reads their files: not for `in_db`. Raises `NotFound` where that person is no member, or
    there is no such agent, `NotAllowed` for somebody else's rules.
    """
    place = tested_place(user_id, workspace, person).place
    # where links of a home lead is its person's to know
    real = RealPaths(place) if person in (0, user_id) else None
    tested = Tested(rule_files(place), custom_tool(place, tool), real)
    return verdict_on(place, tool, input, agent, tested)
