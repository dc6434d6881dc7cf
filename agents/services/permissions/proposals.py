"""Proposals: what somebody who may answer would rather see run, for the starter to decide.

What an agent's call runs, runs in the home of the person who started the turn, by their rules.
Whoever else may answer allows it or not; another command they can only propose.
"""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from agents.delivery import publish
from agents.domain.rules.call_digest import call_digest
from agents.domain.rules.requests import PermissionRequest
from agents.models import PermissionRequest as RequestRow
from agents.protocol.frames import PermissionRequested
from agents.protocol.topics import channel_topic
from agents.selectors.conversation.channels import ChannelAccess
from agents.selectors.values import request_value
from agents.services import audit
from agents.services.channels.frames import lock_channel, next_seq, refresh_lists
from agents.services.permissions.request_rows import (
    answerable,
    edited_input,
    fresh,
    is_starter,
    judged,
    other_proposal,
    refuse_denied,
    refuse_other,
    rules_told,
    too_late,
)
from maia_web.lib.errors import InvalidInput, NotAllowed

LONGEST = 8_000
"""Characters of a proposed command: the whole of it is in each frame, beside the whole call."""
PROPOSAL = ("proposal", "proposed", "proposed_by", "proposed_at")


def propose(user_id: int, request_id: str, input: dict[str, Any], digest: str = "") -> None:
    """Proposes another command to the starter; it takes the place of an earlier proposal.

    Whoever may answer may propose, except the starter, who edits. Raises what `answer_permission`
    raises, also for what a deny rule forbids, but for the starter's own, which they alone see.
    """
    row, access = answerable(user_id, request_id)
    refuse_other(row, digest)
    if is_starter(row, access):
        raise InvalidInput(_("You asked for this yourself: edit the command, then allow it."))
    edited = edited_input(row, input)
    if edited is None:
        raise InvalidInput(_("This is the command that is asked for."), field="input")
    if len(str(edited["command"])) > LONGEST:
        message = _("At most %(max)d characters can be proposed.") % {"max": LONGEST}
        raise InvalidInput(message, field="input")
    refuse_denied(judged(row, edited, rules_told(row, access)))
    _propose(row, access, edited)


@transaction.atomic
def decline(user_id: int, request_id: str, proposal: str) -> None:
    """Takes a proposal away, the request stays: the starter does not want it, or who made it.

    Raises `NotFound`, `NotAllowed`, and `Conflict` if it is another one by now.
    """
    row, access = answerable(user_id, request_id)
    row = _waiting(row)
    if not proposal or proposal != row.proposal:
        raise other_proposal()
    if not is_starter(row, access) and row.proposed_by_id != access.user:
        raise NotAllowed(_("Only the person who asked, or who proposed it, may take it away."))
    _record(row, access, "declined")
    row.proposal, row.proposed, row.proposed_by, row.proposed_at = "", None, None, None
    row.save(update_fields=PROPOSAL)
    _publish(row)


@transaction.atomic
def _propose(row: RequestRow, access: ChannelAccess, edited: dict[str, Any]) -> None:
    row = _waiting(row)
    request = PermissionRequest.model_validate(row.content)
    row.proposal = call_digest(row.turn_id, request.tool_call.name, edited, request.definition)
    row.proposed, row.proposed_by_id, row.proposed_at = edited, access.user, timezone.now()
    row.save(update_fields=PROPOSAL)
    row = fresh(row.id)
    _record(row, access, "made")
    _publish(row)


def _record(row: RequestRow, access: ChannelAccess, what: str) -> None:
    """Keeps who would have something else run in whose name, and who did not want it."""
    request = PermissionRequest.model_validate(row.content)
    audit.record(
        "proposal",
        what,
        user=access.user,
        on_behalf_of_id=row.turn.starter_id,
        workspace=row.channel.workspace_id,
        channel_id=row.channel_id,
        agent=request.agent,
        tool=request.tool_call.name[:200],
        input=row.proposed,
    )


def _waiting(row: RequestRow) -> RequestRow:
    """Returns a request as it is now, its channel locked; raises `Conflict` once it is over."""
    lock_channel(row.channel_id)
    row = fresh(row.id)
    if row.state != "pending":
        raise too_late(row)
    return row


def _publish(row: RequestRow) -> None:
    frame = PermissionRequested(
        channel=row.channel_id, seq=next_seq(row.channel_id), request=request_value(row)
    )
    publish.on_commit(channel_topic(row.channel_id), frame)
    refresh_lists(row.channel_id)
