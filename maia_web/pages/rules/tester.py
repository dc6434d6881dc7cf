"""The tester on the rules pages: a call is judged, nothing runs."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _

from agents.domain.rules.offers import offers
from agents.domain.rules.tried_input import input_from_text, missing_field
from agents.selectors.agents import agents_list
from agents.selectors.permissions.policies import CONTEXT
from agents.selectors.permissions.tester import MatchInfo, VerdictInfo
from agents.services.permissions.trials import try_call
from maia_web.accounts.models import User
from maia_web.accounts.selectors import people
from maia_web.lib.errors import MaiaError
from maia_web.pages.forms.numbers import typed_number
from workspaces.domain.places import WorkspaceAccess
from workspaces.selectors import all_workspaces, workspaces_of

TOOLS = (
    "Bash", "Read", "Write", "Edit", "Glob", "Grep", "WebFetch", "Skill", "Agent", "TodoWrite",
)  # fmt: skip
MAX_CALL = 100_000


def tester(
    request: HttpRequest, user: User, workspace: WorkspaceAccess | None, everybody: bool
) -> dict[str, Any]:
    """Returns what the form shows, and the verdict if a call was typed."""
    asked = request.POST if request.POST.get("do") == "try" else request.GET
    reached = workspaces_of(user.pk)
    places = all_workspaces() if everybody else tuple((one.id, one.name) for one in reached)
    first = workspace.id if workspace else next((one.id for one in reached), "")
    shown: dict[str, Any] = {
        "person": asked.get("person") or str(user.pk),
        "workspace": asked.get("workspace") or first,
        "agent": asked.get("agent") or "maia",
        "tool": asked.get("tool_name") or "Bash",
        "call": asked.get("call", "")[:MAX_CALL],
        "people": [(str(one.pk), one.name) for one in people()] if everybody else [],
        "workspaces": places if workspace is None else [],
        "agents": [agent.name for agent in agents_list()],
        "tools": TOOLS,
    }
    return {**shown, **_judged(user, shown)} if shown["call"].strip() else shown


def _judged(user: User, shown: dict[str, Any]) -> dict[str, Any]:
    tool = shown["tool"]
    input = input_from_text(tool, shown["call"].replace("\r\n", "\n"))
    person = typed_number(str(shown["person"]))
    try:
        verdict = try_call(
            user.pk, shown["workspace"], tool, input, person=person, agent=shown["agent"]
        )
    except MaiaError as error:
        return {"error": error.message}
    return {
        "verdict": verdict,
        "missing": missing_field(tool, input),
        "trace": _trace(verdict),
        "offers": [
            (offer, "\n".join((offer.rule, *offer.also))) for offer in offers(tool, input, CONTEXT)
        ],
    }


def _where(one: MatchInfo) -> str:
    """Says where a rule stands, and whether it decides."""
    scopes = {
        "site": _("site"),
        "workspace": _("workspace"),
        "agent": _("agent"),
        "built-in": _("built in"),
    }
    file = "" if one.origin.isdecimal() else one.origin
    facts = (scopes.get(one.scope, _("person")), file, _("decides") if one.decides else "")
    return " · ".join(filter(None, facts))


def _trace(verdict: VerdictInfo) -> list[dict[str, Any]]:
    """Returns a line for each family, and one for what no rule covers."""
    lines: list[dict[str, Any]] = []
    for family in ("deny", "ask", "allow"):
        found = [one for one in verdict.matches if one.family == family]
        lines += [
            {"family": family, "match": one, "decides": one.decides, "where": _where(one)}
            for one in found
        ]
        if not found:
            lines.append({"family": family, "match": None, "decides": False})
    return lines
