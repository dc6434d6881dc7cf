"""Counts how often rules match and how often they decide, with one update a rule."""

from __future__ import annotations

from django.db.models import F
from django.utils import timezone

from agents.domain.rules.verdict import Verdict
from agents.models import Rule


def count_matches(verdict: Verdict) -> None:
    """Counts a match of every kept rule that matched, and a decision of those that decided."""
    keys = {int(entry.origin) for entry in verdict.matches if entry.origin.isdecimal()}
    deciding, now = deciding_rules(verdict), timezone.now()
    for key in sorted(keys):  # always in this order: two decisions never wait for each other
        rows = Rule.objects.filter(pk=key)
        if key in deciding:
            rows.update(
                hits=F("hits") + 1, last_match=now, decided=F("decided") + 1, last_decided=now
            )
        else:
            rows.update(hits=F("hits") + 1, last_match=now)


def deciding_rules(verdict: Verdict) -> frozenset[int]:
    """Returns the keys of the kept rules that had the last word.

    The one the verdict names; where several parts of a call were allowed, the rule of each. Of
    rules with one text in several scopes the first one counts.
    """
    texts = {part.rule for part in verdict.parts if part.judged == verdict.family and part.rule}
    first: dict[str, str] = {}
    for entry in verdict.matches:
        if entry.family == verdict.family and entry.text in texts:
            first.setdefault(entry.text, entry.origin)
    if verdict.rule is not None and verdict.code == "rule":
        first[verdict.rule] = verdict.origin or ""
    return frozenset(int(origin) for origin in first.values() if origin.isdecimal())
