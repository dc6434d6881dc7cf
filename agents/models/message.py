"""Messages: what people see."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from agents.models.agent import Agent
from agents.models.channel import Channel
from maia_web.lib.ids import ID_LENGTH, new_id


class Message(models.Model):
    """One message; `parts` holds the wire form of `agents.domain.content.parts`."""

    id = models.CharField(primary_key=True, max_length=ID_LENGTH, default=new_id)
    channel = models.ForeignKey(Channel, models.CASCADE, related_name="messages")
    position = models.PositiveBigIntegerField()
    role = models.CharField(max_length=6)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    agent = models.ForeignKey(Agent, models.SET_NULL, null=True, related_name="+")
    parts = models.JSONField(default=list)
    done = models.BooleanField(default=True)
    queued = models.BooleanField(default=False)
    stop_reason = models.CharField(max_length=20, blank=True)
    error = models.JSONField(null=True)
    code = models.CharField(max_length=32, blank=True)
    note = models.JSONField(null=True)
    attachments = models.JSONField(default=list)
    counters = models.JSONField(null=True)
    client_ref = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["position"]
        indexes = [  # counts of a long conversation must not read its messages
            models.Index(fields=["channel", "position", "role", "author"], name="message_unread"),
            models.Index(
                fields=["channel"], condition=models.Q(queued=True), name="message_queued"
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["channel", "position"], name="message_position_unique"),
            models.UniqueConstraint(
                fields=["channel", "author", "client_ref"],
                condition=~models.Q(client_ref=""),
                name="client_ref_sends_once",
            ),
        ]


class AnswerGrowth(models.Model):
    """What an unfinished answer has grown by since its `parts` were saved; ids are their order.

    `changes` holds the wire form of `agents.domain.content.growth.Change`.
    """

    answer = models.ForeignKey(Message, models.CASCADE, related_name="growth")
    changes = models.JSONField()
