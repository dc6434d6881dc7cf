"""Named sessions: begun anew, renamed, loaded, deleted, imported (seed M §12)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from agents.delivery import publish
from agents.domain.content.messages import SessionNote, SystemCode
from agents.domain.memory.saved_sessions import BrokenSession, SavedSession, read_session
from agents.domain.memory.session_names import (
    LONGEST,
    clean_name,
    name_problem,
    suggest,
    unique_name,
)
from agents.domain.memory.tokens import count_context
from agents.models import Agent, AgentSession, Channel, Turn
from agents.protocol.frames import Usage, UsageChanged
from agents.protocol.topics import channel_topic
from agents.selectors.conversation.channels import ChannelAccess, channel_for
from agents.selectors.models.context_sizes import context_size
from agents.selectors.sessions import parse_moment, session_agent, session_row
from agents.services.channels.channels import system_message
from agents.services.channels.frames import lock_channel
from agents.services.memory import sessions
from agents.services.memory.messages import add_all, keep_first
from maia_web.lib.errors import Conflict, InvalidInput, NotFound
from maia_web.lib.names.folding import fold
from maia_web.lib.names.isolate import isolated, isolated_list

LARGEST_FILE = 20 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Switched:
    """What became current, and the name of the session that was left ("" if it was empty)."""

    session: AgentSession
    agent: Agent
    left: str = ""


@transaction.atomic
def new_session(user_id: int, channel_id: str, agent: str | None = None) -> Switched:
    """Begins a session with an empty memory; what was there stays saved."""
    _access, row = _idle(user_id, channel_id, agent)
    left = _leave(sessions.current_session(channel_id, row))
    fresh = sessions.current_session(channel_id, row)
    _tell(fresh, SystemCode.SESSION_NEW, user_id, left)
    return Switched(fresh, row, left)


@transaction.atomic
def clear_session(user_id: int, channel_id: str, agent: str | None = None) -> Switched:
    """Forgets what the agent has in mind; the session keeps its name (M §5.6)."""
    _access, row = _idle(user_id, channel_id, agent)
    session = sessions.current_session(channel_id, row)
    keep_first(session, 0)
    session.pending_context, session.start_context, session.context_used = [], "", 0
    session.save(update_fields=["pending_context", "start_context", "context_used"])
    _tell(session, SystemCode.SESSION_CLEARED, user_id)
    return Switched(session, row)


@transaction.atomic
def load_session(user_id: int, channel_id: str, name: str, agent: str | None = None) -> Switched:
    """Makes a saved session the current one; the current model stays (M §12.3).

    Raises `NotFound` with names spelled alike.
    """
    _access, row = _idle(user_id, channel_id, agent)
    return _load(_named(channel_id, row, name), user_id)


@transaction.atomic
def load_by_id(user_id: int, channel_id: str, session_id: int) -> Switched:
    """The same for a session chosen from a list."""
    access, _agent = _idle(user_id, channel_id, None, any_agent=True)
    return _load(session_row(access, session_id), user_id)


@transaction.atomic
def rename_session(
    user_id: int,
    channel_id: str,
    name: str,
    *,
    agent: str | None = None,
    session: int | None = None,
) -> str:
    """Renames the current session, or the one with an id; returns the name it got.

    A name that another session has gets a suffix: nothing is ever overwritten.
    """
    access, found = _idle(user_id, channel_id, agent, any_agent=session is not None)
    row = session_row(access, session) if session else sessions.current_session(channel_id, found)
    wanted = valid_name(name)
    others = AgentSession.objects.filter(channel=channel_id, agent=row.agent).exclude(pk=row.pk)
    row.name = unique_name(wanted, others.values_list("name", flat=True))
    row.save(update_fields=["name", "name_key"])
    return row.name


@transaction.atomic
def delete_sessions(user_id: int, channel_id: str, ids: Collection[int]) -> tuple[str, ...]:
    """Deletes sessions for good, never a current one; returns the names of those deleted."""
    _idle(user_id, channel_id, None, any_agent=True)
    rows = AgentSession.objects.filter(channel=channel_id, id__in=ids)
    if rows.filter(current=True).exists():
        raise Conflict(_("The current session cannot be deleted: begin a new one first."))
    names = tuple(rows.order_by("name").values_list("name", flat=True))
    rows.delete()
    return names


@transaction.atomic
def delete_named(
    user_id: int, channel_id: str, names: Collection[str], agent: str | None = None
) -> tuple[str, ...]:
    """The same by names; raises `NotFound` for the first that is not there."""
    _access, row = _idle(user_id, channel_id, agent)
    ids = [_named(channel_id, row, name).pk for name in names]
    return delete_sessions(user_id, channel_id, ids)


@transaction.atomic
def import_session(
    user_id: int, channel_id: str, file_name: str, data: bytes, agent: str | None = None
) -> AgentSession:
    """Saves a file of the command-line MAIA as a session; its name is the file's.

    Raises `InvalidInput` naming what is wrong; nothing is overwritten.
    """
    access = channel_for(user_id, channel_id, at_least="editor")
    row = session_agent(access, agent)
    lock_channel(channel_id)
    name = unique_name(valid_name(_stem(file_name)), sessions.names_of(channel_id, row))
    saved = _read(data, name)
    if not saved.messages and not saved.start_context:
        raise InvalidInput(_("This session is empty: there is nothing to keep."), field="file")
    return _save(channel_id, row, saved)


def valid_name(text: str) -> str:
    """Returns a name as it is kept; raises `InvalidInput` saying which rule it breaks."""
    name = clean_name(text)
    problem = name_problem(name)
    if problem is None:
        return name
    sentences = {
        "empty": _("Give the session a name."),
        "long": _("A session's name has at most %(max)d characters.") % {"max": LONGEST},
        "characters": _(
            "A session's name has none of \\ / : * ? \" < > | and no control character."
        ),
        "dot": _("A session's name neither begins nor ends with a dot."),
    }
    raise InvalidInput(sentences[problem], field="name")


def _idle(
    user_id: int, channel_id: str, agent: str | None, *, any_agent: bool = False
) -> tuple[ChannelAccess, Agent]:
    """Returns the channel and the agent meant, locked, once it is certain that nobody answers."""
    access = channel_for(user_id, channel_id, at_least="editor")
    lock_channel(channel_id)
    if Turn.objects.filter(channel=channel_id, state__in=("queued", "running")).exists():
        raise Conflict(
            _("An agent is answering in this channel. Wait for the end, or stop it first."),
            code="busy",
        )
    return access, Agent() if any_agent else session_agent(access, agent)


def _named(channel_id: str, agent: Agent, name: str) -> AgentSession:
    wanted = clean_name(name)
    rows = AgentSession.objects.filter(channel=channel_id, agent=agent)
    found = rows.filter(name_key=fold(wanted)).first()
    if found is not None:
        return found
    near = suggest(wanted, sessions.names_of(channel_id, agent))
    message = _("There is no session named “%(name)s”.") % {"name": isolated(wanted)}
    if near:
        message += " " + _("Did you mean %(names)s?") % {"names": isolated_list(near)}
    raise NotFound(message, suggestions=near)


def _load(row: AgentSession, user_id: int) -> Switched:
    if row.current:
        raise Conflict(
            _("“%(name)s” is the current session already.") % {"name": isolated(row.name)}
        )
    left = _leave(sessions.current_session(row.channel_id, row.agent))
    row.current = True
    row.save(update_fields=["current"])
    _tell(row, SystemCode.SESSION_LOADED, user_id, left)
    return Switched(row, row.agent, left)


def _leave(session: AgentSession) -> str:
    """Puts the current session aside; an empty one is never kept."""
    if not session.start_context and not session.messages.exists():
        session.delete()
        return ""
    session.current = False
    session.save(update_fields=["current"])
    return session.name


def _tell(session: AgentSession, code: SystemCode, user_id: int, left: str = "") -> None:
    note = SessionNote(session=session.name, previous=left)
    system_message(session.channel_id, code, session.agent, author=user_id, note=note)
    publish_usage(session)


def publish_usage(session: AgentSession) -> None:
    """Tells everybody who sees the channel how full the agent's context is now, on commit."""
    channel, agent = session.channel_id, session.agent.name
    usage = Usage(used=session.context_used, size=context_size(channel, agent))
    frame = UsageChanged(channel=channel, agent=agent, usage=usage)
    publish.on_commit(channel_topic(channel), frame)


