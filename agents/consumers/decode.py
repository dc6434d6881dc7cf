"""Decodes the text of a socket message into a command."""

from __future__ import annotations

import orjson
from django.conf import settings
from django.utils.translation import gettext as _
from pydantic import ValidationError

from agents.protocol.commands import COMMAND, MAX_TEXT, Command
from maia_web.lib.errors import MaiaError


def decode(text: str | None) -> Command:
    """Returns the command in a socket message; raises `MaiaError` that says what is wrong."""
    if text is None:
        raise MaiaError(_("Commands are JSON text, not binary."), code="not-json")
    if _is_too_large(text):
        message = _("The message is larger than 1 MB. Attach it as a file instead.")
        raise MaiaError(message, code="too-large", clientRef=_ref_in(text))
    try:
        return COMMAND.validate_json(text)
    except ValidationError as invalid:
        raise _invalid(invalid, text) from None


def _is_too_large(text: str) -> bool:
    most: int = settings.MAX_SOCKET_MESSAGE
    return len(text) > most // 4 and len(text.encode(errors="replace")) > most


def _invalid(invalid: ValidationError, text: str) -> MaiaError:
    first = invalid.errors(include_url=False, include_input=False, include_context=False)[0]
    code = {
        "json_invalid": "not-json",
        "union_tag_invalid": "unknown-command",
        "union_tag_not_found": "unknown-command",
    }.get(first["type"], "invalid")
    field = ".".join(str(part) for part in first["loc"][1:])
    return MaiaError(
        _sentence(first["type"], field),
        code=code,
        field=field,
        clientRef=_ref_in(text),
    )


def _sentence(kind: str, field: str) -> str:
    """Returns what is wrong in words for people; the validator's own are for programs."""
    if kind == "string_too_long" and field == "text":
        return _("The message is longer than %(max)d characters.") % {"max": MAX_TEXT}
    if kind == "string_too_long":
        return _("This is too long: %(field)s.") % {"field": field}
    if kind == "missing":
        return _("This is missing: %(field)s.") % {"field": field}
    if field:
        return _("This command is not understood; look at %(field)s.") % {"field": field}
    return _("This command is not understood.")


def _ref_in(text: str) -> str | None:
    try:
        value = orjson.loads(text)
    except ValueError:
        return None
    ref = value.get("clientRef") if isinstance(value, dict) else None
    return ref if isinstance(ref, str) and len(ref) <= 64 else None
