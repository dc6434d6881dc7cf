"""What a new or changed rule would have made of the calls of the last days; nothing is saved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from agents.domain.rules.files import RuleFiles
from agents.domain.rules.policy import Policy
from agents.domain.rules.text import Family
from agents.domain.rules.verdict import RuleEntry, Verdict
from agents.models import Agent, AuditEntry
from agents.selectors.agents import agent_key
from agents.selectors.permissions.policies import CONTEXT, rules_for
from agents.selectors.permissions.rules import RuleHome
from maia_web.lib.errors import NotFound
from workspaces.domain.places import Place
from workspaces.selectors import workspace_for

DAYS = 7
MOST = 2_000
_UNTOUCHED = frozenset({"no-rule", "no-redirect"})
_Group = tuple[int | None, str | None, str]
_Judge = Callable[[str, dict[str, Any]], tuple[Family, Family] | None]


@dataclass(frozen=True, slots=True)
class RuleChange:
    """Rules that are added to a home, or put in the place of one (`replaces`, its key)."""

    home: RuleHome
    family: Family
    texts: tuple[str, ...]
    replaces: int = 0

    def applied(self, entries: tuple[RuleEntry, ...]) -> tuple[RuleEntry, ...]:
        """Returns the rules in force as they would be."""
        kept = tuple(one for one in entries if one.origin != str(self.replaces))
        return kept + tuple(RuleEntry(self.family, one, self.home.scope) for one in self.texts)


@dataclass(frozen=True, slots=True)
class Preview:
    """How many calls were looked at, and how many go (from, to) another family than now."""

    looked_at: int = 0
    more: bool = False
    moves: Mapping[tuple[Family, Family], int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RecentCalls:
    """The calls that a change is tried on; `places`: where, of those who are still members."""

    rows: tuple[AuditEntry, ...]
    places: Mapping[_Group, Place]
    more: bool = False


def recent_calls(change: RuleChange) -> RecentCalls:
    """Returns the calls of the last DAYS days, the newest MOST of them, in reach of a change.

    Raises `NotAllowed` where this person may not write.
    """
    change.home.writable()
    rows = tuple(_calls(change.home)[: MOST + 1])
    groups = {_group(row) for row in rows[:MOST]}
    found = ((group, _place(group)) for group in groups)
    places = {group: place for group, place in found if place is not None}
    return RecentCalls(rows[:MOST], places, len(rows) > MOST)


def preview_change(
    change: RuleChange, calls: RecentCalls, files: Mapping[Place, RuleFiles]
) -> Preview:
    """Judges calls without and with a change, by the rules in the `files` of their places.

    Calls of people who have left the workspace are left out.
    """
    groups: dict[_Group, _Judge] = {}
    judged: dict[tuple[_Group, str], tuple[Family, Family] | None] = {}
    moves: Counter[tuple[Family, Family]] = Counter()
    looked_at = 0
    for row in calls.rows:
        group = _group(row)
        if group not in groups:
            place = calls.places.get(group)
            groups[group] = _judge(place, group[2], change, files[place]) if place else _nothing
        judge = groups[group]
        call = _input(row)
        key = (group, f"{row.tool} {call!r}")
        if key not in judged:
            judged[key] = judge(row.tool, call)
        move = judged[key]
        looked_at += move is not None
        if move is not None and move[0] != move[1]:
            moves[move] += 1
    return Preview(looked_at, calls.more, moves)


def _group(row: AuditEntry) -> _Group:
    return (row.on_behalf_of_id, row.workspace_id, row.agent)


def _place(group: _Group) -> Place | None:
    user, workspace, _agent = group
    try:
        return workspace_for(user or 0, workspace or "").place
    except NotFound:
        return None


def _nothing(_tool: str, _call: dict[str, Any]) -> None:
    """Judges the calls of somebody who has left."""


def _calls(home: RuleHome) -> QuerySet[AuditEntry]:
    since = timezone.now() - timedelta(days=DAYS)
    rows = AuditEntry.objects.filter(kind="decision", at__gte=since).exclude(tool="")
    match home.scope:
        case "workspace":
            rows = rows.filter(workspace=home.workspace)
        case "person":
            rows = rows.filter(on_behalf_of=home.user)
        case "agent":
            rows = rows.filter(agent__in=Agent.objects.filter(pk=home.agent).values("name"))
    return rows.order_by("-id")


def _judge(place: Place, agent: str, change: RuleChange, files: RuleFiles) -> _Judge:
    """Returns what judges a call of this person, workspace and agent, before and after."""
    entries = rules_for(place, agent_key(agent) or 0, files, None).entries
    touched = tuple(_touched(change, entries))
    before, after, probe = Policy(entries), Policy(change.applied(entries)), Policy(touched)

    def judge(tool: str, call: dict[str, Any]) -> tuple[Family, Family]:
        if _is_untouched(probe.evaluate(tool, call, CONTEXT)):
            return ("ask", "ask")  # whatever it is, it stays
        return (
            before.evaluate(tool, call, CONTEXT).family,
            after.evaluate(tool, call, CONTEXT).family,
        )

    return judge


def _touched(change: RuleChange, entries: tuple[RuleEntry, ...]) -> Iterator[RuleEntry]:
    yield from (one for one in entries if one.origin == str(change.replaces))
    yield from change.applied(())


def _is_untouched(verdict: Verdict) -> bool:
    """Returns whether the rules of a change have nothing to do with a call."""
    return not verdict.matches and verdict.code in _UNTOUCHED


def _input(row: AuditEntry) -> dict[str, Any]:
    """Returns the input that was decided about: as it was edited, else as it was asked."""
    kept = row.input if isinstance(row.input, dict) else {}
    edited = kept.get("edited", kept)
    return edited if isinstance(edited, dict) else {}
