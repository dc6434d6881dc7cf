"""Whether a session still opens anything, as tests ask after something that should end it."""

from __future__ import annotations

from maia_web.accounts.models import User
from maia_web.accounts.selectors import session_now


def still_signed_in(key: str, user_id: int) -> bool:
    """Returns whether a session of this person is alive."""
    user = User.objects.filter(pk=user_id).first()
    return user is not None and session_now(key, user) is not None
