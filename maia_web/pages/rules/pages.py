"""Rules pages: looking, adding, changing, deleting, importing, exporting, trusting."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from agents.services.permissions import cases as policy_cases
from agents.services.permissions import known_rules
from agents.services.permissions import rules as services
from agents.services.permissions.request_settings import change_request_settings
from agents.services.permissions.trust import trust_file, withdraw_trust
from maia_web.lib.errors import Conflict, InvalidInput
from maia_web.pages.forms.numbers import typed_number
from maia_web.pages.guards import administrators_only, signed_in
from maia_web.pages.rules.facts import (
    OWN,
    SITE,
    found_rule,
    home_named,
    page_for,
    page_to_change,
    refused_form,
    show_rules,
)
from maia_web.pages.workspaces.page import for_members

MAX_UPLOAD = 1_048_576


@administrators_only
@for_members
@require_http_methods(["GET", "POST"])
def site_rules(request: HttpRequest) -> HttpResponse:
    """The rules of the site and of agents; POST tries a call."""
    return show_rules(request, page_for(request, SITE))


@for_members
@require_http_methods(["GET", "POST"])
def own_rules(request: HttpRequest) -> HttpResponse:
    """One's own rules; POST tries a call."""
    return show_rules(request, page_for(request, OWN))


@for_members
@require_http_methods(["GET", "POST"])
def workspace_rules(request: HttpRequest, workspace: str) -> HttpResponse:
    """The rules of a workspace, which owners change and members read; POST tries a call."""
    return show_rules(request, page_for(request, workspace))


@for_members
@require_POST
def add(request: HttpRequest, page: str) -> HttpResponse:
    """Adds rules, one a line."""
    where = page_to_change(request, page)

    def change(confirmed: bool) -> None:
        home = home_named(where, request.POST.get("home", ""))
        services.add_rules(
            where.user.pk, home, request.POST.get("family", ""),
            request.POST.get("text", ""), confirmed=confirmed,
        )  # fmt: skip

    return _carried_out(request, page, change, _("The rule is added."))


@for_members
@require_POST
def change(request: HttpRequest, page: str, rule: int) -> HttpResponse:
    """Changes the text and the family of a rule."""
    where = page_for(request, page)
    found_rule(where, rule)

    def save(confirmed: bool) -> None:
        services.change_rule(
            where.user.pk, rule, family=request.POST.get("family", ""),
            text=request.POST.get("text", ""), confirmed=confirmed,
        )  # fmt: skip

    return _carried_out(request, page, save, _("Saved."), rule)


@for_members
@require_POST
def switch(request: HttpRequest, page: str, rule: int) -> HttpResponse:
    """Switches a rule on or off."""
    where = page_for(request, page)
    found_rule(where, rule)
    on = request.POST.get("enabled") == "1"

    def save(confirmed: bool) -> None:
        services.change_rule(where.user.pk, rule, enabled=on, confirmed=confirmed)

    done = _("The rule counts again.") if on else _("The rule no longer counts.")
    return _carried_out(request, page, save, done, rule)


@for_members
@require_POST
def delete(request: HttpRequest, page: str, rule: int) -> HttpResponse:
    """Deletes a rule."""
    where = page_for(request, page)
    found_rule(where, rule)

    def remove(confirmed: bool) -> None:
        services.delete_rule(where.user.pk, rule, confirmed=confirmed)

    return _carried_out(request, page, remove, _("The rule is deleted."), rule)


@for_members
@require_POST
def import_file(request: HttpRequest, page: str) -> HttpResponse:
    """Adds the rules of a settings.json that is uploaded or was typed."""
    where = page_to_change(request, page)
    done: list[services.Imported] = []

    def take(confirmed: bool) -> None:
        home, data = home_named(where, request.POST.get("home", "")), _parsed(sent)
        done.append(services.import_rules(where.user.pk, home, data, confirmed=confirmed))

    try:
        sent = _text_sent(request)
        answer = _carried_out(request, page, take, "", json=sent)
    except InvalidInput as error:
        messages.error(request, error.message)
        return redirect(where.address)
    for one in done:
        _tell_imported(request, one)
    return answer


@for_members
@require_GET
def export_file(request: HttpRequest, page: str) -> HttpResponse:
    """The enabled rules in the format of settings.json."""
    where = page_for(request, page)
    name = request.GET.get("home") or {SITE: "site", OWN: "person"}.get(page, "workspace")
    data = services.export_rules(where.user.pk, home_named(where, name))
    answer = JsonResponse(data, json_dumps_params={"indent": 2, "ensure_ascii": False})
    answer["Content-Disposition"] = 'attachment; filename="settings.json"'
    return answer


