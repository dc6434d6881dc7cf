"""The agents app."""

from django.apps import AppConfig


class AgentsConfig(AppConfig):
    """Agents, channels, turns and everything that is said."""

    name = "agents"

    def ready(self) -> None:
        """Keeps what accounts and workspaces tell in the audit log."""
        from agents.services.audit import record_happened
        from maia_web.lib import audit

        audit.listen(record_happened)
