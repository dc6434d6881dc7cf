"""What people do with kept rules: add, change, delete, import; each change is recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from agents.domain.rules.files import FileProblem, rule_lists
from agents.domain.rules.text import FAMILIES
from agents.domain.rules.verdict import RuleEntry
from agents.models import Rule
from agents.selectors.permissions.rules import RuleHome, exported, rule_for
from agents.services import audit
from agents.services.permissions.cases import tried_first
from agents.services.permissions.checked_rules import checked_rule, checked_rules
from agents.services.permissions.release import release_allowed
from maia_web.lib.errors import InvalidInput

MAX_RULES = 10_000


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did: rules added, rules that were there, and entries that are none."""

    added: int
    known: int
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """A rule to keep; `definition`: that of the custom tool it holds for, "" for any."""

    family: str
    text: str
    definition: str = ""


def add_rules(
    user_id: int, home: RuleHome, family: str, text: str, *, confirmed: bool = False
) -> tuple[int, ...]:
    """Adds the rules of a text, one a line, and returns their ids.

    Rules of the site are tried on the kept cases first: where one comes out worse, `Conflict`
    ("cases-differ") unless `confirmed`. Raises `NotAllowed`, `InvalidInput` naming the bad rule.
    """
    home.writable()
    entries = [Entry(_checked_family(family), one) for one in checked_rules(text)]
    with transaction.atomic(), tried_first(home.scope, confirmed=confirmed):
        kept = keep_rules(user_id, home, entries)
    _release(user_id, home, family)
    return tuple(row.pk for row, _is_new in kept)


def keep_rules(user_id: int, home: RuleHome, entries: Sequence[Entry]) -> list[tuple[Rule, bool]]:
    """Keeps rules, whoever writes them: a page, a program, a file, an answer to a request.

    Runs in the transaction of the caller. Returns each with whether it is new. Raises `NotAllowed`
    where this person may not write, `InvalidInput` where there is no room.
    """
    home.writable()
    _make_room(home, len(entries))
    return [_keep(user_id, home, entry) for entry in entries]


def change_rule(
    user_id: int, rule_id: int, *, family: str | None = None, text: str | None = None,
    enabled: bool | None = None, confirmed: bool = False,
) -> None:  # fmt: skip
    """Changes a rule, or switches it on or off. Raises as `add_rules`, and `NotFound`."""
    row, home = rule_for(user_id, rule_id)
    home.writable()
    changes: dict[str, Any] = {}
    if family is not None and family != row.family:
        changes["family"] = _checked_family(family)
    if text is not None and text != row.text:
        changes["text"] = checked_rule(text)
        changes |= {"definition": ""} if row.definition else {}
    if enabled is not None and enabled != row.enabled:
        changes["enabled"] = enabled
    if not changes:
        return
    before = {name: getattr(row, name) for name in changes}
    with transaction.atomic(), tried_first(home.scope, confirmed=confirmed):
        Rule.objects.filter(pk=row.pk).update(**changes)
        row.refresh_from_db()
        _record(user_id, home, _what(changes), row, before=before)
    _release(user_id, home, row.family)


def delete_rule(user_id: int, rule_id: int, *, confirmed: bool = False) -> None:
    """Deletes a rule. Raises `NotFound`, `NotAllowed`, `Conflict` as `add_rules`."""
    row, home = rule_for(user_id, rule_id)
    home.writable()
    with transaction.atomic(), tried_first(home.scope, confirmed=confirmed):
        _record(user_id, home, "deleted", row)
        Rule.objects.filter(pk=row.pk).delete()
    _release(user_id, home, "allow")


def import_rules(
    user_id: int, home: RuleHome, data: object, *, confirmed: bool = False
) -> Imported:
    """Adds the rules of the seed's format, whole or as the `permissions` alone.

    Entries that are no rules are left out and named. Raises as `add_rules`.
    """
    home.writable()
    found = rule_lists(_lists(data), home.scope)
    entries = [Entry(one.family, one.text) for one in found if isinstance(one, RuleEntry)]
    problems = tuple(
        f"{one.entry}: {one.sentence(_)}" for one in found if isinstance(one, FileProblem)
    )
    with transaction.atomic(), tried_first(home.scope, confirmed=confirmed):
        made = [is_new for _row, is_new in keep_rules(user_id, home, entries)]
    _release(user_id, home, "allow")
    return Imported(sum(made), len(made) - sum(made), problems[:100])


def export_rules(user_id: int, home: RuleHome) -> dict[str, Any]:
    """Returns the rules of a home in the seed's format, and records that they were taken."""
    audit.record(
        "export", "rules", user=user_id, workspace=home.workspace or None, scope=home.scope
    )
    return exported(home)


def _lists(data: object) -> dict[str, Any]:
    lists = data.get("permissions", data) if isinstance(data, Mapping) else None
    if not isinstance(lists, Mapping) or not any(family in lists for family in FAMILIES):
        raise InvalidInput(
            _("This is not JSON with the lists allow, ask and deny under “permissions”."),
            field="file",
        )
    return dict(lists)


def _checked_family(family: str) -> str:
    if family not in FAMILIES:
        raise InvalidInput(_("A rule belongs to deny, ask or allow"), field="family")
    return family


def _make_room(home: RuleHome, more: int) -> None:
    if Rule.objects.filter(**home.fields()).count() + more > MAX_RULES:
        raise InvalidInput(
            _("There is room for %(many)d rules here.") % {"many": MAX_RULES}, field="rule"
        )


def _keep(user_id: int, home: RuleHome, entry: Entry) -> tuple[Rule, bool]:
    """Returns the rule and whether it is new; one that was switched off is on again."""
    fields = {**home.fields(), "family": entry.family, "text": entry.text}
    fields["definition"] = entry.definition
    known = Rule.objects.filter(**fields).order_by("-enabled").first()
    if known is not None and known.enabled:
        return known, False
    if known is not None:
        Rule.objects.filter(pk=known.pk).update(enabled=True)
        _record(user_id, home, "enabled", known)
        return known, True
    row = Rule.objects.create(**fields, added_by_id=user_id)
    _record(user_id, home, "added", row)
    return row, True


def _what(changes: dict[str, Any]) -> str:
    if set(changes) == {"enabled"}:
        return "enabled" if changes["enabled"] else "disabled"
    return "changed"


def _record(
    user_id: int, home: RuleHome, what: str, row: Rule, before: dict[str, Any] | None = None
) -> None:
    audit.record(
        "rule",
        what,
        user=user_id,
        workspace=home.workspace or None,
        verdict=row.family,
        rule=row.text,
        scope=home.scope,
        input={"before": before} if before else {},
    )


def _release(user_id: int, home: RuleHome, family: str) -> None:
    """A rule that allows, or one less that asks, may end requests that wait."""
    if family in ("allow", "ask"):
        release_allowed(user_id, home.scope, home.workspace)
