"""SavedSession: the file in which the command-line MAIA keeps a session (seed M §12.1)."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pydantic import TypeAdapter, ValidationError

from agents.domain.content.model_messages import Block, ModelMessage
from agents.domain.content.storable import storable, storable_json

VERSION = 1
_BLOCK: TypeAdapter[Block] = TypeAdapter(Block)
_FIELDS = {
    "text": ("type", "text"),
    "tool_use": ("type", "id", "name", "input"),
    "tool_result": ("type", "toolUseId", "content", "isError"),
}


class BrokenSession(Exception):
    """The file is no session; the text names the place and what is wrong there."""


@dataclass(frozen=True, slots=True)
class SavedSession:
    """A session as a file. Moments are ISO 8601; `start_context` is a compaction's summary."""

    name: str
    created_at: str
    updated_at: str
    model: str = ""
    cwd: str = ""
    messages: tuple[ModelMessage, ...] = ()
    pending_context: tuple[str, ...] = ()
    start_context: str = ""
    agent: str = ""
    parent_session: str = ""


def write_session(session: SavedSession) -> str:
    """Returns the text of the file; fields that M calls optional are left out when empty.

    So is what providers attached: the file is for any model, and for the command-line MAIA.
    """
    value: dict[str, Any] = {
        "version": VERSION,
        "name": session.name,
        "createdAt": session.created_at,
        "updatedAt": session.updated_at,
        "model": session.model,
        "cwd": session.cwd,
        "messages": [message.without_attached().wire() for message in session.messages],
        "pendingContext": list(session.pending_context),
    }
    optional = {
        "startContext": session.start_context,
        "agent": session.agent,
        "parentSession": session.parent_session,
    }
    value |= {key: text for key, text in optional.items() if text}
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def read_session(text: str, name: str, now: datetime) -> SavedSession:
    """Reads a file called `name`: its name counts, whatever it says; missing fields get defaults.

    Unknown fields are left out. Raises `BrokenSession`.
    """
    value = _object(text)
    version = value.get("version", VERSION)
    if version != VERSION:
        raise BrokenSession(f"version: {version!r}")
    moment = now.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return SavedSession(
        name=name,
        created_at=_moment(value, "createdAt", moment),
        updated_at=_moment(value, "updatedAt", moment),
        model=_text(value, "model"),
        cwd=_text(value, "cwd"),
        messages=tuple(
            _message(one, f"messages[{place}]")
            for place, one in enumerate(_list(value, "messages"))
        ),
        pending_context=tuple(storable(str(one)) for one in _list(value, "pendingContext")),
        start_context=_text(value, "startContext"),
        agent=_text(value, "agent"),
        parent_session=_text(value, "parentSession"),
    )


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text.removeprefix("\ufeff"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise BrokenSession(f"JSON: {error}") from None
    if not isinstance(value, dict):
        raise BrokenSession("JSON: no object")
    return value


def _no_constant(name: str) -> float:
    """No database keeps what Python's reader would take: NaN and the infinities."""
    raise ValueError(name)


def _message(value: Any, where: str) -> ModelMessage:
    if not isinstance(value, dict) or value.get("role") not in ("user", "assistant"):
        raise BrokenSession(f"{where}.role")
    content = value.get("content", [])
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if not isinstance(content, list):
        raise BrokenSession(f"{where}.content")
    blocks = [_block(one, f"{where}.content[{place}]") for place, one in enumerate(content)]
    return ModelMessage(role=value["role"], content=tuple(blocks))


def _block(value: Any, where: str) -> Block:
    known = _FIELDS.get(str(value.get("type"))) if isinstance(value, dict) else None
    if known is None:
        raise BrokenSession(f"{where}.type")
    kept = {key: storable_json(value[key]) for key in known if value.get(key) is not None}
    try:
        return _BLOCK.validate_python(kept)
    except ValidationError as error:
        field = ".".join(str(part) for part in error.errors()[0]["loc"][1:])
        raise BrokenSession(f"{where}.{field}") from None


def _list(value: dict[str, Any], key: str) -> list[Any]:
    found = value.get(key)
    if found is None:
        return []
    if not isinstance(found, list):
        raise BrokenSession(key)
    return found


def _text(value: dict[str, Any], key: str) -> str:
    return _typed(value, key, "", storable)


def _moment(value: dict[str, Any], key: str, default: str) -> str:
    return _typed(value, key, default, lambda text: text if _is_moment(text) else default)


def _typed(value: dict[str, Any], key: str, default: str, clean: Callable[[str], str]) -> str:
    found = value.get(key)
    return clean(found) if isinstance(found, str) else default


def _is_moment(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False
