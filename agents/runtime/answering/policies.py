"""Policies: the rules in force for a turn."""

from __future__ import annotations

from agents.domain.content.turns import ClaimedTurn
from agents.domain.rules.policy import Policy
from agents.selectors.permissions.policies import Rules
from agents.services.permissions.known import rules_in_force
from maia_web.lib.db import in_db


async def rules_of(turn: ClaimedTurn, definition: str = "") -> Rules:
    """Returns the rules for the person, workspace and agent of a turn, as of now.

    `definition`: of the custom tool that is called.
    """
    rules: Rules = await in_db(rules_in_force)(turn.place, turn.agent, definition)
    return rules


async def policy_for(turn: ClaimedTurn) -> Policy:
    """Returns the policy of these rules."""
    return (await rules_of(turn)).policy
