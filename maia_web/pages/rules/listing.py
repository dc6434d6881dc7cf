"""The list on the rules pages: which rules are shown, in which reading order, with which marks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote, urlencode

from django.http import QueryDict
from django.utils.translation import gettext as _

from agents.selectors.permissions.rules import RuleInfo

Order = Callable[[RuleInfo], Any]
ORDERS: dict[str, tuple[Order, bool]] = {
    "": (lambda _rule: 0, False),
    "text": (lambda rule: rule.text.casefold(), False),
    "new": (lambda rule: (rule.added_at, rule.id), True),
    "used": (lambda rule: (rule.decided, rule.hits), True),
    "last": (lambda rule: rule.last_match or "", True),
    "idle": (lambda rule: (rule.last_match or "", rule.hits), False),
}
"""What each reading order sorts by, and whether it begins with the largest."""


def shown_rules(rules: tuple[RuleInfo, ...], asked: QueryDict) -> list[RuleInfo]:
    """Returns the rules that are asked for, in the order that is."""
    scope, tool = asked.get("scope", ""), asked.get("tool", "")
    words = asked.get("q", "").casefold().split()
    key, reverse = ORDERS.get(asked.get("order", ""), ORDERS[""])
    found = [
        rule
        for rule in rules
        if (not scope or rule.scope == scope)
        and (not tool or rule.tool == tool)
        and all(word in _searched(rule) for word in words)
    ]
    return sorted(found, key=key, reverse=reverse)


def filters(
    rules: tuple[RuleInfo, ...], asked: QueryDict, own: str, everywhere: bool
) -> dict[str, Any]:
    """Returns what the row of filters shows; `own` is the scope that is always there."""
    names = {
        "": _("All"),
        "site": _("Site"),
        "workspace": _("Workspaces") if everywhere else _("Workspace"),
        "person": _("Person"),
        "agent": _("Agent"),
    }
    counts = {scope: sum(rule.scope == scope for rule in rules) for scope in names}
    counts[""] = len(rules)
    shown = [scope for scope in names if counts[scope] or scope in ("", own)]
    chosen = {name: asked.get(name, "") for name in ("scope", "tool", "q", "order")}
    return {
        "scopes": [(scope, names[scope], counts[scope]) for scope in shown],
        "orders": _orders(),
        "others": urlencode(
            [(name, value) for name, value in chosen.items() if name != "scope"], quote_via=quote
        ),
        **chosen,
    }


def _orders() -> list[tuple[str, str]]:
    return [
        ("", _("By verdict")),
        ("text", _("A to Z")),
        ("new", _("Newest first")),
        ("used", _("Most used first")),
        ("last", _("Last matched first")),
        ("idle", _("Never matched first")),
    ]


def _searched(rule: RuleInfo) -> str:
    who = rule.added_by.name if rule.added_by else ""
    parts = (rule.family, rule.text, rule.agent or "", rule.workspace_name or "", who)
    return " ".join(parts).casefold()
