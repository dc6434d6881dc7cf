"""User commands: what a person runs with `!`, in their sandbox, in the channel's queue (M §11.2).

The rules do not judge it: the sandbox, the person's role and the audit log do.
"""

from __future__ import annotations

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from agents.delivery import dispatch
from agents.domain.content.growth import Unsaved
from agents.domain.content.leases import Lease
from agents.domain.memory.context import add_pending
from agents.models import Agent, AuditEntry, Channel, ChannelAgent, Turn
from agents.selectors.conversation.channels import channel_for
from agents.services.channels.frames import (
    hold_channel,
    lock_channel,
    publish_message,
    publish_turn,
)
from agents.services.channels.messages import add_message, posted_before, valid_text
from agents.services.leases import held_turn
from agents.services.memory import sessions
from agents.services.turns import journal
from agents.services.turns.lost_access import SESSION_ENDED, session_ended, session_words
from maia_web.lib.errors import Conflict, NotSignedIn
from workspaces.selectors import workspace_for

PERSON = "person"
TOOL = "Bash"


@transaction.atomic
def post_command(
    user_id: int,
    channel_id: str,
    text: str,
    command: str,
    client_ref: str = "",
    session: str = "",
) -> str:
    """Adds the message `text` and queues the run of `command`; returns the message's id.

    It ends with `session`, the key of the session it was typed in ("": with none). The same
    `client_ref` never runs twice. Raises `NotAllowed` for a viewer, `Conflict` where no agent
    exists to hear of the result.
    """
    hold_channel(user_id, channel_id)
    channel_for(user_id, channel_id, at_least="editor")
    text = valid_text(text)
    channel = lock_channel(channel_id)
    posted = posted_before(channel_id, user_id, client_ref)
    if posted:
        return posted
    agent = _hearing(channel)
    row = add_message(channel, user_id, text, client_ref)
    Turn.objects.create(
        channel=channel,
        agent=agent,
        kind="command",
        argument=command,
        starter_id=user_id,
        request=row,
        session=session,
    )
    publish_message(row)
    publish_turn(channel_id)
    dispatch.turn_queued(channel_id)
    return row.id


@transaction.atomic
def start_command(lease: Lease, parts: Unsaved) -> None:
    """The command begins: from now on it is never run again.

    Raises `NotFound` or `NotAllowed` if the person may no longer run commands here.
    """
    turn = held_turn(lease)
    starter = turn.starter_id or 0
    workspace_for(starter, turn.channel.workspace_id, at_least="editor")
    if session_ended(turn):
        raise NotSignedIn(session_words(), code=SESSION_ENDED)
    lock_channel(turn.channel_id)
    AuditEntry.objects.create(
        user_id=starter,
        on_behalf_of_id=starter,
        workspace_id=turn.channel.workspace_id,
        channel=turn.channel,
        tool=TOOL,
        input={"command": turn.argument},
        verdict="allow",
        outcome=PERSON,
    )
    journal.save_parts(turn.answer_id or "", parts)
    publish_turn(turn.channel_id, lists=False)


@transaction.atomic
def finish_command(lease: Lease, context: str, parts: Unsaved) -> tuple[str, ...]:
    """The command is over: `context` joins the next request of every agent of the channel.

    Returns the names of those whose context has grown.
    """
    turn = held_turn(lease)
    if turn.steps:
        return ()
    lock_channel(turn.channel_id)
    turn.steps, turn.committed_parts = 1, len(parts)
    turn.save(update_fields=["steps", "committed_parts"])
    journal.save_parts(turn.answer_id or "", parts)
    members = ChannelAgent.objects.filter(channel=turn.channel_id).select_related("agent")
    for member in members:
        session = sessions.current_session(turn.channel_id, member.agent)
        session.pending_context = add_pending(
            session.pending_context, context, settings.LANGUAGE_CODE
        )
        session.save(update_fields=["pending_context"])
    return tuple(member.agent.name for member in members if member.agent.is_built_in)


def _hearing(channel: Channel) -> Agent:
    """Returns the agent that would answer next: its queue is where the command waits."""
    members = Agent.objects.filter(id__in=channel.members.values("agent"))
    found = members.filter(id=channel.last_agent_id or 0).first() or members.first()
    found = found or Agent.objects.filter(enabled=True).first()
    if found is None:
        raise Conflict(_("There is no agent yet. An administrator adds one."))
    return found
