"""What a person does with turns: stops one, lets one go on."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from agents.delivery import dispatch
from agents.domain.content.messages import MessageError, Role, StopReason
from agents.domain.typed.line import SkillCall
from agents.models import Message, Turn
from agents.selectors.conversation.channels import channel_for
from agents.services.channels.channels import drop_channel, locked_for_deletion
from agents.services.channels.frames import (
    hold_channel,
    lock_channel,
    publish_message,
    publish_messages,
    publish_turn,
)
from agents.services.channels.messages import typed_request
from agents.services.permissions.requests import cancel_requests
from maia_web.lib.errors import Conflict, NotAllowed, NotFound

CANCELLED = MessageError(code="cancelled", message="")


@transaction.atomic
def cancel_channel(user_id: int, channel_id: str, *, keep_queued: bool = False) -> int:
    """Stops the answer and drops what waits (seed S, Cancel). Returns how many were dropped."""
    channel_for(user_id, channel_id, at_least="editor")
    lock_channel(channel_id)
    running = Turn.objects.filter(channel=channel_id, state="running").first()
    if running is not None:
        Turn.objects.filter(id=running.id).update(cancel_asked=True)
        cancel_requests(running, user_id)
        dispatch.hint_on_commit("cancel", running.id)
    waiting = Turn.objects.filter(channel=channel_id, state="queued")
    if keep_queued:
        waiting = waiting.filter(request__queued=False)
    waiting._raw_delete(waiting.db)  # nothing hangs on a turn that never ran
    dropped = 0 if keep_queued else _drop_queued(channel_id)
    if running is not None or dropped:
        publish_turn(channel_id)
    return dropped


@transaction.atomic
def delete_channel(user_id: int, channel_id: str) -> None:
    """Stops what is answered in a channel, and deletes it with all its history.

    In one transaction: nobody finds half of it, whoever dies. The host is told to stop; one that
    does not hear it finds the turn gone with its next entry of the journal, or with its lease.
    """
    access = locked_for_deletion(user_id, channel_id)
    running = Turn.objects.filter(channel=channel_id, state="running")
    for turn in running.select_for_update(of=("self",)):  # its answer is saved under this lock
        cancel_requests(turn, user_id)
        if turn.answer is not None:
            turn.answer.done, turn.answer.stop_reason = True, StopReason.CANCELLED
            publish_message(turn.answer)
        dispatch.hint_on_commit("cancel", turn.id)
    drop_channel(access)


@transaction.atomic
def resume_turn(user_id: int, channel_id: str, message_id: str) -> None:
    """Lets an answer that was limited, cut or failed go on, as a new turn of the same agent.

    The agent has forgotten the request of one that was stopped: that is asked again. It goes
    on in the name of whoever says so: in their home, by their rules. A request whose files or skill
    are not read yet names its author's: nobody else has it asked again (`NotAllowed`).
    """
    hold_channel(user_id, channel_id)
    channel_for(user_id, channel_id, at_least="editor")
    lock_channel(channel_id)
    answer = Message.objects.filter(id=message_id, channel=channel_id, role=Role.AGENT).first()
    earlier = Turn.objects.filter(answer=answer).order_by("-id").first() if answer else None
    if answer is None or earlier is None or earlier.kind != "answer":
        raise NotFound(_("There is no such message."))
    later = Turn.objects.filter(channel=channel_id, id__gt=earlier.id).exclude(
        kind__in=("compact", "command")
    )
    if not answer.done or later.exists():
        raise Conflict(_("Only the last answer can go on."))
    forgotten = answer.stop_reason == StopReason.CANCELLED and not earlier.continues
    unread = earlier.unread or (forgotten and _names_files(earlier))
    if unread and earlier.request is not None and earlier.request.author_id != user_id:
        message = _("This message names files or a skill of its author, who alone can repeat it.")
        raise NotAllowed(message, code="not-the-author")
    Turn.objects.create(
        channel_id=channel_id,
        agent=earlier.agent,
        starter_id=user_id,
        request=earlier.request,
        continues=not (earlier.unread or forgotten),  # what was never heard is asked again
        unread=unread,
        line=earlier.line,
    )
    publish_turn(channel_id)
    dispatch.turn_queued(channel_id)


def _names_files(turn: Turn) -> bool:
    """Tells whether files or a skill have to be read before the request is asked."""
    request = typed_request(turn)
    names = bool(request.references) or isinstance(request, SkillCall)
    return names and turn.agent.is_built_in


def _drop_queued(channel_id: str) -> int:
    """Cancels every message that waits; as many statements for 600 as for one."""
    waiting = Message.objects.filter(channel=channel_id, queued=True)
    dropped = list(waiting.select_related("author", "agent"))
    error = CANCELLED.wire()
    waiting.update(queued=False, error=error)
    for row in dropped:
        row.queued, row.error = False, error
    publish_messages(channel_id, dropped)
    return len(dropped)
