"""The rules pages: of the site, of a workspace, one's own; one template, one set of facts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from agents.domain.rules.files import RuleFile, RuleFiles
from agents.library.settings_files import settings_files
from agents.selectors.agents import agents_list
from agents.selectors.people import administrator
from agents.selectors.permissions.known_rules import known_rules
from agents.selectors.permissions.rules import (
    RuleHome,
    RuleInfo,
    agent_homes,
    home_of,
    rules_everywhere,
    rules_in,
)
from agents.selectors.permissions.trusted_files import is_trusted
from agents.selectors.warnings import settings_warnings
from agents.services.permissions.cases import kept_cases
from maia_web.accounts.models import User
from maia_web.lib.errors import MaiaError, NotAllowed, NotFound
from maia_web.pages.forms.numbers import typed_number
from maia_web.pages.guards import signed_in
from maia_web.pages.rules.listing import filters, shown_rules
from maia_web.pages.rules.tester import tester
from workspaces.domain.places import Place, WorkspaceAccess
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
    def scope(self) -> str:
        """The scope it is about above all."""
        return {SITE: "site", OWN: "person"}.get(self.key, "workspace")

    @property
    def place(self) -> Place | None:
        """Whose settings files are meant; None for the site, which has none."""
        if self.key == SITE:
            return None
        return (self.workspace or personal_workspace(self.user)).place

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
        own = home_of(self.user.pk, self.scope, self.workspace.id if self.workspace else "")
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
    settings = settings_files(page.place) if page.place else None
    context = {
        "page": page,
        "workspace": page.workspace,
        "owner": bool(page.workspace and page.workspace.role == "owner"),
        "rules": [_row(rule, page) for rule in shown_rules(rules, request.GET)],
        "total": len(rules),
        "left_out": _left_out(rules, page.scope),
        "filters": filters(rules, request.GET, page.scope, page.key == SITE),
        "tools": sorted({rule.tool for rule in rules if rule.tool}),
        "homes": _home_choices(page),
        "form": form or _form(request, page),
        "try": tester(request, page.user, page.workspace, page.key == SITE),
        "here": page.address,
        "file": _file(page, settings.rules) if settings else None,
        "gone": _gone(page, settings.rules) if settings else [],
        "warnings": settings_warnings(settings) if settings else (),
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


def _left_out(rules: tuple[RuleInfo, ...], scope: str) -> int:
    """Returns how many rules of the page's own scope the export leaves out."""
    return sum(rule.scope == scope and (rule.bound or not rule.enabled) for rule in rules)


def _form(request: HttpRequest, page: RulesPage) -> dict[str, Any]:
    """Returns the dialog for a new rule, or for the rule that `?edit=` names."""
    wanted = typed_number(request.GET.get("edit", ""))
    for rule in page.rules if wanted else ():
        if rule.id == wanted:
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
        "where": rule.agent or (rule.workspace_name if page.key == SITE else ""),
    }


def _home_choices(page: RulesPage) -> list[tuple[str, str]]:
    if page.key == SITE:
        agents = [(f"agent:{agent.name}", _("Agent · %(name)s") % {"name": agent.name})
                  for agent in agents_list()]  # fmt: skip
        return [("site", _("Site: for everybody")), *agents]
    if page.workspace is None:
        return [("person", _("Person: you, in every workspace"))]
    name = {"name": page.workspace.name}
    return [("workspace", _("Workspace · %(name)s") % name)] if page.homes else []


def _file(page: RulesPage, files: RuleFiles) -> dict[str, Any] | None:
    """Returns the settings file that belongs to the page, if there is one to show."""
    if page.workspace is None:
        return _shown_file(files.home, trusted=True)
    file = files.workspace
    shown = _shown_file(file, trusted=is_trusted(page.workspace.place, file))
    return {**shown, "may_trust": page.workspace.role != "viewer"} if shown else None


def _gone(page: RulesPage, files: RuleFiles) -> list[dict[str, Any]]:
    """Returns the rules that went from the workspace's file; to an owner also those seen before."""
    if page.workspace is None:
        return []
    known = known_rules(page.workspace.id)
    everybody = page.workspace.role == "owner"
    found = known.gone(files.workspace, 0 if everybody else page.user.pk)
    return [
        {"id": one.id, "entry": one.entry, "looked": page.user.pk in one.looked} for one in found
    ]


def _shown_file(file: RuleFile, *, trusted: bool) -> dict[str, Any] | None:
    if not file.sha256 and not file.problems:
        return None
    return {
        "path": file.path,
        "sha256": file.sha256,
        "allow": file.of("allow"),
        "others": (*file.of("deny"), *file.of("ask")),
        "trusted": trusted,
        "broken": len(file.problems),
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
