"""Sessions of a channel: which agent keeps them, the list, one of them as a file (seed M §12)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from django.db.models import Count, QuerySet
from django.utils.translation import gettext as _

from agents.domain.content.agents import BUILT_IN
from agents.domain.content.remembered import EMPTY, Memory
from agents.domain.memory.saved_sessions import SavedSession, write_session
from agents.models import Agent, AgentSession, Channel, ChannelAgent
from agents.selectors.conversation.channels import ChannelAccess
from agents.selectors.memory import memory_of, messages_of
from agents.selectors.models.context_sizes import context_size
from agents.selectors.values import moment
from maia_web.lib.errors import NotFound
from maia_web.lib.names.folding import fold
from maia_web.lib.values import Value

CWD = "/workspace"


class SessionInfo(Value):
    """One session as lists show it; `size` is 0 where the maximum is unknown."""

    id: int
    name: str
    agent: str
    current: bool
    messages: int
    used: int
    size: int
    model: str = ""
    compacted: bool = False
    sub_agent: str = ""
    created_at: str
    updated_at: str


def session_agent(access: ChannelAccess, wanted: str | None = None) -> Agent:
    """Returns the built-in agent whose session a command means; raises `NotFound`.

    The one that was named, else the one of a direct conversation, the one that answered last, the
    first member.
    """
    members = Agent.objects.filter(kind=BUILT_IN, enabled=True)
    joined = ChannelAgent.objects.filter(channel=access.id).values("agent")
    ours = members.filter(id__in=joined)
    last = Channel.objects.values_list("last_agent__name", flat=True).get(id=access.id)
    names: list[str | None] = [wanted] if wanted else [access.direct, last]
    for name in names:
        found = ours.filter(name__iexact=name).first() if name else None
        if found is not None:
            return found
    first = None if wanted else ours.first()
    if first is None:
        raise NotFound(_("No agent of this conversation keeps a session here."))
    return first


def sessions_of(
    access: ChannelAccess, agent: str = "", search: str = ""
) -> tuple[SessionInfo, ...]:
    """Returns the sessions of a channel that hold something, the latest first."""
    rows = _rows(access)
    if agent:
        rows = rows.filter(agent__name__iexact=agent)
    if search.strip():
        rows = rows.filter(name_key__contains=fold(search.strip()))
    counted = rows.annotate(count=Count("messages")).order_by("-current", "-updated_at", "-id")
    return tuple(
        _info(row, row.count, context_size(access.id, row.agent.name))
        for row in counted
        if row.count or row.start_context
    )


def session_row(access: ChannelAccess, session_id: int) -> AgentSession:
    """Returns one session of the channel; raises `NotFound`."""
    row = _rows(access).filter(id=session_id).first()
    if row is None:
        raise NotFound(_("There is no such session."))
    return row


def session_file(row: AgentSession) -> tuple[str, str]:
    """Returns name and text of the file that the command-line MAIA opens."""
    saved = SavedSession(
        name=row.name,
        created_at=moment(row.created_at.astimezone(UTC)),
        updated_at=moment(row.updated_at.astimezone(UTC)),
        model=row.model,
        cwd=row.cwd or CWD,
        messages=messages_of(row),
        pending_context=tuple(row.pending_context),
        start_context=row.start_context,
        agent=row.sub_agent,
        parent_session=row.parent_session,
    )
    return f"{row.name}.json", write_session(saved)


def parse_moment(text: str) -> datetime:
    """Returns the moment of a session's file."""
    return datetime.fromisoformat(text)


def _rows(access: ChannelAccess) -> QuerySet[AgentSession]:
    return AgentSession.objects.filter(channel=access.id).select_related("agent")


def _info(row: AgentSession, count: int, size: int) -> SessionInfo:
    return SessionInfo(
        id=row.pk,
        name=row.name,
        agent=row.agent.name,
        current=row.current,
        messages=count,
        used=row.context_used,
        size=size,
        model=row.model,
        compacted=bool(row.start_context),
        sub_agent=row.sub_agent,
        created_at=moment(row.created_at.astimezone(UTC)),
        updated_at=moment(row.updated_at.astimezone(UTC)),
    )


@dataclass(frozen=True, slots=True)
class Mind:
    """What an agent has in mind in a channel now; `session` is "" before its first turn."""

    session: str
    model: str
    memory: Memory = EMPTY
    pending: tuple[str, ...] = ()
    start_context: str = ""


def mind_of(channel_id: str, agent: Agent, model: str) -> Mind:
    """Returns the current session of an agent in a channel; `model` was chosen for it."""
    row = AgentSession.objects.filter(channel=channel_id, agent=agent, current=True).first()
    if row is None:
        return Mind("", model)
    return Mind(row.name, model, memory_of(row), tuple(row.pending_context), row.start_context)
