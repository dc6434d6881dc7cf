"""Who a person is to git, as their account says it now."""

from __future__ import annotations

import logging

from django.contrib.auth import get_user_model

from maia_web.lib.db import in_db
from workspaces.domain.identity import Identity, identity_of

logger = logging.getLogger(__name__)


async def git_identity(user: int) -> Identity:
    """Returns name and mail address of a person; a nameless one where nobody can be asked."""
    try:
        account = await in_db(_account)(user)
    except Exception:  # a command runs without a name rather than not at all
        logger.debug("nobody could say who %s is", user, exc_info=True)
        account = None
    return identity_of(*account) if account else identity_of(f"user-{user}")


def _account(user: int) -> tuple[str, str, str] | None:
    accounts = get_user_model().objects.filter(pk=user)
    return accounts.values_list("username", "display_name", "email").first()
