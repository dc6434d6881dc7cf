"""Policies: the rules in force for a turn; files are read outside the database's thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from agents.domain.content.turns import ClaimedTurn
from agents.library.rule_files import rule_files
from agents.selectors.agents import agent_key
from agents.selectors.permissions.path_checks import LinkCheck, LinkMet, NoLinks
from agents.selectors.permissions.policies import Rules, rules_for
from agents.services.permissions.known_rules import rules_in_force
from maia_web.lib.db import in_db
from workspaces.domain.places import Place
from workspaces.domain.real_paths import PathCheck

T = TypeVar("T")


async def rules_of(turn: ClaimedTurn, definition: str = "") -> Rules:
    """Returns the rules for the person, workspace and agent of a turn, as of now.

    `definition`: of the custom tool that is called.
    """
    files = await asyncio.to_thread(rule_files, turn.place)
    rules: Rules = await in_db(rules_in_force)(turn.place, turn.agent_key, files, definition)
    return await _compiled(rules)


async def read_checked(place: Place, agent: str, read: Callable[[PathCheck], T]) -> T:
    """Returns what `read` makes of files that an agent reads here unasked, in one thread hop.

    The rules are looked up only where a link is met, and all is read again by them.
    """
    try:
        return await asyncio.to_thread(read, NoLinks())
    except LinkMet:
        return await asyncio.to_thread(read, await links_checked(place, agent))


async def links_checked(place: Place, agent: str) -> LinkCheck:
    """Returns the check for what an agent reads here unasked, by the rules as of now."""
    files = await asyncio.to_thread(rule_files, place)
    key = await in_db(agent_key)(agent)
    rules: Rules = await in_db(rules_for)(place, key or 0, files)
    return LinkCheck((await _compiled(rules)).policy)


async def _compiled(rules: Rules) -> Rules:
    """Compiles what is new in a thread: thousands of rules take half a second."""
    if not rules.is_compiled:
        await asyncio.to_thread(lambda: rules.policy)
    return rules