def _stem(file_name: str) -> str:
    name = file_name.replace("\\", "/").rsplit("/", 1)[-1]
    return name[: -len(".json")] if name.lower().endswith(".json") else name


def _read(data: bytes, name: str) -> SavedSession:
    if len(data) > LARGEST_FILE:
        raise InvalidInput(_("The file is larger than 20 MB."), field="file")
    try:
        return read_session(data.decode("utf-8"), name, timezone.now())
    except UnicodeDecodeError:
        raise InvalidInput(_("This file is no text in UTF-8."), field="file") from None
    except BrokenSession as broken:
        text = _("This file is no session of MAIA: %(why)s") % {"why": broken}
        raise InvalidInput(text, field="file") from None


def _save(channel_id: str, agent: Agent, saved: SavedSession) -> AgentSession:
    row = AgentSession.objects.create(
        channel=Channel.objects.get(id=channel_id),
        agent=agent,
        name=saved.name,
        current=False,
        pending_context=list(saved.pending_context),
        start_context=saved.start_context,
        model=saved.model[:200],
        cwd=saved.cwd[:1000],
        sub_agent=saved.agent[:64],
        parent_session=saved.parent_session[:100],
        created_at=parse_moment(saved.created_at),
    )
    told = count_context(saved.start_context, (), (), saved.pending_context)
    row.context_used = told + add_all(row, saved.messages)
    row.updated_at = parse_moment(saved.updated_at)
    row.save(update_fields=["context_used", "updated_at"])
    return row
