"""The agents app."""

from django.apps import AppConfig


class AgentsConfig(AppConfig):
    """Agents, channels, turns and everything that is said."""

    name = "agents"
