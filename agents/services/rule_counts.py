"""Counts how often rules match, with one update a rule."""

from __future__ import annotations

from django.db.models import F
from django.utils import timezone

from agents.domain.rule_verdict import Verdict
from agents.models import Rule


def count_matches(verdict: Verdict) -> None:
    """Counts a match of every kept rule that matched, whatever was decided."""
    keys = {int(entry.origin) for entry in verdict.matches if entry.origin.isdecimal()}
    for key in sorted(keys):  # always in this order: two decisions never wait for each other
        Rule.objects.filter(pk=key).update(hits=F("hits") + 1, last_match=timezone.now())
