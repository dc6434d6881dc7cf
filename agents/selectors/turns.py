"""Turns that somebody must serve."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Q
from django.utils import timezone

from agents.models import Turn


def running_turns() -> tuple[tuple[str, str], ...]:
    """Returns (turn id, host) of every running turn."""
    return tuple(Turn.objects.filter(state="running").values_list("id", "host"))


def channels_to_serve(orphans: Collection[str]) -> tuple[str, ...]:
    """Returns the channels where a turn waits, or a running one lost its host."""
    running = Turn.objects.filter(state="running")
    lost = running.filter(
        Q(id__in=orphans) | Q(lease_until=None) | Q(lease_until__lt=timezone.now())
    )
    waiting = Turn.objects.filter(state="queued").exclude(channel__in=running.values("channel"))
    found = [*lost.values_list("channel", flat=True), *waiting.values_list("channel", flat=True)]
    return tuple(dict.fromkeys(found))
