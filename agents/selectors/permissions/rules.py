"""Kept rules as people see them: who may look at them, who may change them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from agents.domain.content.messages import Person
from agents.domain.rules.shadows import Shadows, shadow_finder
from agents.domain.rules.text import FAMILIES, Family, RuleProblem, parse_rule
from agents.domain.rules.verdict import SENTENCES, RuleEntry
from agents.models import Agent, Rule
from agents.selectors.people import is_administrator
from agents.selectors.values import moment, person_value
from maia_web.lib.errors import InvalidInput, NotAllowed, NotFound
from maia_web.lib.values import Value
from workspaces.selectors import workspace_for


@dataclass(frozen=True, slots=True)
class RuleHome:
    """Where rules live: the site, a workspace, a person or an agent."""

    scope: str
    workspace: str = ""
    user: int = 0
    agent: int = 0
    may_write: bool = False

    def fields(self) -> dict[str, Any]:
        """The columns that a rule of this home has."""
        return {
            "scope": self.scope,
            "workspace_id": self.workspace or None,
            "user_id": self.user or None,
            "agent_id": self.agent or None,
        }

    def writable(self) -> RuleHome:
        """Returns itself; raises `NotAllowed` where this person may only look."""
        if not self.may_write:
            raise NotAllowed(_("You may look at these rules, not change them."))
        return self


class RuleInfo(Value):
    """A rule with its history, and what is the matter with it.

    `problem`: why it is no rule. `shadowed_by`: the deny or ask that comes before it. `bound`: it
    holds for a custom tool as it was defined when the rule was given.
    """

    id: int
    scope: str
    family: Family
    text: str
    tool: str
    enabled: bool
    bound: bool = False
    workspace: str | None = None
    workspace_name: str | None = None
    agent: str | None = None
    added_by: Person | None = None
    added_at: str
    hits: int = 0
    last_match: str | None = None
    decided: int = 0
    last_decided: str | None = None
    problem: str = ""
    shadowed_by: str = ""


def home_of(user_id: int, scope: str, workspace: str = "", agent: str = "") -> RuleHome:
    """Returns where the rules of a scope live, as this person reaches them.

    Everybody may look at the rules of the site and of agents, members at those of their
    workspace, each at their own. Raises `NotFound` or `InvalidInput`.
    """
    match scope:
        case "site":
            return RuleHome("site", may_write=is_administrator(user_id))
        case "agent":
            found = Agent.objects.filter(name=agent).first()
            if found is None:
                raise NotFound(_("There is no such agent."))
            return RuleHome("agent", agent=found.pk, may_write=is_administrator(user_id))
        case "workspace":
            access = workspace_for(user_id, workspace)
            return RuleHome("workspace", workspace=access.id, may_write=access.role == "owner")
        case "person":
            return RuleHome("person", user=user_id, may_write=True)
        case _:
            raise InvalidInput(
                _("A scope is site, workspace, person or agent."), field="scope", scope=scope[:40]
            )


def rule_for(user_id: int, rule_id: int) -> tuple[Rule, RuleHome]:
    """Returns a rule and its home; raises `NotFound` when it is not there or not theirs."""
    row = Rule.objects.select_related("agent").filter(pk=rule_id).first()
    missing = NotFound(_("There is no such rule."))
    if row is None or (row.scope == "person" and row.user_id != user_id):
        raise missing
    agent = row.agent.name if row.agent else ""
    try:
        return row, home_of(user_id, row.scope, row.workspace_id or "", agent)
    except NotFound:
        raise missing from None


def rules_in(*homes: RuleHome) -> tuple[RuleInfo, ...]:
    """Returns the rules of some homes: deny first, then ask, then allow, each by text."""
    which = Q(pk__in=())
    for home in homes:
        which |= Q(**home.fields())
    return _infos(Rule.objects.filter(which))


def rules_everywhere() -> tuple[RuleInfo, ...]:
    """Returns the rules of the site, of agents and of workspaces: for administrators."""
    return _infos(Rule.objects.exclude(scope="person"))


def agent_homes(user_id: int) -> tuple[RuleHome, ...]:
    """Returns the home of each agent's rules."""
    names = Agent.objects.values_list("name", flat=True)
    return tuple(home_of(user_id, "agent", agent=name) for name in names)


def exported(home: RuleHome) -> dict[str, Any]:
    """Returns the enabled rules of a home in the seed's format (M §9.1).

    Rules bound to the definition of one tool stay: elsewhere they would hold for any of that name.
    """
    rows = Rule.objects.filter(**home.fields(), definition="", enabled=True).order_by("text")
    lists: dict[str, list[str]] = {"allow": [], "ask": [], "deny": []}
    for family, text in rows.values_list("family", "text"):
        lists[family].append(text)
    return {"permissions": lists}


def _infos(rows: QuerySet[Rule]) -> tuple[RuleInfo, ...]:
    kept = list(rows.select_related("added_by", "workspace", "agent"))
    finders = {key: shadow_finder(entries) for key, entries in _stronger(kept).items()}
    infos = [_info(row, finders.get(_key(row)) or finders[("site",)]) for row in kept]
    order = {family: place for place, family in enumerate(FAMILIES)}
    return tuple(sorted(infos, key=lambda info: (order[info.family], info.text, info.id)))


def _key(row: Rule) -> tuple[object, ...]:
    if row.scope == "site":
        return ("site",)
    return (row.scope, row.workspace_id, row.user_id, row.agent_id)


def _stronger(kept: Iterable[Rule]) -> dict[tuple[object, ...], list[RuleEntry]]:
    """Returns the deny and ask rules that hold for each home: the site's, and its own."""
    site = Rule.objects.filter(scope="site", enabled=True).exclude(family="allow")
    everywhere = [
        RuleEntry(cast(Family, family), text) for family, text in site.values_list("family", "text")
    ]
    found: dict[tuple[object, ...], list[RuleEntry]] = {("site",): everywhere}
    for row in kept:
        if row.scope != "site" and row.family != "allow" and row.enabled:
            entry = RuleEntry(cast(Family, row.family), row.text, row.scope)
            found.setdefault(_key(row), [*everywhere]).append(entry)
    return found


def _info(row: Rule, shadows: Shadows) -> RuleInfo:
    parsed = parse_rule(row.text)
    broken = isinstance(parsed, RuleProblem)
    useful = row.family == "deny" or broken
    return RuleInfo(
        id=row.pk,
        scope=row.scope,
        family=cast(Family, row.family),
        text=row.text,
        tool="" if isinstance(parsed, RuleProblem) else parsed.tool,
        enabled=row.enabled,
        bound=bool(row.definition),
        workspace=row.workspace_id,
        workspace_name=row.workspace.name if row.workspace else None,
        agent=row.agent.name if row.agent else None,
        added_by=person_value(row.added_by) if row.added_by else None,
        added_at=moment(row.added_at),
        hits=row.hits,
        last_match=moment(row.last_match) if row.last_match else None,
        decided=row.decided,
        last_decided=moment(row.last_decided) if row.last_decided else None,
        problem=_(SENTENCES[parsed.code]) if isinstance(parsed, RuleProblem) else "",
        shadowed_by="" if useful else shadows.shadowed_by(row.text, cast(Family, row.family)),
    )
