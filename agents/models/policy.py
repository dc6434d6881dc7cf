"""What surrounds the rules: files people trust, and what administrators set for the site."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from workspaces.models import Workspace


class TrustedFile(models.Model):
    """The content of a workspace's `.maia/settings.json` whose `allow` rules a person trusts."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    sha256 = models.CharField(max_length=64)
    at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "workspace"], name="one_trusted_file")
        ]


class KnownRule(models.Model):
    """A deny or ask that was in force in a workspace's `.maia/settings.json`.

    It stays so, after the file changed or went, for all who have not looked (`looked_by`). `digest`
    is of family and text, which may be too long for an index.
    """

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    family = models.CharField(max_length=5)
    text = models.TextField()
    digest = models.CharField(max_length=64)
    looked_by = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "digest"], name="one_known_rule")
        ]


class RulesStamp(models.Model):
    """One row, which the database itself changes with each write of what rules depend on.

    Triggers of migration 0019: whoever writes, by whatever way, cannot forget it. A random text,
    not a number: what was rolled back or restored from a backup has another one.
    """

    stamp = models.CharField(max_length=36)


class PolicySettings(models.Model):
    """One row: the cases that are tried before a rule changes, and how long the audit is kept.

    `audit_days` None: for ever.
    """

    cases = models.TextField(blank=True)
    audit_days = models.PositiveIntegerField(null=True)
