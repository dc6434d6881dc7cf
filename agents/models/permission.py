"""Permission rules, requests and the record of every decision."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from agents.models.agent import Agent
from agents.models.channel import Channel
from agents.models.message import Message
from agents.models.turn import Turn
from maia_web.lib.ids import ID_LENGTH, new_id
from workspaces.models import Workspace

SCOPES = [(scope, scope) for scope in ("site", "workspace", "person", "agent")]
FAMILIES = [(family, family) for family in ("deny", "ask", "allow")]


class Rule(models.Model):
    """One rule `Tool` or `Tool(pattern)` in one scope (seed M §9)."""

    scope = models.CharField(max_length=9, choices=SCOPES)
    workspace = models.ForeignKey(Workspace, models.CASCADE, null=True, related_name="rules")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="rules"
    )
    agent = models.ForeignKey(Agent, models.CASCADE, null=True, related_name="rules")
    family = models.CharField(max_length=5, choices=FAMILIES)
    text = models.TextField()
    enabled = models.BooleanField(default=True)
    added_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    added_at = models.DateTimeField(auto_now_add=True)


class PermissionRequest(models.Model):
    """A tool call that waits; the row is the truth, waking the waiter only a hint."""

    id = models.CharField(primary_key=True, max_length=ID_LENGTH, default=new_id)
    channel = models.ForeignKey(Channel, models.CASCADE, related_name="requests")
    turn = models.ForeignKey(Turn, models.CASCADE, related_name="requests")
    message = models.ForeignKey(Message, models.CASCADE, related_name="+")
    call_id = models.CharField(max_length=200)
    content = models.JSONField()
    state = models.CharField(max_length=9, default="pending", db_index=True)
    option = models.CharField(max_length=20, blank=True)
    instruction = models.TextField(blank=True)
    rule = models.TextField(blank=True)
    rule_scope = models.CharField(max_length=9, blank=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    answered_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["turn", "call_id"], name="one_request_per_call")
        ]


class AuditEntry(models.Model):
    """A decision about a tool call; append-only, written in the transaction of the decision."""

    at = models.DateTimeField(auto_now_add=True, db_index=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    on_behalf_of = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    workspace = models.ForeignKey(Workspace, models.SET_NULL, null=True, related_name="+")
    channel = models.ForeignKey(Channel, models.SET_NULL, null=True, related_name="+")
    agent = models.CharField(max_length=64, blank=True)
    tool = models.CharField(max_length=200)
    input = models.JSONField()
    verdict = models.CharField(max_length=9)
    rule = models.TextField(blank=True)
    scope = models.CharField(max_length=9, blank=True)
    outcome = models.CharField(max_length=20)
    delay_ms = models.PositiveIntegerField(default=0)
