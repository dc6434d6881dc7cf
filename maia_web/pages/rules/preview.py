"""Before a rule is saved: what it would have made of the calls of the last days."""

from __future__ import annotations

from typing import Any, cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from agents.domain.rules.powers import powers, powers_sentence
from agents.domain.rules.text import FAMILIES, Family
from agents.library.rule_files import rule_files
from agents.selectors.permissions.preview import (
    DAYS,
    MOST,
    Preview,
    RuleChange,
    preview_change,
    recent_calls,
)
from agents.selectors.permissions.rules import rule_for
from agents.services.permissions.checked_rules import checked_rule, checked_rules
from maia_web.lib.errors import InvalidInput
from maia_web.pages.forms.numbers import typed_number
from maia_web.pages.rules.facts import RulesPage, found_rule, home_named, page_to_change, show_rules
from maia_web.pages.workspaces.page import for_members


@for_members
@require_POST
def preview(request: HttpRequest, page: str) -> HttpResponse:
    """Shows the dialog again with the answer; `?part` asks for the answer alone."""
    where = page_to_change(request, page)
    told: dict[str, Any] = {}
    try:
        change = _wanted(request, where)
        calls = recent_calls(change)
        files = {place: rule_files(place) for place in set(calls.places.values())}
        found = preview_change(change, calls, files)
        told = {**told_preview(found), "powers": _powers(change)}
    except InvalidInput as error:
        told = {"error": error.message}
    if "part" in request.GET:
        return render(request, "pages/rules_preview.html", {"preview": told})
    form = {
        "rule": typed_number(request.POST.get("rule", "")),
        **{name: request.POST.get(name, "") for name in ("family", "text", "home")},
        "preview": told,
        "open": True,
    }
    return show_rules(request, where, form=form)


def _powers(change: RuleChange) -> str:
    """Says which programs of an allow rule can run others."""
    return powers_sentence(powers(change.texts), _) if change.family == "allow" else ""


def told_preview(found: Preview) -> dict[str, Any]:
    """Returns the preview in sentences, the gravest first."""
    days = {"days": DAYS}
    moves = [
        {"verdict": after, "words": _sentence(before, after, n) % {"n": n, **days}}
        for (before, after), n in sorted(found.moves.items(), key=_gravity)
    ]
    if found.more:
        read = _("Only the newest %(most)d calls of the last %(days)d days were looked at.")
        return {"moves": moves, "read": read % {"most": MOST, **days}}
    if not found.looked_at:
        return {"read": _("No call of the last %(days)d days is there to compare with.") % days}
    read = ngettext(
        "One call of the last %(days)d days was looked at.",
        "All %(n)d calls of the last %(days)d days were looked at.",
        found.looked_at,
    )
    return {"moves": moves, "read": read % {"n": found.looked_at, **days}}


def _gravity(move: tuple[tuple[Family, Family], int]) -> tuple[int, int]:
    (_before, after), n = move
    return ({"allow": 0, "deny": 1, "ask": 2}[after], -n)


def _sentence(before: Family, after: Family, n: int) -> str:
    return {
        ("ask", "allow"): ngettext(
            "Would have allowed %(n)d call of the last %(days)d days that is asked now.",
            "Would have allowed %(n)d calls of the last %(days)d days that are asked now.",
            n,
        ),
        ("deny", "allow"): ngettext(
            "Would have allowed %(n)d call of the last %(days)d days that is denied now.",
            "Would have allowed %(n)d calls of the last %(days)d days that are denied now.",
            n,
        ),
        ("ask", "deny"): ngettext(
            "Would have denied %(n)d call of the last %(days)d days that is asked now.",
            "Would have denied %(n)d calls of the last %(days)d days that are asked now.",
            n,
        ),
        ("allow", "deny"): ngettext(
            "Would have denied %(n)d call of the last %(days)d days that is allowed now.",
            "Would have denied %(n)d calls of the last %(days)d days that are allowed now.",
            n,
        ),
        ("allow", "ask"): ngettext(
            "Would have asked about %(n)d call of the last %(days)d days that is allowed now.",
            "Would have asked about %(n)d calls of the last %(days)d days that are allowed now.",
            n,
        ),
        ("deny", "ask"): ngettext(
            "Would have asked about %(n)d call of the last %(days)d days that is denied now.",
            "Would have asked about %(n)d calls of the last %(days)d days that are denied now.",
            n,
        ),
    }[before, after]


def _wanted(request: HttpRequest, where: RulesPage) -> RuleChange:
    family = request.POST.get("family", "")
    if family not in FAMILIES:
        raise InvalidInput(_("A rule belongs to deny, ask or allow"), field="family")
    text, rule = request.POST.get("text", ""), typed_number(request.POST.get("rule", ""))
    if rule:
        found_rule(where, rule)
        _row, home = rule_for(where.user.pk, rule)
        return RuleChange(home, cast(Family, family), (checked_rule(text),), rule)
    home = home_named(where, request.POST.get("home", ""))
    return RuleChange(home, cast(Family, family), tuple(checked_rules(text)))
