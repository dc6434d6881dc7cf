"""The rules pages: of the site, of a workspace, one's own; one template, one set of facts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from agents.domain.rule_files import RuleFile
from agents.selectors.agents import agents_list
from agents.selectors.people import administrator
from agents.selectors.rule_files import home_rules, is_trusted, workspace_rules
from agents.selectors.rules import (
    RuleHome,
    RuleInfo,
    agent_homes,
    home_of,
    rules_everywhere,
    rules_in,
)
from agents.services.policy_cases import kept_cases
from maia_web.accounts.models import User
from maia_web.lib.errors import MaiaError, NotAllowed, NotFound
from maia_web.pages.guards import signed_in
from maia_web.pages.rules_tester import tester
from workspaces.domain.places import WorkspaceAccess
from workspaces.selectors import request_settings, workspace_for
from workspaces.services import personal_workspace

SITE, OWN = "site", "own"


@dataclass(frozen=True, slots=True)
class RulesPage:
    """Which of the pages: "site", "own", or the id of a workspace."""

    key: str
    user: User
    workspace: WorkspaceAccess | None = None

    @property
    def address(self) -> str:
        """Where it is."""
        if self.key == SITE:
            return reverse("rules")
        if self.workspace is None:
            return reverse("own-rules")
        return reverse("workspace-rules", args=[self.workspace.id])

    @property
    def homes(self) -> tuple[RuleHome, ...]:
        """Where rules can be added here."""
        user = self.user.pk
        if self.key == SITE:
            return (home_of(user, "site"), *agent_homes(user))
        if self.workspace is None:
            return (home_of(user, "person"),)
        home = home_of(user, "workspace", self.workspace.id)
        return (home,) if home.may_write else ()

    @property
    def rules(self) -> tuple[RuleInfo, ...]:
        """The rules that are listed: one's own page and a workspace's also show the site's."""
        if self.key == SITE:
            return rules_everywhere()
        own = home_of(self.user.pk, *(("person",) if self.workspace is None else
                                      ("workspace", self.workspace.id)))  # fmt: skip
        return rules_in(own, home_of(self.user.pk, "site"), *agent_homes(self.user.pk))


def page_for(request: HttpRequest, key: str) -> RulesPage:
    """Returns the page with this key; raises `NotFound` or `NotAllowed`."""
    user = signed_in(request)
    if key == SITE:
        administrator(user.pk)
        return RulesPage(SITE, user)
    if key == OWN:
        return RulesPage(OWN, user)
    return RulesPage(key, user, workspace_for(user.pk, key))


def page_to_change(request: HttpRequest, key: str) -> RulesPage:
    """Returns the page; raises `NotAllowed` where this person may only look."""
    page = page_for(request, key)
    if not page.homes:
        raise NotAllowed(_("You may look at these rules, not change them."))
    return page


def home_named(page: RulesPage, name: str) -> RuleHome:
    """Returns the home a form names: "site", "workspace", "person" or "agent:NAME"."""
    scope, _colon, agent = name.partition(":")
    workspace = page.workspace.id if page.workspace else ""
    return home_of(page.user.pk, scope, workspace, agent)


def show_rules(
    request: HttpRequest, page: RulesPage, *, form: dict[str, Any] | None = None, status: int = 200
) -> HttpResponse:
    """Shows a rules page, `form` being the dialog that is open with what was typed."""
    rules = page.rules
    context = {
        "page": page,
        "workspace": page.workspace,
        "owner": bool(page.workspace and page.workspace.role == "owner"),
        "rules": [_row(rule, page) for rule in _wanted(rules, request)],
        "total": len(rules),
        "filters": _filters(rules, request, page),
        "tools": sorted({rule.tool for rule in rules if rule.tool}),
        "homes": _home_choices(page),
        "form": form or _form(request, page),
        "try": tester(request, page.user, page.workspace, page.key == SITE),
        "here": page.address,
        "file": _file(page),
        "cases": kept_cases() if page.key == SITE else "",
        **_requests(page),
    }
    return render(request, "pages/rules.html", context, status=status)


def refused_form(request: HttpRequest, error: MaiaError, rule: int = 0) -> dict[str, Any]:
    """Returns the dialog again with what was typed and why it was refused."""
    return {
        "rule": rule,
        "family": request.POST.get("family", "allow"),
        "text": request.POST.get("text", ""),
        "home": request.POST.get("home", ""),
        "error": error.message,
        "open": True,
    }


