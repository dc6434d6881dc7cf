"""Posts: a message and what it asks of agents; the first of them begins at once where it can."""

from __future__ import annotations

import time

from django.db import transaction

from agents.delivery import dispatch
from agents.domain.content.messages import Role, SystemCode
from agents.domain.content.parts import TextPart
from agents.domain.typed.line import Request, SkillCall, kept
from agents.domain.typed.recipients import choose_recipients
from agents.models import Agent, Message, Turn
from agents.selectors.conversation.scene import Member, Scene, scene_for
from agents.services.channels.channels import join, system_message
from agents.services.channels.frames import (
    Numbers,
    hold_channel,
    publish_numbered,
    publish_turn,
    refresh_lists,
)
from agents.services.memory.sessions import Here
from agents.services.turns.beginning import ADD_TURN, begin, empty_answer
from maia_web.lib.fixed import FixedInsert

_ADD_MESSAGES = FixedInsert(Message)


@transaction.atomic
def post_message(user_id: int, channel_id: str, request: Request, client_ref: str = "") -> str:
    """Adds a person's message and the turns that answer it, returns the message's id.

    Where nobody answers in the channel and this process runs turns, the first has begun when the
    transaction commits; else all of them wait for a host. The same `client_ref` of the same person
    never posts twice. Raises `NotAllowed` for a viewer, `NotFound`.
    """
    asked = time.monotonic()
    hold_channel(user_id, channel_id)
    scene = scene_for(user_id, channel_id, client_ref)
    if scene.posted:
        return scene.posted
    recipients = choose_recipients(
        request, direct=scene.access.direct, members=scene.names, last_answered=scene.last
    )
    if recipients.joining:
        for name in recipients.joining:
            join(channel_id, Agent.objects.get(name=name))
        scene = scene_for(user_id, channel_id, client_ref)
    members = [_member(scene, name) for name in recipients.answering]
    if not members:
        return _unanswered(scene, request, client_ref)
    host = None if scene.waits else dispatch.host_here()
    if host is not None and members[0].agent.is_built_in:
        first = members[0].agent
        dispatch.expect(scene.access.workspace.place, first.name, first.toolset)
    return _answered(scene, request, client_ref, members, host, asked)


def _answered(
    scene: Scene,
    request: Request,
    client_ref: str,
    members: list[Member],
    host: str | None,
    asked: float,
) -> str:
    """Adds message and turns; `host` is this process's if it begins the first one."""
    channel_id = scene.access.id
    begins = host is not None
    numbers = Numbers(channel_id, frames=1 + 2 * begins, messages=1 + begins)
    row = _message(scene, request, client_ref, numbers.next_position())
    row.queued = scene.waits
    first, *later = (_turn(scene, row, member, request) for member in members)
    rows = [row]
    if begins:
        first.answer = empty_answer(first, numbers.next_position())
        rows.append(first.answer)
    _ADD_MESSAGES(*rows)
    publish_numbered(row, numbers.next_seq(), _parts(request))
    if host is None:
        ADD_TURN(first)
    else:
        here = Here(members[0].seen, members[0].model, members[0].has_unseen)
        dispatch.begun_on_commit(begin(first, host, here, numbers, scene.queued), asked)
    for turn in later:
        ADD_TURN(turn)
    if host is None:
        publish_turn(channel_id)
        dispatch.turn_queued(channel_id)
    return row.id


def _unanswered(scene: Scene, request: Request, client_ref: str) -> str:
    """Adds a message that nobody answers, and says so."""
    channel_id = scene.access.id
    numbers = Numbers(channel_id, frames=1, messages=1)
    row = _message(scene, request, client_ref, numbers.next_position())
    _ADD_MESSAGES(row)
    publish_numbered(row, numbers.next_seq(), _parts(request))
    system_message(channel_id, SystemCode.NO_RECIPIENT)
    refresh_lists(channel_id)
    return row.id


def _message(scene: Scene, request: Request, client_ref: str, position: int) -> Message:
    return Message(
        channel_id=scene.access.id,
        position=position,
        role=Role.USER,
        author=scene.person,
        parts=[part.wire() for part in _parts(request)],
        client_ref=client_ref,
    )


def _parts(request: Request) -> tuple[TextPart]:
    return (TextPart(text=request.text),)


def _turn(scene: Scene, row: Message, member: Member, request: Request) -> Turn:
    """Returns the answer of an agent; its host first reads the files or the skill it names."""
    names_files = bool(request.references) or isinstance(request, SkillCall)
    return Turn(
        channel=scene.channel,
        agent=member.agent,
        starter=scene.person,
        request=row,
        line=kept(request),
        unread=names_files and member.agent.is_built_in,
    )


def _member(scene: Scene, name: str) -> Member:
    """Returns an agent that answers; one that is no member has seen nothing yet."""
    found = scene.member(name)
    return found or Member(Agent.objects.get(name=name), seen=0, model="", has_unseen=True)
