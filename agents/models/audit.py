"""AuditEntry: what was decided or changed, by whom; written once, never changed."""

from __future__ import annotations

from typing import Any, NoReturn

from django.conf import settings
from django.db import models

from agents.models.channel import Channel
from workspaces.models import Workspace

KINDS = [
    (kind, kind)
    for kind in ("decision", "proposal", "rule", "trust", "export", "sign-in", "role", "setting")
]


class AuditRows(models.QuerySet["AuditEntry"]):
    """Rows can be added and read; only the rotation by age removes any."""

    def update(self, **_changes: Any) -> NoReturn:
        """Refuses."""
        raise TypeError("the audit log is append-only")

    def delete(self) -> NoReturn:
        """Refuses."""
        raise TypeError("the audit log is append-only")


class AuditEntry(models.Model):
    """One line of the audit log, written in the transaction of what it tells.

    Its references are not constraints: a person, workspace or channel may go, the line stays as
    it is, with the name (`who`, `place`) they had.
    """

    at = models.DateTimeField(auto_now_add=True, db_index=True)
    kind = models.CharField(max_length=8, choices=KINDS, default="decision")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.DO_NOTHING,
        null=True,
        related_name="+",
        db_constraint=False,
    )
    who = models.CharField(max_length=150, blank=True)
    on_behalf_of = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.DO_NOTHING,
        null=True,
        related_name="+",
        db_constraint=False,
    )
    workspace = models.ForeignKey(
        Workspace, models.DO_NOTHING, null=True, related_name="+", db_constraint=False
    )
    place = models.CharField(max_length=64, blank=True)
    channel = models.ForeignKey(
        Channel, models.DO_NOTHING, null=True, related_name="+", db_constraint=False
    )
    agent = models.CharField(max_length=64, blank=True)
    tool = models.CharField(max_length=200, blank=True)
    input = models.JSONField(default=dict)
    verdict = models.CharField(max_length=9, blank=True)
    rule = models.TextField(blank=True)
    scope = models.CharField(max_length=9, blank=True)
    part = models.TextField(blank=True)
    outcome = models.CharField(max_length=20)
    delay_ms = models.PositiveBigIntegerField(default=0)
    address = models.CharField(max_length=64, blank=True)

    objects = AuditRows.as_manager()

    class Meta:
        ordering = ["-id"]

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Writes a new line; one that is there already stays as it is."""
        if not self._state.adding:
            raise TypeError("the audit log is append-only")
        super().save(*args, **kwargs)

    def delete(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        """Refuses."""
        raise TypeError("the audit log is append-only")
