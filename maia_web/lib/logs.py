"""Keeps logs one line per record, capped, and free of secrets."""

from __future__ import annotations

import logging
import re

from maia_web.lib.storage import told_in_full
from maia_web.lib.token_paths import hide_tokens

MAX_LINE = 4_000
MAX_STACK = 64_000
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\x80-\x9f\u2028\u2029]")
_SECRETS = (
    re.compile(r"(?i)(authorization['\"]?\s*[:=]\s*['\"]?(?:bearer\s+)?)[^\s'\",}]+"),
    re.compile(r"(?i)(\bbearer\s+)[^\s'\",}]+"),
    re.compile(r"(?i)((?:api[_-]?key|password|secret|token)['\"]?\s*[:=]\s*['\"]?)[^\s'\",}&]+"),
    re.compile(r"()\bsk-[A-Za-z0-9_-]{8,}"),
)
_HOSTS = re.compile(r"\bALLOWED_HOSTS\b")
"""Django's name of what people set as `MAIA_ALLOWED_HOSTS`."""
_stack = logging.Formatter()


def redact(text: str) -> str:
    """Returns `text` with what looks like a credential, or a link that lets in, replaced."""
    for pattern in _SECRETS:
        text = pattern.sub(r"\1[redacted]", text)
    return hide_tokens(text)


class SafeFilter(logging.Filter):
    """Escapes control characters, redacts secrets and caps the length of every record.

    A refusal (a status below 500) is one line, without the stack that led to it, and so is what a
    disk or the database fails with; the stack of a fault keeps its lines, and is redacted and
    capped too.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrites the record in place; always lets it pass."""
        outside = told_in_full(record.exc_info[1]) if record.exc_info else ""
        text = f"{record.getMessage()}: {outside}" if outside else record.getMessage()
        text = _HOSTS.sub("MAIA_ALLOWED_HOSTS", text)
        record.msg = _capped(_visible(redact(text)), MAX_LINE)
        record.args = ()
        if outside or getattr(record, "status_code", 500) < 500:
            record.exc_info = record.exc_text = None  # who is refused is no fault of the program
        elif record.exc_info:
            text = record.exc_text or _stack.formatException(record.exc_info)
            lines = redact(text).split("\n")
            record.exc_text = _capped("\n".join(map(_visible, lines)), MAX_STACK)
        return True


def _visible(line: str) -> str:
    return _CONTROL.sub(_escaped, line)


def _escaped(match: re.Match[str]) -> str:
    return f"\\x{ord(match.group()):02x}"


def _capped(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}… [{len(text)} chars]"
