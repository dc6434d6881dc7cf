"""Permission requests: opened by a turn, answered by people; and the rules they write."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from agents import dispatch, publish
from agents.domain.parts import ToolPart
from agents.domain.permission_requests import (
    OPTIONS,
    PermissionRequest,
    Reason,
    RuleOffer,
    RuleScope,
)
from agents.domain.rule_text import RuleProblem, parse_rule
from agents.models import AuditEntry, Rule, Turn
from agents.models import PermissionRequest as RequestRow
from agents.protocol.frames import PermissionRequested, PermissionResolved
from agents.protocol.topics import channel_topic
from agents.selectors.channels import ChannelAccess, channel_for
from agents.selectors.values import answer_value, moment, person_value, request_value
from agents.services.frames import lock_channel, next_seq, publish_turn, refresh_lists
from maia_web.lib.errors import Conflict, InvalidInput, NotAllowed, NotFound
from maia_web.lib.ids import new_id


@dataclass(frozen=True, slots=True)
class Given:
    """An answer as it came in."""

    option: str
    rule: str = ""
    scope: RuleScope = "person"
    instruction: str = ""


@transaction.atomic
def open_request(
    turn_id: str, call_id: str, part: ToolPart, reason: Reason, offers: tuple[RuleOffer, ...]
) -> PermissionRequest:
    """Returns the request for a tool call: the one that already exists, or a new one."""
    turn = Turn.objects.select_related("agent", "starter").get(id=turn_id)
    lock_channel(turn.channel_id)
    row = turn.requests.filter(call_id=call_id).select_related("answered_by").first()
    if row is None:
        row = _new_request(turn, call_id, part, reason, offers)
        frame = PermissionRequested(
            channel=turn.channel_id, seq=next_seq(turn.channel_id), request=request_value(row)
        )
        publish.on_commit(channel_topic(turn.channel_id), frame)
        publish_turn(turn.channel_id)
    return request_value(row)


@transaction.atomic
def answer_permission(user_id: int, request_id: str, given: Given) -> None:
    """Answers a request; the first answer wins.

    The person whose message started the turn may answer, or an owner of the workspace. Raises
    `NotFound`, `NotAllowed`, `Conflict` (already answered; the data says by whom), `InvalidInput`.
    """
    row = (
        RequestRow.objects.select_related("turn", "channel", "answered_by")
        .filter(id=request_id)
        .first()
    )
    if row is None:
        raise NotFound(_("There is no such request."))
    access = _may_answer(user_id, row)
    lock_channel(row.channel_id)
    changed = RequestRow.objects.filter(id=request_id, state="pending").update(
        state="answered",
        option=given.option,
        instruction=given.instruction.strip() if given.option == "deny" else "",
        answered_by=user_id,
        answered_at=timezone.now(),
    )
    row = RequestRow.objects.select_related("turn", "answered_by").get(id=request_id)
    if not changed:
        raise _too_late(row)
    if given.option == "allow_always":
        _write_rules(access, row, given)
    if given.option == "deny":
        Turn.objects.filter(id=row.turn_id).update(rejections=row.turn.rejections + 1)
    _audit_answer(row, access)
    _publish_resolved(row)
    dispatch.hint_on_commit("request", row.id)


def cancel_requests(turn: Turn) -> None:
    """Cancels what a turn still asks; within the caller's transaction."""
    for row in turn.requests.filter(state="pending"):
        row.state = "cancelled"
        row.save(update_fields=["state"])
        _publish_resolved(row)
        dispatch.hint_on_commit("request", row.id)


@transaction.atomic
def expire_request(request_id: str) -> None:
    """Nobody answered in time: the request counts as refused."""
    if RequestRow.objects.filter(id=request_id, state="pending").update(state="expired"):
        row = RequestRow.objects.select_related("turn", "answered_by").get(id=request_id)
        Turn.objects.filter(id=row.turn_id).update(rejections=row.turn.rejections + 1)
        _publish_resolved(row)


