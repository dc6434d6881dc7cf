"""One-time tokens: 256 random bits in a link, of which only the hash is kept."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

VALID_FOR = timedelta(days=7)


def new_token() -> str:
    """Returns a fresh token for a link."""
    return secrets.token_urlsafe(32)


def token_hash(token: str) -> str:
    """Returns what is kept of a token; the token has 256 bits, so that no salt is needed."""
    return hashlib.sha256(token.encode()).hexdigest()
