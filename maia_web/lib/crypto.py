"""Encrypts what is kept but never shown, such as keys of model servers."""

from __future__ import annotations

import base64
import hashlib

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings


def _box() -> Fernet:
    digest = hashlib.sha256(b"maia-at-rest\0" + settings.SECRET_KEY.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(digest))


def seal(text: str) -> str:
    """Returns `text` encrypted with the site's secret key; "" stays ""."""
    return _box().encrypt(text.encode()).decode() if text else ""


def unseal(sealed: str) -> str:
    """Returns the text sealed before; "" if it was sealed with another secret key."""
    if not sealed:
        return ""
    try:
        return _box().decrypt(sealed.encode()).decode()
    except InvalidToken:
        return ""
