"""Token paths: addresses that let in whoever knows them. They stand in no log and no Referer.

A route with a one-time token begins with one of these words; a test looks at every route.
"""

from __future__ import annotations

import re

WORDS = ("invite", "setup", "reset")
HIDDEN = "[redacted]"
_PATH = re.compile(rf"(?i)(/(?:{'|'.join(WORDS)})/+)[^/?#\s'\"<>]+")
# As accounts.tokens makes them: also where the path was mistyped.
_TOKEN = re.compile(r"(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])")


def carries_token(path: str) -> bool:
    """Returns whether the address itself is the secret."""
    return _PATH.search(path) is not None


def hide_tokens(text: str) -> str:
    """Returns `text` with the tokens of all addresses in it replaced."""
    return _TOKEN.sub(HIDDEN, _PATH.sub(rf"\1{HIDDEN}", text))
