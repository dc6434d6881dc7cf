"""Workspaces and who works in them."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from maia_web.lib.ids import ID_LENGTH, new_id

ROLES = [("owner", "owner"), ("editor", "editor"), ("viewer", "viewer")]
NETWORKS = [("none", "none"), ("filtered", "filtered"), ("open", "open")]


class Workspace(models.Model):
    """A folder, `DATA/workspaces/<id>`, with members. `personal_of`: made with an account.

    `editors_answer`: editors too may answer permission requests, which expire after
    `request_hours`. `agents_commit`: git names agents as committers of what they commit.
    """

    id = models.CharField(primary_key=True, max_length=ID_LENGTH, default=new_id)
    number = models.PositiveIntegerField(unique=True)
    name = models.CharField(max_length=64)
    personal_of = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="personal_workspace"
    )
    network = models.CharField(max_length=8, choices=NETWORKS, default="none")
    editors_answer = models.BooleanField(default=False)
    request_hours = models.PositiveIntegerField(default=24)
    agents_commit = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A person's role in a workspace."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=6, choices=ROLES)
    joined_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "user"], name="one_role_per_workspace")
        ]
