"""Answers to permission requests, the rules they write, and what these rules release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from agents.delivery import dispatch
from agents.domain.rules.policy import Policy
from agents.domain.rules.requests import PermissionRequest, RuleOffer, RuleScope
from agents.domain.rules.text import PermissionRule, parse_rule, split_rules
from agents.domain.rules.verdict import RuleEntry, Verdict, shown
from agents.models import PermissionRequest as RequestRow
from agents.models import Rule, Turn
from agents.selectors.conversation.channels import ChannelAccess
from agents.selectors.permissions.offers import working_offers
from agents.services import audit
from agents.services.channels.frames import lock_channel
from agents.services.permissions.checked_rules import checked_rule
from agents.services.permissions.request_rows import (
    answerable,
    edited_input,
    fresh,
    is_starter,
    judged,
    other_proposal,
    refuse_denied,
    refuse_other,
    rules_of,
    rules_told,
    too_late,
)
from agents.services.permissions.requests import input_of, publish_resolved, record_outcome
from maia_web.lib.errors import InvalidInput, NotAllowed

__all__ = ["Given", "answer_permission", "judge_edit", "release_allowed"]


@dataclass(frozen=True, slots=True)
class Given:
    """An answer as it came in; `digest` is what was shown.

    `input` is what shall run instead, or `proposal` the one of somebody else's that shall.
    """

    option: str
    rule: str = ""
    scope: RuleScope = "person"
    instruction: str = ""
    input: dict[str, Any] | None = None
    digest: str = ""
    proposal: str = ""


def answer_permission(user_id: int, request_id: str, given: Given) -> None:
    """Answers a request; the first answer wins.

    The person whose message started the turn may answer, or an owner of the workspace, or an
    editor where the owners say so; what runs instead only the former decides, in whose home it
    runs. What a deny rule forbids by now cannot be allowed, edited or not. Raises `NotFound`,
    `NotAllowed`, `Conflict` (already answered; the data says by whom), `InvalidInput`.
    """
    row, access = answerable(user_id, request_id)
    refuse_other(row, given.digest)
    edited = _instead(row, access, given) if given.option.startswith("allow") else None
    _answer(row, access, given, edited)
    if given.option == "allow_always":
        release_allowed(access.user, given.scope, access.workspace.id)


def judge_edit(
    user_id: int, request_id: str, input: dict[str, Any]
) -> tuple[Verdict, tuple[RuleOffer, ...]]:
    """Returns what the rules say about an edited input of a request, and rules to allow it.

    Whoever only proposes is told what the rules say that are not the starter's own.
    """
    row, access = answerable(user_id, request_id)
    edited, rules = edited_input(row, input), rules_told(row, access)
    tool = PermissionRequest.model_validate(row.content).tool_call.name
    return judged(row, edited, rules), working_offers(tool, edited or input, rules)


def release_allowed(user_id: int, scope: str, workspace_id: str = "") -> int:
    """Ends the requests in reach of a new rule that are allowed by now; returns how many.

    `user_id` is who wrote the rule: it stands with the requests as the one who allowed them.
    """
    waiting = RequestRow.objects.filter(state="pending")
    if scope == "person":
        waiting = waiting.filter(turn__starter=user_id)
    elif scope == "workspace":
        waiting = waiting.filter(channel__workspace=workspace_id)
    released = 0
    for row in waiting.select_related("turn__agent", "channel__workspace").order_by("id"):
        verdict = judged(row, None)
        if verdict.family == "allow":
            released += _release(row, verdict, user_id)
    return released


def _instead(row: RequestRow, access: ChannelAccess, given: Given) -> dict[str, Any] | None:
    """Returns the input that is allowed instead of the one asked for, None where it is that one."""
    if given.proposal and given.input is not None:
        raise InvalidInput(_("Name a proposal or an edited call, not both."), field="input")
    input = row.proposed if given.proposal else given.input
    if given.proposal and given.proposal != row.proposal:
        raise other_proposal()
    edited = edited_input(row, input)
    if not is_starter(row, access):
        _refuse_steering(row, access, edited)
    refuse_denied(judged(row, edited))
    return edited


def _refuse_steering(row: RequestRow, access: ChannelAccess, edited: dict[str, Any] | None) -> None:
    """Raises `NotAllowed` where somebody would decide what runs in another person's home.

    Others allow what the agent asked for by itself: neither another command, nor what it asks for
    after they told it what to do.
    """
    who = {"who": row.turn.starter.name if row.turn.starter else "?"}
    if edited is not None:
        message = _("This runs in the home of %(who)s, who alone may edit it: propose it instead.")
        raise NotAllowed(message % who, code="only-starter-edits")
    words = row.turn.requests.filter(option="deny", answered_by=access.user)
    if words.exclude(instruction="").exists():
        message = _(
            "You told the agent what to do instead, and this runs in the home of %(who)s: they, or "
            "another owner, may allow it."
        )
        raise NotAllowed(message % who, code="own-word")


@transaction.atomic
def _answer(
    row: RequestRow, access: ChannelAccess, given: Given, edited: dict[str, Any] | None
) -> None:
    lock_channel(row.channel_id)
    waiting = RequestRow.objects.filter(id=row.id, state="pending")
    if given.proposal:
        waiting = waiting.filter(proposal=given.proposal)
    changed = waiting.update(
        state="answered",
        option=given.option,
        instruction=given.instruction.strip() if given.option == "deny" else "",
        edited=edited,
        answered_by=access.user,
        answered_at=timezone.now(),
    )
    row = fresh(row.id)
    if not changed:
        raise too_late(row)
    if given.option == "allow_always":
        _write_rules(access, row, given)
    if given.option == "deny":
        Turn.objects.filter(id=row.turn_id).update(rejections=F("rejections") + 1)
    record_outcome(row, access.user, given.option)
    publish_resolved(row)
    dispatch.hint_on_commit("request", row.id)


@transaction.atomic
def _release(row: RequestRow, verdict: Verdict, user_id: int) -> int:
    lock_channel(row.channel_id)
    changed = RequestRow.objects.filter(id=row.id, state="pending").update(
        state="answered",
        option="rule",
        rule=verdict.rule or "",
        answered_by=user_id,
        answered_at=timezone.now(),
    )
    if changed:
        latest = fresh(row.id)
        record_outcome(latest, user_id, "rule", verdict.scope or "")
        publish_resolved(latest)
        dispatch.hint_on_commit("request", row.id)
    return changed


def _write_rules(access: ChannelAccess, row: RequestRow, given: Given) -> None:
    if given.scope == "workspace" and access.role != "owner":
        raise NotAllowed(_("Only owners may add rules to the workspace."))
    texts = _given_rules(row, given.rule)
    _refuse_beside(row, texts)
    for text in texts:
        _keep_rule(access, given.scope, text, _bound(row, text))
    row.rule, row.rule_scope = "\n".join(texts), given.scope
    row.save(update_fields=["rule", "rule_scope"])


def _given_rules(row: RequestRow, given: str) -> list[str]:
    """Returns the rules of an answer, one a line; an offered rule may itself have several lines."""
    for offer in PermissionRequest.model_validate(row.content).offers:
        rules = [offer.rule, *offer.also]
        if given.strip() == "\n".join(rules).strip():
            return rules
    rules = split_rules(given)
    if not rules:
        raise InvalidInput(_("No rule was given."), field="rule")
    for text in rules:
        checked_rule(text)
    return rules


def _refuse_beside(row: RequestRow, texts: list[str]) -> None:
    """Raises `InvalidInput` where new rules would not cover the call that runs with them."""
    part = PermissionRequest.model_validate(row.content).tool_call
    rules = rules_of(row)
    allows = (entry for entry in rules.entries if entry.family == "allow")
    policy = Policy((*allows, *(RuleEntry("allow", text) for text in texts)))
    verdict = policy.evaluate(part.name, row.edited or input_of(part), rules.context)
    if verdict.family == "allow":
        return
    rule = shown("; ".join(texts))
    values = {"rule": rule, "call": shown(verdict.part or part.title or part.name)}
    message = _("This rule does not cover the call: %(rule)s does not match %(call)s.") % values
    raise InvalidInput(message, code="rule-beside-call", field="rule", rule=rule)


def _bound(row: RequestRow, text: str) -> str:
    """Returns the definition that a new rule for the tool of a request holds for, "" for any."""
    request = PermissionRequest.model_validate(row.content)
    parsed = parse_rule(text)
    same = isinstance(parsed, PermissionRule) and parsed.tool == request.tool_call.name
    return request.definition if same else ""


def _keep_rule(access: ChannelAccess, scope: RuleScope, text: str, definition: str) -> None:
    owner = {"workspace_id": access.workspace.id} if scope == "workspace" else {}
    person = {"user_id": access.user} if scope == "person" else {}
    _rule, made = Rule.objects.get_or_create(
        scope=scope,
        family="allow",
        text=text,
        definition=definition,
        enabled=True,
        **owner,
        **person,
        defaults={"added_by_id": access.user},
    )
    if made:
        audit.record(
            "rule",
            "added",
            user=access.user,
            workspace=access.workspace.id if scope == "workspace" else None,
            verdict="allow",
            rule=text,
            scope=scope,
        )
