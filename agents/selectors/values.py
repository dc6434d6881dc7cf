"""Turns rows into the frozen values that cross every border."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from django.db.models.utils import create_namedtuple_class
from pydantic import TypeAdapter

from agents.domain.content import messages as values
from agents.domain.content.cards import ASKED_INPUT, card, carried
from agents.domain.content.growth import Change, grown
from agents.domain.content.messages import Counters, MessageError, Person
from agents.domain.content.parts import Part
from agents.domain.rules.requests import Answer, PermissionRequest, Proposal
from agents.models import AnswerGrowth, Message
from agents.models import PermissionRequest as RequestRow
from maia_web.accounts.models import User

ROW = (
    *(field.attname for field in Message._meta.concrete_fields),
    "author__username",
    "author__display_name",
    "agent__name",
)
"""The columns of a message and the names of those who speak in it."""
message_row = create_namedtuple_class(*ROW)._make
"""Returns the `ROW` of a message with the names of its columns."""
PARTS: TypeAdapter[tuple[Part, ...]] = TypeAdapter(tuple[Part, ...])


def moment(at: datetime) -> str:
    """Returns a moment as ISO 8601 in UTC, the only form of time on the wire."""
    return at.isoformat().replace("+00:00", "Z")


def person_value(user: User) -> Person:
    """Returns a person as others see them."""
    return Person(id=user.pk, username=user.username, name=user.name)


def parts_value(parts: list[dict[str, object]]) -> tuple[Part, ...]:
    """Returns saved parts as values."""
    return PARTS.validate_python(parts)


def saved_parts(row: Any) -> tuple[Part, ...]:
    """Returns the parts of a message as far as they are saved.

    Those of an unfinished answer are read anew, after what they have grown by: whatever is moved
    from there into the parts meanwhile is in both, and never in neither.
    """
    if row.done:
        return parts_value(row.parts)
    growth = list(AnswerGrowth.objects.filter(answer=row.id).order_by("id").values_list("changes"))
    parts = Message.objects.filter(id=row.id).values_list("parts", flat=True).first()
    changes = (Change.model_validate(one) for (saved,) in growth for one in saved)
    return grown(parts_value(parts or []), changes)


def message_value(row: Message, parts: tuple[Part, ...] | None = None) -> values.Message:
    """Returns a message with its author and agent (both must be selected with it).

    As frames carry it: large cards are cut. `parts`: where they are known.
    """
    author = person_value(row.author) if row.author else None
    return _message(row, author, row.agent.name if row.agent else None, parts)


def row_value(row: Any) -> values.Message:
    """The same from a `message_row`, which costs half as much to read as the message."""
    author = None
    if row.author_id is not None:
        name = row.author__display_name or row.author__username
        author = Person(id=row.author_id, username=row.author__username, name=name)
    return _message(row, author, row.agent__name)


def _message(
    row: Any, author: Person | None, agent: str | None, parts: tuple[Part, ...] | None = None
) -> values.Message:
    return values.Message(
        id=row.id,
        channel=row.channel_id,
        position=row.position,
        created_at=moment(row.created_at),
        role=values.Role(row.role),
        agent=agent,
        author=author,
        parts=carried(saved_parts(row) if parts is None else parts),
        done=row.done,
        queued=row.queued,
        stop_reason=values.StopReason(row.stop_reason) if row.stop_reason else None,
        error=MessageError.model_validate(row.error) if row.error else None,
        code=values.SystemCode(row.code) if row.code else None,
        note=values.SessionNote.model_validate(row.note) if row.note else None,
        attachments=tuple(values.Attachment.model_validate(a) for a in row.attachments),
        counters=Counters.model_validate(row.counters) if row.counters else None,
        client_ref=row.client_ref or None,
    )


def answer_value(row: RequestRow) -> Answer | None:
    """Returns how a request was answered, None while nobody did."""
    if row.answered_by is None or row.answered_at is None:
        return None
    return Answer(
        option=row.option,
        by=person_value(row.answered_by),
        at=moment(row.answered_at),
        rule=row.rule or None,
        scope=row.rule_scope or None,
        instruction=row.instruction,
        input=None if row.edited is None else _json(row.edited),
        proposed_by=_proposer(row) if row.proposal and row.edited == row.proposed else None,
    )


def proposal_value(row: RequestRow) -> Proposal | None:
    """Returns what is proposed instead of a call, as long as nobody has answered."""
    by = _proposer(row)
    if row.state != "pending" or not row.proposal or by is None or row.proposed_at is None:
        return None
    at = moment(row.proposed_at)
    return Proposal(id=row.proposal, by=by, at=at, input=_json(row.proposed))


def request_value(row: RequestRow) -> PermissionRequest:
    """Returns a permission request as its card shows it."""
    content = PermissionRequest.model_validate(row.content)
    now = {
        "tool_call": card(content.tool_call, ASKED_INPUT),
        "state": row.state,
        "answer": answer_value(row),
        "proposal": proposal_value(row),
    }
    return content.model_copy(update=now)


def _proposer(row: RequestRow) -> Person | None:
    return person_value(row.proposed_by) if row.proposed_by else None


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
