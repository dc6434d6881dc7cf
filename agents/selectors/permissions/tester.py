"""What the rules would say about a call; nothing runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from agents.domain.library.found import FoundTool
from agents.domain.rules.files import RuleFiles
from agents.domain.rules.verdict import Verdict, shown
from agents.domain.tools.parameters import DECLARED
from agents.selectors.agents import agent_key
from agents.selectors.people import is_administrator
from agents.selectors.permissions.policies import rules_for
from maia_web.lib.errors import NotAllowed, NotFound
from maia_web.lib.values import Value
from workspaces.domain.places import Place, WorkspaceAccess
from workspaces.domain.real_paths import RealNames
from workspaces.selectors import workspace_for


class PartInfo(Value):
    """One part of a call: a command, a target, a finding, and what the rules say about it."""

    text: str
    kind: str
    judged: str
    rule: str | None = None


class MatchInfo(Value):
    """A rule that matched; `decides` the one that decided. `origin`: its id, or its file."""

    family: str
    rule: str
    scope: str
    origin: str
    decides: bool


class VerdictInfo(Value):
    """A verdict with everything that led to it."""

    verdict: str
    sentence: str
    code: str
    rule: str | None = None
    scope: str | None = None
    origin: str | None = None
    part: str = ""
    parts: tuple[PartInfo, ...] = ()
    matches: tuple[MatchInfo, ...] = ()
    rules_read: int = 0


@dataclass(frozen=True, slots=True)
class Tested:
    """What the files of a tested place say: its rules, the tool if it is a custom one, its links.

    `real` is None where links lead is not to be told.
    """

    files: RuleFiles
    custom: FoundTool | None = None
    real: RealNames | None = None


def verdict_on(
    place: Place, tool: str, input: Mapping[str, Any], agent: str, tested: Tested
) -> VerdictInfo:
    """Returns the verdict on a call in a place. Raises `NotFound` for an agent there is not."""
    key = agent_key(agent)
    if key is None:
        raise NotFound(_("There is no such agent."))
    custom = tested.custom
    rules = rules_for(place, key, tested.files, custom.digest if custom else "")
    declared = custom.tool.declared if custom else DECLARED.get(tool)
    called = declared.read_kindly(input) if declared else input
    return verdict_info(rules.judge(tool, called, tested.real).verdict, len(rules.entries))


def tested_place(user_id: int, workspace: str, person: int) -> WorkspaceAccess:
    """Returns the place whose rules are asked about: of oneself, of any member for administrators.

    Raises `NotFound` where that person is no member, `NotAllowed` for somebody else's rules.
    """
    if person and person != user_id:
        if not is_administrator(user_id):
            raise NotAllowed(_("Only administrators may try calls as somebody else."))
        return workspace_for(person, workspace)
    return workspace_for(user_id, workspace)


def verdict_info(verdict: Verdict, rules_read: int = 0) -> VerdictInfo:
    """Returns a verdict as people and programs read it, in the language that is set."""
    return VerdictInfo(
        verdict=verdict.family,
        sentence=verdict.sentence(_),
        code=verdict.code,
        rule=verdict.rule,
        scope=verdict.scope,
        origin=verdict.origin or None,
        part=shown(verdict.part),
        parts=tuple(
            PartInfo(text=shown(one.text), kind=one.kind, judged=one.judged, rule=one.rule)
            for one in verdict.parts
        ),
        matches=tuple(
            MatchInfo(
                family=one.family,
                rule=one.text,
                scope=one.scope,
                origin=one.origin,
                decides=(one.family, one.text, one.origin)
                == (verdict.family, verdict.rule, verdict.origin),
            )
            for one in verdict.matches
        ),
        rules_read=rules_read,
    )
