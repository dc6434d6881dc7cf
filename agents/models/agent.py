"""Agents: the addressable helpers, and the model server they use."""

from __future__ import annotations

from django.db import models

from agents.domain.content.agents import BUILT_IN, EXTERNAL

KINDS = [(BUILT_IN, "built in"), (EXTERNAL, "external")]
TOOLSETS = [("maia", "MAIA's tools"), ("mm", "the five compact tools")]


class Agent(models.Model):
    """A configured answerer. The built-in one is made by a migration."""

    name = models.CharField(max_length=64, unique=True)
    title = models.CharField(max_length=120, blank=True)
    description = models.TextField(blank=True)
    kind = models.CharField(max_length=4, choices=KINDS, default=BUILT_IN)
    toolset = models.CharField(max_length=8, choices=TOOLSETS, default="maia")
    position = models.PositiveIntegerField(default=0)
    enabled = models.BooleanField(default=True)

    class Meta:
        ordering = ["position", "name"]

    def __str__(self) -> str:
        return self.name

    @property
    def is_built_in(self) -> bool:
        """Whether MAIA itself answers: it keeps the memory, and reads what a request names."""
        return self.kind == BUILT_IN


class ModelServer(models.Model):
    """The site's model endpoint (seed M §7.3). `kind` "demo" is the built-in demonstration."""

    kind = models.CharField(
        max_length=8,
        choices=[("litellm", "LiteLLM"), ("openai", "OpenAI-compatible"), ("demo", "demo")],
    )
    url = models.CharField(max_length=500, blank=True)
    chat_path = models.CharField(max_length=200, default="/v1/chat/completions")
    models_path = models.CharField(max_length=200, default="/v1/models")
    sealed_key = models.TextField(blank=True)
    model = models.CharField(max_length=200, blank=True)
    context_size = models.PositiveIntegerField(null=True)
    max_steps = models.PositiveIntegerField(default=50)
    max_output_tokens = models.PositiveIntegerField(null=True)
    updated_at = models.DateTimeField(auto_now=True)


class KnownModel(models.Model):
    """One model of an endpoint: what administrators say of it, and what was learned of it.

    `context_size` counts before any other figure. `traits`: the JSON of a
    `agents.domain.model_servers.traits.Traits`, "" for none.
    """

    url = models.CharField(max_length=500, blank=True)
    model = models.CharField(max_length=200)
    context_size = models.PositiveIntegerField(null=True)
    traits = models.TextField(blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["url", "model"], name="model_known_once")]


class ContextSize(models.Model):
    """What is known of the context of one model of one endpoint; `size` None: it did not say."""

    url = models.CharField(max_length=500, blank=True)
    model = models.CharField(max_length=200)
    size = models.PositiveIntegerField(null=True)
    source = models.CharField(max_length=8)
    at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["url", "model"], name="one_size_per_model")]
