"""Whether a person's commands can run isolated, as the probe says."""

from __future__ import annotations

from asgiref.sync import async_to_sync

from maia_web.accounts.models import User
from workspaces.sandboxes import SandboxStatus, sandbox_status
from workspaces.services import personal_workspace


def sandbox_of(user: User) -> SandboxStatus:
    """Returns how commands run in the person's own workspace."""
    return async_to_sync(sandbox_status)(personal_workspace(user).place)
