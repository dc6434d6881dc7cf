"""Keeps logs one line per record, capped, and free of secrets."""

from __future__ import annotations

import logging
import re

MAX_LINE = 4_000
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u2028\u2029]")
_SECRETS = (
    re.compile(r"(?i)(authorization['\"]?\s*[:=]\s*['\"]?(?:bearer\s+)?)[^\s'\",}]+"),
    re.compile(r"(?i)((?:api[_-]?key|password|secret|token)['\"]?\s*[:=]\s*['\"]?)[^\s'\",}&]+"),
    re.compile(r"()\bsk-[A-Za-z0-9_-]{8,}"),
)


def redact(text: str) -> str:
    """Returns `text` with what looks like a credential replaced."""
    for pattern in _SECRETS:
        text = pattern.sub(r"\1[redacted]", text)
    return text


class SafeFilter(logging.Filter):
    """Escapes control characters, redacts secrets and caps the length of every record.

    A refusal (a status below 500) is one line, without the stack that led to it.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrites the record in place; always lets it pass."""
        text = redact(record.getMessage())
        text = _CONTROL.sub(lambda match: f"\\x{ord(match.group()):02x}", text)
        record.msg = text if len(text) <= MAX_LINE else f"{text[:MAX_LINE]}… [{len(text)} chars]"
        record.args = ()
        if getattr(record, "status_code", 500) < 500:
            record.exc_info = record.exc_text = None  # who is refused is no fault of the program
        return True
