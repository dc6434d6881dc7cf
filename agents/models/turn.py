"""Turns and the journal of their steps."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import get_language

from agents.models.agent import Agent
from agents.models.channel import Channel
from agents.models.message import Message
from maia_web.lib.ids import ID_LENGTH, new_id
from maia_web.lib.names.field import FoldedField
from maia_web.lib.names.folding import GROWTH

STATES = [(state, state) for state in ("queued", "running", "ended")]
KINDS = [(kind, kind) for kind in ("answer", "command", "compact")]


def spoken_language() -> str:
    """Returns the language of whoever asks now: a browser's, where a person chose none."""
    return get_language() or ""


class Turn(models.Model):
    """One piece of work in a channel, mostly an agent's answer to a message.

    A "command" runs what a person typed after `!`, "compact" summarises a session. A running turn
    has a lease that its host renews, with a number that grows at each claim; `lease_until` is by
    the database's clock. `unread`: the request names files or a skill that its host reads before
    the agent hears of it. `line`: the request as it was read when it came, without its text
    (`agents.domain.typed.line.kept`); None before 0014. `language` is the starter's when they
    asked. `session`: the key of the session a command was typed in, until it is over.
    """

    id = models.CharField(primary_key=True, max_length=ID_LENGTH, default=new_id)
    channel = models.ForeignKey(Channel, models.CASCADE, related_name="turns")
    agent = models.ForeignKey(Agent, models.CASCADE, related_name="+")
    kind = models.CharField(max_length=8, choices=KINDS, default="answer")
    argument = models.TextField(blank=True)
    starter = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    language = models.CharField(max_length=16, blank=True, default=spoken_language)
    session = models.CharField(max_length=40, blank=True, default="")
    request = models.ForeignKey(Message, models.CASCADE, null=True, related_name="turns")
    answer = models.ForeignKey(Message, models.SET_NULL, null=True, related_name="+")
    state = models.CharField(max_length=8, choices=STATES, default="queued")
    host = models.CharField(max_length=120, blank=True)
    lease = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)
    cancel_asked = models.BooleanField(default=False)
    attempts = models.PositiveIntegerField(default=0)
    continues = models.BooleanField(default=False)
    unread = models.BooleanField(default=False)
    line = models.JSONField(null=True)
    steps = models.PositiveIntegerField(default=0)
    committed_parts = models.PositiveIntegerField(default=0)
    rejections = models.PositiveIntegerField(default=0)
    undo = models.JSONField(null=True)
    counters = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["channel"],
                condition=models.Q(state="running"),
                name="one_running_turn_per_channel",
            )
        ]
        indexes = [models.Index(fields=["state", "lease_until"])]

    @property
    def is_answer(self) -> bool:
        """Whether an agent answers: its counters, memory and place in the channel follow."""
        return self.kind == "answer"


class AgentSession(models.Model):
    """What the model of one agent has in mind in one channel (seed M §12); one is the current.

    `name_key` is its name folded: by it a session is found, and names are unique.
    `model`, `cwd` and what follows go into the file of an export; a trace of a sub-agent names it
    and the session that called it. `revision` grows with each change of its messages, `length` is
    how many there are: what was read of them once is brought up to date by what changed since.
    """

    channel = models.ForeignKey(Channel, models.CASCADE, related_name="sessions")
    agent = models.ForeignKey(Agent, models.CASCADE, related_name="+")
    name = models.CharField(max_length=100)
    name_key = FoldedField(max_length=100 * GROWTH)
    current = models.BooleanField(default=True)
    pending_context = models.JSONField(default=list)
    start_context = models.TextField(blank=True)
    context_used = models.PositiveIntegerField(default=0)
    model = models.CharField(max_length=200, blank=True)
    cwd = models.CharField(max_length=1000, blank=True)
    sub_agent = models.CharField(max_length=64, blank=True)
    parent_session = models.CharField(max_length=100, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)
    revision = models.PositiveBigIntegerField(default=0)
    length = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["channel", "agent"],
                condition=models.Q(current=True),
                name="one_current_session_per_channel",
            ),
            models.UniqueConstraint(
                fields=["channel", "agent", "name_key"], name="session_name_unique_in_channel"
            ),
        ]


class SessionMessage(models.Model):
    """One ModelMessage of a session, in the wire form of `agents.domain.content.model_messages`.

    `revision`: that of the session when it was added or changed last. `tokens`: None where nobody
    has counted them yet. Only `agents.services.memory.messages` writes these rows.
    """

    session = models.ForeignKey(AgentSession, models.CASCADE, related_name="messages")
    position = models.PositiveIntegerField()
    turn = models.ForeignKey(Turn, models.SET_NULL, null=True, related_name="+")
    content = models.JSONField()
    tokens = models.PositiveIntegerField(null=True)
    revision = models.PositiveBigIntegerField(default=0)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["session", "position"], name="session_position_unique")
        ]
        indexes = [models.Index(fields=["session", "revision"], name="session_changes")]


class ToolCall(models.Model):
    """A tool call of a turn's latest steps: recorded before it runs and after it ran.

    `unreadable`: how its arguments begin where they hold no object.
    """

    turn = models.ForeignKey(Turn, models.CASCADE, related_name="calls")
    step = models.PositiveIntegerField()
    position = models.PositiveIntegerField()
    call_id = models.CharField(max_length=200)
    name = models.CharField(max_length=200)
    input = models.JSONField()
    unreadable = models.TextField(blank=True, default="")
    part_index = models.PositiveIntegerField()
    state = models.CharField(max_length=12, default="pending")
    result = models.JSONField(null=True)

    class Meta:
        ordering = ["step", "position"]
        constraints = [
            models.UniqueConstraint(fields=["turn", "step", "position"], name="call_once_per_step")
        ]
