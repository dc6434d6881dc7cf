"""Permission rules, and the requests that wait for an answer."""

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
    """One rule `Tool` or `Tool(pattern)` in one scope (seed M §9), and how often it was of use.

    `definition`: of a rule that a person gave to a custom tool when asked; it holds for calls of
    exactly that definition, "" for all. `hits` counts the calls it matched, whatever decided,
    `decided` those where it had the last word.
    """

    scope = models.CharField(max_length=9, choices=SCOPES)
    workspace = models.ForeignKey(Workspace, models.CASCADE, null=True, related_name="rules")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="rules"
    )
    agent = models.ForeignKey(Agent, models.CASCADE, null=True, related_name="rules")
    family = models.CharField(max_length=5, choices=FAMILIES)
    text = models.TextField()
    definition = models.CharField(max_length=64, blank=True, default="")
    enabled = models.BooleanField(default=True)
    added_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    added_at = models.DateTimeField(auto_now_add=True)
    hits = models.PositiveBigIntegerField(default=0)
    last_match = models.DateTimeField(null=True)
    decided = models.PositiveBigIntegerField(default=0)
    last_decided = models.DateTimeField(null=True)


class PermissionRequest(models.Model):
    """A tool call that waits; the row is the truth, waking the waiter only a hint.

    `digest` binds the answer to turn, tool and input; `edited` is the input the starter allowed
    instead. `proposed` is an input that `proposed_by` would rather have, `proposal` its digest, ""
    where nobody proposes anything.
    """

    id = models.CharField(primary_key=True, max_length=ID_LENGTH, default=new_id)
    channel = models.ForeignKey(Channel, models.CASCADE, related_name="requests")
    turn = models.ForeignKey(Turn, models.CASCADE, related_name="requests")
    message = models.ForeignKey(Message, models.CASCADE, related_name="+")
    call_id = models.CharField(max_length=200)
    content = models.JSONField()
    digest = models.CharField(max_length=64)
    edited = models.JSONField(null=True)
    proposal = models.CharField(max_length=64, blank=True, default="")
    proposed = models.JSONField(null=True)
    proposed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    proposed_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True)
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
