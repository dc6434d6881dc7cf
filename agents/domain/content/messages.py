"""Message: what was said in a channel, as people see it (seed S, "Messages")."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from agents.domain.content.parts import Part
from maia_web.lib.translated import translations
from maia_web.lib.values import Value


class Role(StrEnum):
    """Who speaks."""

    USER = "user"
    AGENT = "agent"
    SYSTEM = "system"


class StopReason(StrEnum):
    """How a turn ended (seed S); `stopped` and `interrupted` are MAIA's own."""

    END_TURN = "end_turn"
    CANCELLED = "cancelled"
    MAX_TOKENS = "max_tokens"
    MAX_TURN_REQUESTS = "max_turn_requests"
    REFUSAL = "refusal"
    STOPPED = "stopped"


class SystemCode(StrEnum):
    """What a system message says; the client owns the wording."""

    AGENT_JOINED = "agent-joined"
    AGENT_LEFT = "agent-left"
    NO_RECIPIENT = "no-recipient"
    AGENT_UNAVAILABLE = "agent-unavailable"
    ATTACHMENT_UNAVAILABLE = "attachment-unavailable"
    NOTICE = "notice"
    COMPACTED = "compacted"
    COMPACT_FAILED = "compact-failed"
    SESSION_CLEARED = "session-cleared"
    SESSION_LOADED = "session-loaded"
    SESSION_NEW = "session-new"


class Person(Value):
    """A person as others see them."""

    id: int
    username: str
    name: str


class Attachment(Value):
    """A reference to a file of an agent's folder; the content is never kept.

    `problem` says why the agent did not get it, `words` the same in each language.
    """

    agent: str
    path: str
    problem: str | None = None
    words: dict[str, str] | None = None


class Counters(Value):
    """What a turn did (seed T, "Compteurs"), for the line under the answer.

    `steps` counts the model's answers: at the limit of steps it is the limit.
    """

    commands: int = 0
    file_ops: int = 0
    skills: int = 0
    seconds: float = 0.0
    input_tokens: int = 0
    output_tokens: int = 0
    steps: int = 0


class SessionNote(Value):
    """What a system message about an agent's session tells; `before` and `after` in tokens.

    `session` is the one that goes on, `previous` the one that was left and stays saved.
    """

    session: str = ""
    previous: str = ""
    before: int = 0
    after: int = 0
    automatic: bool = False


class MessageError(Value):
    """Why a message failed: a stable code, the sentence for people, technical details apart.

    `words` are the sentence in each language: whoever reads it later may speak another.
    """

    code: str
    message: str
    details: str = ""
    words: dict[str, str] | None = None


def failed(code: str, message: str, details: str = "") -> MessageError:
    """Returns why a message failed, in every language that the sentence knows."""
    return MessageError(
        code=code, message=str(message), details=details, words=translations(message)
    )


class Message(Value):
    """One message of a channel. `position` counts from 1 within the channel."""

    id: str
    channel: str
    position: int
    created_at: str
    role: Role
    agent: str | None = None
    author: Person | None = None
    parts: tuple[Part, ...] = ()
    done: bool = True
    queued: bool = False
    stop_reason: StopReason | None = None
    error: MessageError | None = None
    code: SystemCode | None = None
    note: SessionNote | None = None
    attachments: tuple[Attachment, ...] = ()
    counters: Counters | None = None
    client_ref: str | None = None


MOST_UNREAD = 100
"""Unread messages are counted so far; more are as many."""


class ChannelInfo(Value):
    """A channel as the sidebar shows it to one person.

    `waiting` requests wait here, `for_me` of them for this person's answer.
    `may_answer`: whether they may answer whatever is asked here, not only what they started.
    `unread`: what others said and this person has not read, up to `position`; 100 stands for more.
    """

    id: str
    workspace: str
    name: str
    description: str = ""
    direct: str | None = None
    members: tuple[str, ...] = ()
    role: Literal["owner", "editor", "viewer"]
    busy: bool = False
    waiting: int = 0
    for_me: int = 0
    may_answer: bool = False
    unread: int = 0
    position: int = 0
    last_activity: str


class ChannelEntry(Value):
    """A channel in lists: what is the same for all who see it.

    `waiting`: for each request that waits here, the id of the person whose message caused it.
    """

    id: str
    workspace: str
    name: str
    description: str = ""
    direct: str | None = None
    members: tuple[str, ...] = ()
    busy: bool = False
    waiting: tuple[int, ...] = ()
    last_activity: str


class Arrival(Value):
    """A message as it counts as unread: for everybody but its author, a person's id."""

    position: int
    author: int | None = None
