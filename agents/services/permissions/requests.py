"""Permission requests: opened by a turn, and how they end without an answer."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from agents.delivery import dispatch, publish
from agents.domain.content.leases import Lease
from agents.domain.content.parts import ToolPart
from agents.domain.rules.call_digest import call_digest
from agents.domain.rules.requests import OPTIONS, PermissionRequest, Reason, RuleOffer
from agents.domain.rules.verdict import Verdict
from agents.models import PermissionRequest as RequestRow
from agents.models import Rule, Turn
from agents.protocol.frames import PermissionRequested, PermissionResolved
from agents.protocol.topics import channel_topic
from agents.selectors.values import answer_value, moment, person_value, request_value
from agents.services import audit
from agents.services.channels.frames import next_seq, publish_turn, refresh_lists
from agents.services.leases import held_turn
from maia_web.lib.errors import NotFound
from maia_web.lib.fixed import Fixed
from maia_web.lib.ids import new_id


@dataclass(frozen=True, slots=True)
class Asked:
    """A call that no rule allows: what it is, why it is asked, and which rules would allow it."""

    call_id: str
    tool: str
    input: dict[str, Any]
    part: ToolPart
    verdict: Verdict
    reason: Reason
    offers: tuple[RuleOffer, ...] = ()
    definition: str = ""
    leads: tuple[str, ...] = ()


@transaction.atomic
def open_request(lease: Lease, asked: Asked) -> PermissionRequest:
    """Returns the request for a tool call: the one that already exists, or a new one.

    Raises `LostTurn`.
    """
    turn = held_turn(lease)
    row = (
        turn.requests.filter(call_id=asked.call_id)
        .select_related("answered_by", "proposed_by")
        .first()
    )
    if row is None:
        row = _new_request(turn, asked)
        count_matches(asked.verdict)
        frame = PermissionRequested(
            channel=turn.channel_id, seq=next_seq(turn.channel_id), request=request_value(row)
        )
        publish.on_commit(channel_topic(turn.channel_id), frame)
        publish_turn(turn.channel_id)
    return request_value(row)


def cancel_requests(turn: Turn, by: int | None = None) -> None:
    """Cancels what a turn still asks, `by` a person who stopped it, within a transaction."""
    if _PENDING.first(turn.id) is None:
        return
    waiting = turn.requests.filter(state="pending").select_related("turn", "channel")
    for row in waiting:
        row.state = "cancelled"
        row.save(update_fields=["state"])
        record_outcome(row, by, "cancelled")
        publish_resolved(row)
        dispatch.hint_on_commit("request", row.id)


_PENDING = Fixed(
    lambda turn: RequestRow.objects.filter(turn=turn, state="pending").values_list("id")
)


@transaction.atomic
def expire_request(request_id: str) -> None:
    """Nobody answered in time: the request counts as refused."""
    if RequestRow.objects.filter(id=request_id, state="pending").update(state="expired"):
        row = RequestRow.objects.select_related(
            "turn", "channel", "answered_by", "proposed_by"
        ).get(id=request_id)
        Turn.objects.filter(id=row.turn_id).update(rejections=F("rejections") + 1)
        record_outcome(row, None, "expired")
        publish_resolved(row)


@transaction.atomic
def record_decision(lease: Lease, tool: str, input: dict[str, Any], verdict: Verdict) -> None:
    """Keeps what a rule decided by itself, and counts it. Raises `LostTurn`."""
    turn = held_turn(lease)
    audit.record(
        "decision",
        "rule",
        on_behalf_of_id=turn.starter_id,
        workspace=turn.channel.workspace_id,
        channel_id=turn.channel_id,
        agent=turn.agent.name,
        tool=tool[:200],
        input=input,
        verdict=verdict.family,
        rule=verdict.rule or "",
        scope=verdict.scope or "",
        part=verdict.part,
    )
    count_matches(verdict)


def record_outcome(row: RequestRow, user: int | None, outcome: str, scope: str = "") -> None:
    """Keeps how a request ended (its turn and channel must be selected with it)."""
    content = PermissionRequest.model_validate(row.content)
    waited = timezone.now() - row.created_at
    asked = input_of(content.tool_call)
    audit.record(
        "decision",
        outcome,
        user=user,
        on_behalf_of_id=row.turn.starter_id,
        workspace=row.channel.workspace_id,
        channel_id=row.channel_id,
        agent=content.agent,
        tool=content.tool_call.name[:200],
        input=asked if row.edited is None else _edited(row, asked),
        verdict="ask",
        rule=row.rule or content.reason.rule or "",
        scope=scope or row.rule_scope or content.reason.scope or "",
        part=content.reason.part,
        delay_ms=max(0, int(waited.total_seconds() * 1000)),
    )


def _edited(row: RequestRow, asked: dict[str, Any]) -> dict[str, Any]:
    answer = answer_value(row)
    by = answer.proposed_by if answer else None
    proposer = {"proposed by": by.username} if by else {}
    return {"asked": asked, "edited": row.edited, **proposer}


def input_of(part: ToolPart) -> dict[str, Any]:
    """Returns the input that a card shows."""
    value = json.loads(part.input)
    return value if isinstance(value, dict) else {}


def publish_resolved(row: RequestRow) -> None:
    """Publishes on commit that a request is over."""
    frame = PermissionResolved(
        channel=row.channel_id,
        seq=next_seq(row.channel_id),
        id=row.id,
        state=row.state,
        answer=answer_value(row),
    )
    publish.on_commit(channel_topic(row.channel_id), frame)
    publish_turn(row.channel_id)
    refresh_lists(row.channel_id)


def _new_request(turn: Turn, asked: Asked) -> RequestRow:
    if turn.starter is None or turn.answer_id is None:
        raise NotFound(_("The person who asked is gone."))
    now = timezone.now()
    expires = now + timedelta(hours=turn.channel.workspace.request_hours)
    digest = call_digest(turn.id, asked.tool, asked.input, asked.definition, asked.leads)
    request = PermissionRequest(
        id=new_id(),
        channel=turn.channel_id,
        workspace=turn.channel.workspace_id,
        agent=turn.agent.name,
        message_id=turn.answer_id,
        tool_call=asked.part,
        folder="/workspace",
        options=tuple(one for one in OPTIONS if asked.offers or one.kind != "allow_always"),
        offers=asked.offers,
        reason=asked.reason,
        rejections=turn.rejections,
        starter=person_value(turn.starter),
        created_at=moment(now),
        expires_at=moment(expires),
        digest=digest,
        definition=asked.definition,
    )
    return RequestRow.objects.create(
        id=request.id,
        channel_id=turn.channel_id,
        turn=turn,
        message_id=turn.answer_id,
        call_id=asked.call_id,
        content=request.wire(),
        digest=digest,
        expires_at=expires,
    )


def count_matches(verdict: Verdict) -> None:
    """Counts a match of every kept rule that matched, and a decision of those that decided."""
    keys = {int(entry.origin) for entry in verdict.matches if entry.origin.isdecimal()}
    deciding, now = _deciding_rules(verdict), timezone.now()
    for key in sorted(keys):  # always in this order: two decisions never wait for each other
        rows = Rule.objects.filter(pk=key)
        if key in deciding:
            rows.update(
                hits=F("hits") + 1, last_match=now, decided=F("decided") + 1, last_decided=now
            )
        else:
            rows.update(hits=F("hits") + 1, last_match=now)


def _deciding_rules(verdict: Verdict) -> frozenset[int]:
    """Returns the keys of the kept rules that had the last word.

    The one the verdict names; where several parts of a call were allowed, the rule of each. Of
    rules with one text in several scopes the first one counts.
    """
    texts = {part.rule for part in verdict.parts if part.judged == verdict.family and part.rule}
    first: dict[str, str] = {}
    for entry in verdict.matches:
        if entry.family == verdict.family and entry.text in texts:
            first.setdefault(entry.text, entry.origin)
    if verdict.rule is not None and verdict.code == "rule":
        first[verdict.rule] = verdict.origin or ""
    return frozenset(int(origin) for origin in first.values() if origin.isdecimal())
