"""The rules in force with those that stand in files, read as sync callers read them."""

from __future__ import annotations

from agents.library.rule_files import rule_files
from agents.selectors.agents import agent_key
from agents.selectors.permissions import policies, preview
from agents.selectors.permissions.policies import Rules
from agents.selectors.permissions.preview import Preview, RuleChange
from agents.services.permissions import known_rules
from workspaces.domain.places import Place


def rules_for(place: Place, agent: str) -> Rules:
    """Returns the rules of all scopes, and of the files as they are now."""
    return policies.rules_for(place, agent_key(agent) or 0, rule_files(place))


def rules_in_force(place: Place, agent: str) -> Rules:
    """Returns the same, and keeps what the workspace's file forbids."""
    return known_rules.rules_in_force(place, agent_key(agent) or 0, rule_files(place))


def preview_change(change: RuleChange) -> Preview:
    """Judges the last calls, as the page does."""
    calls = preview.recent_calls(change)
    files = {place: rule_files(place) for place in calls.places.values()}
    return preview.preview_change(change, calls, files)
