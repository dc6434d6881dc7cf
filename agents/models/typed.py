"""Slash commands and their answers, kept so that each is carried out once."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from agents.models.channel import Channel


class SlashAnswer(models.Model):
    """The answer to a slash command that a person sent with a `client_ref`.

    `reply` holds the wire form of `agents.domain.typed.replies.Reply`.
    """

    channel = models.ForeignKey(Channel, models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    client_ref = models.CharField(max_length=64)
    reply = models.JSONField()
    at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["channel", "user", "client_ref"], name="one_answer_per_client_ref"
            )
        ]
