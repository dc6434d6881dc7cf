"""REST: channels (seed S, ChannelService)."""

from __future__ import annotations

from typing import Annotated, Any, assert_never

from asgiref.sync import async_to_sync
from django.http import HttpRequest, HttpResponse
from ninja import Router, Status
from pydantic import Field

from agents.api.schemas import AgentIn, CancelIn, ChannelIn, DirectIn, MessageIn, NewChannelIn
from agents.protocol.frames import encode
from agents.runtime.slash.entrance import carry_out, find_skill
from agents.selectors.conversation.channels import channel_for
from agents.selectors.conversation.lists import channels_of
from agents.selectors.conversation.opened_channels import channel_info
from agents.selectors.conversation.snapshots import older_messages, snapshot, whole_call
from agents.services.channels import channels, messages
from agents.services.turns import people
from agents.services.typed.lines import Helped, Posted, SkillAsked, SlashAsked, say

router = Router(tags=["channels"])


def _user(request: HttpRequest) -> int:
    return int(request.user.pk or 0)


@router.get("", summary="List")
def list_channels(request: HttpRequest) -> list[dict[str, Any]]:
    """All channels and direct conversations of the person, oldest first."""
    return [info.wire() for info in channels_of(_user(request))]


@router.post("", summary="Create", response={201: dict[str, str]})
def create_channel(request: HttpRequest, body: NewChannelIn) -> Status[dict[str, str]]:
    """Creates a channel and returns its `id`."""
    channel = channels.create_channel(
        _user(request), body.workspace, body.name, body.description, tuple(body.members)
    )
    return Status(201, {"id": channel})


@router.post("/direct", summary="Direct")
def direct(request: HttpRequest, body: DirectIn) -> dict[str, str]:
    """The direct conversation with an agent, created the first time."""
    return {"id": channels.open_direct(_user(request), body.workspace, body.agent)}


@router.get("/{channel}", summary="Conversation", response=dict[str, Any])
def conversation(request: HttpRequest, channel: str) -> HttpResponse:
    """The last 100 messages and everything that is open."""
    state = snapshot(_user(request), channel)
    return HttpResponse(encode(state), content_type="application/json; charset=utf-8")


@router.get("/{channel}/info", summary="One channel")
def info(request: HttpRequest, channel: str) -> dict[str, Any]:
    """The channel as the sidebar shows it."""
    return channel_info(_user(request), channel).wire()


@router.get("/{channel}/messages", summary="Older")
def older(
    request: HttpRequest, channel: str, before: Annotated[int, Field(ge=1)]
) -> dict[str, Any]:
    """The messages before a position, at most 100, and whether there are more."""
    found, more = older_messages(_user(request), channel, before)
    return {"messages": [message.wire() for message in found], "more": more}


@router.get("/{channel}/messages/{message}/calls/{call}", summary="One tool call, whole")
def tool_call(request: HttpRequest, channel: str, message: str, call: str) -> dict[str, Any]:
    """A card with all of its input, output and diffs, where messages and frames shorten them."""
    return whole_call(channel_for(_user(request), channel), message, call).wire()


@router.patch("/{channel}", summary="Rename", response={204: None})
def rename(request: HttpRequest, channel: str, body: ChannelIn) -> Status[None]:
    """Renames a channel, not a direct conversation."""
    channels.rename_channel(_user(request), channel, body.name, body.description)
    return Status(204, None)


@router.delete("/{channel}", summary="Delete", response={204: None})
def delete(request: HttpRequest, channel: str) -> Status[None]:
    """Stops what is answered in a channel, and deletes it with all its history."""
    people.delete_channel(_user(request), channel)
    return Status(204, None)


@router.delete("/{channel}/messages", summary="Clear", response={204: None})
def clear(request: HttpRequest, channel: str) -> Status[None]:
    """Deletes all messages and keeps name, description and members."""
    channels.clear_channel(_user(request), channel)
    return Status(204, None)


@router.post("/{channel}/members", summary="AddMember", response={204: None})
def add_member(request: HttpRequest, channel: str, body: AgentIn) -> Status[None]:
    """Invites an agent."""
    channels.add_member(_user(request), channel, body.agent)
    return Status(204, None)


@router.delete("/{channel}/members/{agent}", summary="RemoveMember", response={204: None})
def remove_member(request: HttpRequest, channel: str, agent: str) -> Status[None]:
    """Removes an agent."""
    channels.remove_member(_user(request), channel, agent)
    return Status(204, None)


@router.post(
    "/{channel}/messages", summary="Send", response={201: dict[str, str], 200: dict[str, Any]}
)
def send(request: HttpRequest, channel: str, body: MessageIn) -> Status[dict[str, Any]]:
    """Adds a message and returns its `id`; agents answer, or the message waits its turn.

    A slash command is answered at once (200): `command`, `level` and `blocks`; so are `!` and `§`
    alone.
    """
    session = request.session.session_key or ""
    outcome = say(_user(request), channel, body.text, body.clientRef, session)
    if isinstance(outcome, SkillAsked):
        outcome = async_to_sync(find_skill)(outcome)
    match outcome:
        case Posted(message=message):
            return Status(201, {"id": message})
        case SlashAsked():
            return Status(200, async_to_sync(carry_out)(outcome).wire())
        case Helped(reply=reply):
            return Status(200, reply.wire())
        case _:
            assert_never(outcome)


@router.delete("/{channel}/messages/{message}", summary="Take back a queued message")
def take_back(request: HttpRequest, channel: str, message: str) -> dict[str, str]:
    """Removes a message of one's own that still waits, and returns its `text`."""
    return {"text": messages.remove_queued(_user(request), channel, message)}


@router.post("/{channel}/cancel", summary="Cancel")
def cancel(request: HttpRequest, channel: str, body: CancelIn) -> dict[str, int]:
    """Stops the answer and drops what waits."""
    dropped = people.cancel_channel(_user(request), channel, keep_queued=body.keepQueued)
    return {"dropped": dropped}


@router.post("/{channel}/messages/{message}/resume", summary="Resume", response={204: None})
def resume(request: HttpRequest, channel: str, message: str) -> Status[None]:
    """Lets an answer that was limited, cut or failed go on."""
    people.resume_turn(_user(request), channel, message)
    return Status(204, None)
