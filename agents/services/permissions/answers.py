"""Answers to permission requests: who may give which, and the first one wins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from agents.delivery import dispatch
from agents.domain.rules.requests import PermissionRequest, RuleOffer, RuleScope
from agents.domain.rules.verdict import Verdict
from agents.models import PermissionRequest as RequestRow
from agents.models import Turn
from agents.selectors.conversation.channels import ChannelAccess
from agents.selectors.permissions.offers import working_offers
from agents.selectors.permissions.policies import Rules
from agents.services.channels.frames import lock_channel
from agents.services.permissions.release import release_allowed
from agents.services.permissions.request_rows import (
    answerable,
    edited_input,
    fresh,
    is_starter,
    judged,
    names_of,
    other_proposal,
    refuse_denied,
    refuse_other,
    rules_of,
    rules_told,
    too_late,
)
from agents.services.permissions.requests import publish_resolved, record_outcome
from agents.services.permissions.written_rules import covering_rules, write_rules
from maia_web.lib.errors import InvalidInput, NotAllowed
from maia_web.lib.names.isolate import isolated


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
    edited, written = None, []
    if given.option.startswith("allow"):
        rules = rules_of(row)
        edited = _instead(row, access, given, rules)
        if given.option == "allow_always" and row.state == "pending":
            written = covering_rules(row, given.rule, edited, rules)
    _answer(row, access, given, edited, written)
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
    offers = working_offers(tool, edited or input, rules, names_of(rules))
    return judged(row, edited, rules), offers


def _instead(
    row: RequestRow, access: ChannelAccess, given: Given, rules: Rules
) -> dict[str, Any] | None:
    """Returns the input that is allowed instead of the one asked for, None where it is that one."""
    if given.proposal and given.input is not None:
        raise InvalidInput(_("Name a proposal or an edited call, not both."), field="input")
    input = row.proposed if given.proposal else given.input
    if given.proposal and given.proposal != row.proposal:
        raise other_proposal()
    edited = edited_input(row, input)
    if not is_starter(row, access):
        _refuse_steering(row, access, edited)
    refuse_denied(judged(row, edited, rules))
    return edited


def _refuse_steering(row: RequestRow, access: ChannelAccess, edited: dict[str, Any] | None) -> None:
    """Raises `NotAllowed` where somebody would decide what runs in another person's home.

    Others allow what the agent asked for by itself: neither another command, nor what it asks for
    after they told it what to do.
    """
    who = {"who": isolated(row.turn.starter.name) if row.turn.starter else "?"}
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
    row: RequestRow,
    access: ChannelAccess,
    given: Given,
    edited: dict[str, Any] | None,
    written: list[str],
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
        write_rules(access, row, given.scope, written)
    if given.option == "deny":
        Turn.objects.filter(id=row.turn_id).update(rejections=F("rejections") + 1)
    record_outcome(row, access.user, given.option)
    publish_resolved(row)
    dispatch.hint_on_commit("request", row.id)