def _form(request: HttpRequest, page: RulesPage) -> dict[str, Any]:
    """Returns the dialog for a new rule, or for the rule that `?edit=` names."""
    wanted = request.GET.get("edit", "")
    for rule in page.rules if wanted.isdecimal() else ():
        if rule.id == int(wanted):
            return {"rule": rule.id, "family": rule.family, "text": rule.text, "open": True}
    return {
        "rule": 0,
        "family": request.GET.get("family", "allow"),
        "text": request.GET.get("text", ""),
        "home": request.GET.get("home", ""),
        "open": "new" in request.GET,
    }


def _row(rule: RuleInfo, page: RulesPage) -> dict[str, Any]:
    writable = {SITE: ("site", "agent"), OWN: ("person",)}.get(page.key, ("workspace",))
    owner = page.workspace is None or page.workspace.role == "owner"
    return {
        "rule": rule,
        "may": rule.scope in writable and owner,
        "added_at": datetime.fromisoformat(rule.added_at),
        "last_match": datetime.fromisoformat(rule.last_match) if rule.last_match else None,
        "where": rule.agent or (rule.workspace_name if page.key == SITE else ""),
    }


def _wanted(rules: tuple[RuleInfo, ...], request: HttpRequest) -> list[RuleInfo]:
    scope, tool = request.GET.get("scope", ""), request.GET.get("tool", "")
    words = request.GET.get("q", "").casefold().split()
    return [
        rule
        for rule in rules
        if (not scope or rule.scope == scope)
        and (not tool or rule.tool == tool)
        and all(word in _searched(rule) for word in words)
    ]


def _searched(rule: RuleInfo) -> str:
    who = rule.added_by.name if rule.added_by else ""
    parts = (rule.family, rule.text, rule.agent or "", rule.workspace_name or "", who)
    return " ".join(parts).casefold()


def _filters(rules: tuple[RuleInfo, ...], request: HttpRequest, page: RulesPage) -> dict[str, Any]:
    names = {
        "": _("All"),
        "site": _("Server"),
        "workspace": _("Workspaces") if page.key == SITE else _("Workspace"),
        "person": _("Mine"),
        "agent": _("Agents"),
    }
    counts = {scope: sum(rule.scope == scope for rule in rules) for scope in names}
    counts[""] = len(rules)
    own = {SITE: "site", OWN: "person"}.get(page.key, "workspace")
    shown = [scope for scope in names if counts[scope] or scope in ("", own)]
    return {
        "scopes": [(scope, names[scope], counts[scope]) for scope in shown],
        "scope": request.GET.get("scope", ""),
        "tool": request.GET.get("tool", ""),
        "q": request.GET.get("q", ""),
    }


def _home_choices(page: RulesPage) -> list[tuple[str, str]]:
    if page.key == SITE:
        agents = [(f"agent:{agent.name}", _("Agent · %(name)s") % {"name": agent.name})
                  for agent in agents_list()]  # fmt: skip
        return [("site", _("Server: for everybody")), *agents]
    if page.workspace is None:
        return [("person", _("Mine, in every workspace"))]
    name = {"name": page.workspace.name}
    return [("workspace", _("Workspace · %(name)s") % name)] if page.homes else []


def _file(page: RulesPage) -> dict[str, Any] | None:
    """Returns the settings file that belongs to the page, if there is one to show."""
    if page.key == SITE:
        return None
    if page.workspace is None:
        return _shown_file(home_rules(personal_workspace(page.user).place), trusted=True)
    place = page.workspace.place
    file = workspace_rules(place)
    shown = _shown_file(file, trusted=is_trusted(place, file))
    return {**shown, "may_trust": page.workspace.role != "viewer"} if shown else None


def _shown_file(file: RuleFile, *, trusted: bool) -> dict[str, Any] | None:
    if not file.sha256 and not file.problems:
        return None
    return {
        "path": file.path,
        "sha256": file.sha256,
        "allow": file.of("allow"),
        "others": (*file.of("deny"), *file.of("ask")),
        "trusted": trusted,
        "problems": [(one.entry, one.sentence(_)) for one in file.problems],
    }


def _requests(page: RulesPage) -> dict[str, Any]:
    if page.workspace is None:
        return {}
    editors_answer, hours = request_settings(page.workspace.id)
    return {"editors_answer": editors_answer, "hours": hours}


def found_rule(page: RulesPage, rule_id: int) -> RuleInfo:
    """Returns a rule of the page; raises `NotFound` for any other."""
    found = next((rule for rule in page.rules if rule.id == rule_id), None)
    if found is None:
        raise NotFound(_("There is no such rule."))
    return found