@for_members
@require_POST
def trust(request: HttpRequest, workspace: str) -> HttpResponse:
    """Trusts the settings file that was shown, or no longer trusts any."""
    user = signed_in(request)
    digest = request.POST.get("sha256", "")
    try:
        if digest:
            trust_file(user.pk, workspace, digest)
            messages.success(request, _("These rules count for you now."))
        else:
            withdraw_trust(user.pk, workspace)
            messages.success(request, _("These rules no longer count for you."))
    except Conflict as error:
        messages.error(request, error.message)
    return redirect("workspace-rules", workspace)


@for_members
@require_POST
def look_at_gone(request: HttpRequest, workspace: str) -> HttpResponse:
    """The rules that went from the settings file and were shown count no longer."""
    shown = map(typed_number, request.POST.getlist("rule"))
    for_all = request.POST.get("for") == "all"
    known_rules.look_at_gone(signed_in(request).pk, workspace, shown, for_all=for_all)
    if for_all:
        messages.success(request, _("These rules count for nobody any more."))
    else:
        messages.success(request, _("These rules no longer count for you."))
    return redirect("workspace-rules", workspace)


@for_members
@require_POST
def requests(request: HttpRequest, workspace: str) -> HttpResponse:
    """Sets who answers requests, and how long they wait."""
    try:
        change_request_settings(
            signed_in(request).pk,
            workspace,
            editors_answer=request.POST.get("editors_answer") == "on",
            hours=typed_number(request.POST.get("hours", "")),
        )
        messages.success(request, _("Saved."))
    except InvalidInput as error:
        messages.error(request, error.message)
    return redirect("workspace-rules", workspace)


EXAMPLE = (
    '{"id": "push", "tool": "Bash", "input": {"command": "git push"}, '
    '"expect": "ask", "also_ok": ["deny"]}'
)
"""A case as the field takes it."""


@administrators_only
@for_members
@require_http_methods(["GET", "POST"])
def cases(request: HttpRequest) -> HttpResponse:
    """The cases that are tried before a rule of the site changes; POST keeps others."""
    user = signed_in(request)
    text = request.POST.get("cases") if request.method == "POST" else policy_cases.kept_cases()
    context: dict[str, Any] = {
        "cases": text or "",
        "here": request.path,
        "example": EXAMPLE,
    }
    try:
        if request.method == "POST":
            context["results"] = policy_cases.save_cases(user.pk, text or "")
            messages.success(request, _("Saved."))
        else:
            context["results"] = policy_cases.run_kept_cases(user.pk)
    except InvalidInput as error:
        context["error"] = error.message
    context["wrong"] = [one for one in context.get("results", ()) if one.differs]
    context["wrong_shown"] = [policy_cases.case_wire(one) for one in context["wrong"]]
    status = 422 if "error" in context else 200
    return render(request, "pages/rule_cases.html", context, status=status)


def _carried_out(
    request: HttpRequest,
    page: str,
    change: Callable[[bool], None],
    done: str,
    rule: int = 0,
    **more: str,
) -> HttpResponse:
    """Carries out a change; cases that come out otherwise are shown before it is saved."""
    where = page_for(request, page)
    try:
        change(request.POST.get("confirmed") == "1")
    except Conflict as error:
        if error.code != "cases-differ":
            raise
        context = {
            "cases": error.data["cases"],
            "fields": _sent_again(request, more),
            "page": where,
            "here": where.address,
        }
        return render(request, "pages/rules_confirm.html", context, status=409)
    except InvalidInput as error:
        if more:
            raise
        form = refused_form(request, error, rule)
        return show_rules(request, where, form=form, status=422)
    if done:
        messages.success(request, done)
    return redirect(where.address)


def _sent_again(request: HttpRequest, more: dict[str, str]) -> list[tuple[str, str]]:
    """Returns the fields of the form, so that it can be sent once more."""
    left_out = ("csrfmiddlewaretoken", "confirmed", *more)
    kept = [(name, str(value)) for name, value in request.POST.items() if name not in left_out]
    return [*kept, *more.items()]


def _text_sent(request: HttpRequest) -> str:
    upload = request.FILES.get("file")
    if upload is None:
        return request.POST.get("json", "")
    if (upload.size or 0) > MAX_UPLOAD:
        raise InvalidInput(_("The file has more than 1 MB."), field="file")
    return str(upload.read().decode("utf-8-sig", errors="replace"))


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidInput(_("This is not JSON."), field="file") from None


def _tell_imported(request: HttpRequest, done: services.Imported) -> None:
    added = ngettext("%(n)d rule is added.", "%(n)d rules are added.", done.added)
    messages.success(request, added % {"n": done.added})
    for problem in done.problems[:10]:
        messages.error(request, problem)
