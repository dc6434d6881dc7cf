"""Policies: the rules in force for a turn, compiled once for as long as they stay the same."""

from __future__ import annotations

from functools import lru_cache

from agents.domain.rule_verdict import RuleEntry
from agents.domain.rules import Policy
from agents.domain.turns import ClaimedTurn
from agents.selectors.permissions import rules_for
from maia_web.lib.db import in_db


async def policy_for(turn: ClaimedTurn) -> Policy:
    """Returns the policy for the person, workspace and agent of a turn, as of now."""
    entries = await in_db(rules_for)(turn.place.workspace, turn.place.user, turn.agent)
    return _compiled(entries)


@lru_cache(maxsize=64)
def _compiled(entries: tuple[RuleEntry, ...]) -> Policy:
    return Policy(entries)
