"""Turns that somebody must serve."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Q
from django.db.models.functions import Now

from agents.models import Turn

LAPSED = Q(lease_until=None) | Q(lease_until__lt=Now())
"""Running turns whose host is silent for too long, by the database's clock."""


def running_hosts() -> frozenset[str]:
    """Returns the names of the hosts that running turns are held by."""
    running = Turn.objects.filter(state="running").exclude(host="")
    return frozenset(running.values_list("host", flat=True))


def channels_to_serve(dead: Collection[str]) -> tuple[str, ...]:
    """Returns the channels where a turn waits, or a running one lost its host.

    `dead`: names of hosts that are known to have ended.
    """
    running = Turn.objects.filter(state="running")
    lost = running.filter(LAPSED | Q(host__in=dead))
    waiting = Turn.objects.filter(state="queued").exclude(channel__in=running.values("channel"))
    found = [*lost.values_list("channel", flat=True), *waiting.values_list("channel", flat=True)]
    return tuple(dict.fromkeys(found))
