"""The audit log: looking, filtering, taking it along, and how long it is kept."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any, cast
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from agents.api.audit import streamed
from agents.domain.rules.offers import offers
from agents.selectors.audit import AUDIT_KINDS, AuditFilter, AuditLine, audit_days, audit_page
from agents.selectors.permissions.policies import CONTEXT
from agents.services.audit import keep_audit_for
from maia_web.lib.errors import InvalidInput
from maia_web.pages.forms.numbers import typed_number
from maia_web.pages.guards import administrators_only, signed_in
from maia_web.pages.workspaces.page import for_members

ABOUT = ("command", "pattern", "path", "file_path", "url", "name", "skill")
ALWAYS = ("allow_once", "allow_always", "rule")


@administrators_only
@for_members
@require_GET
def audit(request: HttpRequest) -> HttpResponse:
    """Lists the log, newest first."""
    wanted, before = _wanted(request), request.GET.get("before", "")
    lines: tuple[AuditLine, ...] = ()
    more: int | None = None
    error = ""
    try:
        lines, more = audit_page(signed_in(request).pk, wanted, typed_number(before) or None)
    except InvalidInput as problem:
        error = problem.message
    query = wanted.as_query()
    context = {
        "lines": [_row(line) for line in lines],
        "wanted": wanted,
        "filtered": len(query),
        "error": error,
        "kinds": [(kind, _kind(kind)) for kind in AUDIT_KINDS],
        "outcomes": _outcomes(wanted.outcome),
        "older": urlencode({**query, "before": more}) if more else "",
        "first": before,
        "query": urlencode(query),
        "days": audit_days(),
        "here": request.path,
    }
    return render(request, "pages/audit.html", context, status=422 if error else 200)


@administrators_only
@for_members
@require_GET
def audit_file(request: HttpRequest, format: str) -> HttpResponse:
    """All lines that are wanted, as a file."""
    try:
        answer: Any = streamed(signed_in(request).pk, _wanted(request), format)
    except InvalidInput as error:
        messages.error(request, error.message)
        answer = redirect("audit")
    return cast(HttpResponse, answer)


@administrators_only
@for_members
@require_POST
def keep_audit(request: HttpRequest) -> HttpResponse:
    """Sets after how many days lines are dropped; nothing typed: never."""
    typed = request.POST.get("days", "").strip()
    days = None if not typed else typed_number(typed)
    try:
        keep_audit_for(signed_in(request).pk, days)
        messages.success(request, _("Saved."))
    except InvalidInput as error:
        messages.error(request, error.message)
    return redirect("audit")


def _wanted(request: HttpRequest) -> AuditFilter:
    names = [field.name for field in fields(AuditFilter)]
    return AuditFilter(**{name: request.GET.get(name, "").strip()[:200] for name in names})


def _kind(kind: str) -> str:
    """Returns what a kind of line is called, in the reader's language."""
    return {
        "decision": _("decision"),
        "proposal": _("proposal"),
        "rule": _("rule"),
        "trust": _("trust"),
        "export": _("export"),
        "sign-in": _("sign-in"),
        "role": _("role"),
        "setting": _("setting"),
    }.get(kind, kind)


def _outcomes(wanted: str) -> list[tuple[str, str]]:
    """Returns what a decision can come to, with the words of the list; and what is asked for."""
    known = {
        "allow_once": _("once"),
        "allow_always": _("always"),
        "deny": _("denied"),
        "stop": _("stopped"),
        "rule": _("by a rule (allowed or denied)"),
        "person": _("typed by a person"),
        "expired": _("expired"),
        "cancelled": _("cancelled"),
    }
    if wanted and wanted not in known:
        known[wanted] = wanted
    return list(known.items())


def _row(line: AuditLine) -> dict[str, Any]:
    allowed = line.outcome in ALWAYS and line.verdict != "deny"
    return {
        "line": line,
        "call": _call(line),
        "more": _whole(line),
        "kind": _kind(line.kind),
        "badge": _badge(line, allowed),
        "rule_link": _rule_link(line),
        "edited": "edited" in line.input and line.kind == "decision",
        "facts": line.kind != "decision" and line.input,
    }


def _decided(line: AuditLine) -> dict[str, Any]:
    """Returns the input that was decided about."""
    shown = line.input.get("edited") or line.input.get("asked") or line.input
    return shown if isinstance(shown, dict) else {}


def _call(line: AuditLine) -> str:
    """Returns the call in one line: what its tool is about above all."""
    shown = _decided(line)
    told = next((shown[name] for name in ABOUT if isinstance(shown.get(name), str)), None)
    return told if told and line.tool else line.call


def _whole(line: AuditLine) -> str:
    """Returns the whole input where the line tells a part of it, else ""."""
    shown = _decided(line)
    return json.dumps(shown, ensure_ascii=False, indent=2) if line.tool and len(shown) > 1 else ""


def _badge(line: AuditLine, allowed: bool) -> tuple[str, str]:
    words = {
        "allow_once": _("once"),
        "allow_always": _("always"),
        "rule": _("allowed") if allowed else _("denied"),
        "person": _("typed"),
        "deny": _("denied"),
        "stop": _("stopped"),
        "expired": _("expired"),
        "cancelled": _("cancelled"),
    }
    if line.kind != "decision":
        return "", line.outcome
    look = "ok" if allowed else "fail" if line.outcome in ("rule", "deny", "stop") else ""
    return ("info" if line.outcome == "allow_always" else look), words.get(
        line.outcome, line.outcome
    )


def _rule_link(line: AuditLine) -> str:
    """Returns where a rule can be made that decides as this time, narrowest first."""
    if line.kind != "decision" or not line.tool:
        return ""
    found = offers(line.tool, _decided(line), CONTEXT)
    text = "\n".join([found[0].rule, *found[0].also]) if found else line.tool
    family = "deny" if line.outcome in ("deny", "stop") or line.verdict == "deny" else "allow"
    return f"{reverse('rules')}?{urlencode({'new': 1, 'text': text, 'family': family})}"
