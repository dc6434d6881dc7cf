"""The agents app."""

from django.apps import AppConfig


class AgentsConfig(AppConfig):
    """Agents, channels, turns and everything that is said."""

    name = "agents"

    def ready(self) -> None:
        """Keeps what accounts and workspaces tell in the audit log; cuts off what a person lost."""
        from agents.services.audit import record_happened
        from maia_web.lib import access, audit

        audit.listen(record_happened)
        access.listen(_rights_changed)


def _rights_changed(user_id: int) -> None:
    from agents.services.turns.lost_access import rights_changed  # what it needs is slow to import

    rights_changed(user_id)
