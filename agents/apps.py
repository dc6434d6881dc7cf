"""The agents app."""

from django.apps import AppConfig


class AgentsConfig(AppConfig):
    """Agents, channels, turns and everything that is said."""

    name = "agents"

    def ready(self) -> None:
        """Keeps what accounts and workspaces tell in the audit log; ends what a person may not."""
        from agents.services.audit import record_happened
        from maia_web.lib import access, audit

        audit.listen(record_happened)
        access.listen(_end_what_they_run)


def _end_what_they_run(user_id: int) -> None:
    from agents.services.lost_access import stop_turns_of  # what it needs is slow to import

    stop_turns_of(user_id)
