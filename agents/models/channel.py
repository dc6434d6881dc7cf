"""Channels: conversations in a workspace between people and agents."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from agents.models.agent import Agent
from maia_web.lib.ids import ID_LENGTH, new_id
from maia_web.lib.names.field import FoldedField
from maia_web.lib.names.folding import GROWTH
from workspaces.models import Workspace


class Channel(models.Model):
    """A conversation. A direct one belongs to one person and one agent and has no name.

    `name_key` is its name folded: by it names are unique. `seq` counts durable frames,
    `last_position` messages; both grow in the writing transaction.
    """

    id = models.CharField(primary_key=True, max_length=ID_LENGTH, default=new_id)
    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="channels")
    name = models.CharField(max_length=64, blank=True)
    name_key = FoldedField(max_length=64 * GROWTH)
    description = models.CharField(max_length=200, blank=True)
    direct_agent = models.ForeignKey(Agent, models.CASCADE, null=True, related_name="+")
    direct_user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="+"
    )
    last_agent = models.ForeignKey(Agent, models.SET_NULL, null=True, related_name="+")
    seq = models.PositiveBigIntegerField(default=0)
    last_position = models.PositiveBigIntegerField(default=0)
    last_activity = models.DateTimeField(auto_now_add=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "name_key"],
                condition=~models.Q(name=""),
                name="channel_name_unique_in_workspace",
            ),
            models.UniqueConstraint(
                fields=["workspace", "direct_user", "direct_agent"],
                condition=models.Q(direct_user__isnull=False),
                name="one_direct_per_person_and_agent",
            ),
        ]


class ChannelAgent(models.Model):
    """An agent's membership; what its model has in mind is its session.

    `model` was chosen here with /model and stays whichever session is loaded; "": the site's.
    """

    channel = models.ForeignKey(Channel, models.CASCADE, related_name="members")
    agent = models.ForeignKey(Agent, models.CASCADE, related_name="+")
    joined_at = models.DateTimeField(auto_now_add=True)
    last_seen = models.PositiveBigIntegerField(default=0)
    model = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["channel", "agent"], name="agent_once_per_channel")
        ]


class ChannelRead(models.Model):
    """How far a person has read."""

    channel = models.ForeignKey(Channel, models.CASCADE, related_name="reads")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    position = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["channel", "user"], name="one_read_mark_per_person")
        ]