@transaction.atomic
def record_decision(
    turn_id: str, tool: str, input: dict[str, Any], *, verdict: str, rule: str, scope: str
) -> None:
    """Keeps what a rule decided by itself."""
    turn = Turn.objects.select_related("channel", "agent").get(id=turn_id)
    AuditEntry.objects.create(
        on_behalf_of_id=turn.starter_id,
        workspace_id=turn.channel.workspace_id,
        channel=turn.channel,
        agent=turn.agent.name,
        tool=tool,
        input=input,
        verdict=verdict,
        rule=rule,
        scope=scope,
        outcome="rule",
    )


def _new_request(
    turn: Turn, call_id: str, part: ToolPart, reason: Reason, offers: tuple[RuleOffer, ...]
) -> RequestRow:
    if turn.starter is None or turn.answer_id is None:
        raise NotFound(_("The person who asked is gone."))
    request = PermissionRequest(
        id=new_id(),
        channel=turn.channel_id,
        agent=turn.agent.name,
        message_id=turn.answer_id,
        tool_call=part,
        folder="/workspace",
        options=OPTIONS,
        offers=offers,
        reason=reason,
        rejections=turn.rejections,
        starter=person_value(turn.starter),
        created_at=moment(timezone.now()),
    )
    return RequestRow.objects.create(
        id=request.id,
        channel_id=turn.channel_id,
        turn=turn,
        message_id=turn.answer_id,
        call_id=call_id,
        content=request.wire(),
    )


def _may_answer(user_id: int, row: RequestRow) -> ChannelAccess:
    try:
        access = channel_for(user_id, row.channel_id)
    except NotFound:
        raise NotFound(_("There is no such request.")) from None
    starter = row.turn.starter_id == user_id and access.role != "viewer"
    if not starter and access.role != "owner":
        raise NotAllowed(
            _("Only the person who asked, or an owner of the workspace, may answer this.")
        )
    return access


def _too_late(row: RequestRow) -> Conflict:
    answer = answer_value(row)
    return Conflict(
        _("This request was answered already."),
        code="already-answered",
        state=row.state,
        answer=answer.wire() if answer else None,
    )


def _write_rules(access: ChannelAccess, row: RequestRow, given: Given) -> None:
    if given.scope == "workspace" and access.role != "owner":
        raise NotAllowed(_("Only owners may add rules to the workspace."))
    texts = [line.strip() for line in given.rule.splitlines() if line.strip()]
    if not texts:
        raise InvalidInput(_("No rule was given."), field="rule")
    for text in texts:
        problem = parse_rule(text)
        if isinstance(problem, RuleProblem):
            raise InvalidInput(
                _("%(rule)s is not a rule.") % {"rule": text}, field="rule", rule=text
            )
    for text in texts:
        owner = {"workspace_id": access.workspace.id} if given.scope == "workspace" else {}
        person = {"user_id": access.user} if given.scope == "person" else {}
        Rule.objects.create(
            scope=given.scope, family="allow", text=text, added_by_id=access.user, **owner, **person
        )
    row.rule, row.rule_scope = "\n".join(texts), given.scope
    row.save(update_fields=["rule", "rule_scope"])


def _audit_answer(row: RequestRow, access: ChannelAccess) -> None:
    content = PermissionRequest.model_validate(row.content)
    waited = (row.answered_at - row.created_at) if row.answered_at else None
    AuditEntry.objects.create(
        user_id=access.user,
        on_behalf_of_id=row.turn.starter_id,
        workspace_id=access.workspace.id,
        channel_id=row.channel_id,
        agent=content.agent,
        tool=content.tool_call.name,
        input={"input": content.tool_call.input},
        verdict="ask",
        rule=row.rule or content.reason.rule or "",
        scope=content.reason.scope or "",
        outcome=row.option,
        delay_ms=int(waited.total_seconds() * 1000) if waited else 0,
    )


def _publish_resolved(row: RequestRow) -> None:
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
