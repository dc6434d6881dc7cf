"""Frames: everything the server says on the WebSocket, a union on `type`.

Durable frames carry `seq`, counted per channel; `message:delta` carries `offset`. A client that
sees a gap in either subscribes again. Clients ignore types they do not know.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import orjson
from pydantic import Field, TypeAdapter

from agents.domain.content.messages import Arrival, ChannelEntry, ChannelInfo, Message, Person
from agents.domain.content.parts import Part, PlanPart, ToolPart
from agents.domain.rules.requests import Answer, PermissionRequest, RequestState
from agents.domain.typed.replies import Reply
from maia_web.lib.values import Value


class Usage(Value):
    """Occupation of a context window in tokens; `size` is 0 where the maximum is unknown."""

    used: int = 0
    size: int = 0


class Answering(Value):
    """Who answers now, and on what it waits; `command` is what `starter` runs with `!` instead.

    `lease` grows each time another host takes the answer up: a delta with a lower one is void.
    """

    agent: str
    message_id: str | None = None
    started_at: str
    waits_for: Literal["model", "tool", "permission", "summary"] = "model"
    starter: Person | None = None
    command: str | None = None
    lease: int = 0


class Hello(Value):
    """The first frame of every connection."""

    type: Literal["hello"] = "hello"
    user: Person
    administrator: bool
    release: str


class Ack(Value):
    """A command was carried out; `result` depends on the command."""

    type: Literal["ack"] = "ack"
    client_ref: str
    result: dict[str, Any] = Field(default_factory=dict)


class Error(Value):
    """A command was refused; the socket stays open."""

    type: Literal["error"] = "error"
    client_ref: str | None = None
    code: str
    message: str
    data: dict[str, Any] = Field(default_factory=dict)


class Ping(Value):
    """Asks the client to answer with `pong`; one that does not is sent less, then dropped."""

    type: Literal["ping"] = "ping"
    n: int


class WorkspaceInfo(Value):
    """A workspace as one person reaches it."""

    id: str
    name: str
    role: Literal["owner", "editor", "viewer"]
    personal: bool = False
    may_answer: bool = False


class ChannelsChanged(Value):
    """The workspaces of this person, and the conversations they see in them, oldest first.

    Sent on connect and when rights change; what happens in one conversation changes it alone.
    """

    type: Literal["channels:changed"] = "channels:changed"
    channels: tuple[ChannelInfo, ...]
    workspaces: tuple[WorkspaceInfo, ...]


class ChannelChanged(Value):
    """One conversation of the list is new, or changed; `role` and `mayAnswer` are its workspace's.

    `arrivals` came since the last of these: those after the `position` that one has, and of others,
    are unread. `position` is how far all of it goes.
    """

    type: Literal["channel:changed"] = "channel:changed"
    channel: ChannelEntry
    position: int
    arrivals: tuple[Arrival, ...] = ()


class ChannelUnread(Value):
    """How much of a conversation this person has not read, counted anew up to `position`."""

    type: Literal["channel:unread"] = "channel:unread"
    channel: str
    position: int
    unread: int


class ChannelSnapshot(Value):
    """The full state of a channel, sent on subscribe; later frames build on it.

    `people`: the first eight of those who see it, of `peopleCount`; all are read by REST, in pages.
    """

    type: Literal["channel:snapshot"] = "channel:snapshot"
    channel: ChannelInfo
    seq: int
    messages: tuple[Message, ...]
    more: bool
    busy: bool
    queued: int
    answering: Answering | None = None
    usage: dict[str, Usage] = Field(default_factory=dict)
    permissions: tuple[PermissionRequest, ...] = ()
    people: tuple[Person, ...] = ()
    people_count: int = 0


class ChannelCurrent(Value):
    """Nothing was missed since the `seq` that a client named on subscribe; later frames follow.

    `parts` are those of the message `messageId`, which is written now: all there is of it.
    """

    type: Literal["channel:current"] = "channel:current"
    channel: str
    seq: int
    message_id: str | None = None
    parts: tuple[Part, ...] | None = None


class ChannelReset(Value):
    """The channel was cleared or its history changed: subscribe again."""

    type: Literal["channel:reset"] = "channel:reset"
    channel: str
    seq: int


class ChannelGone(Value):
    """The channel was deleted, or this person may no longer see it."""

    type: Literal["channel:gone"] = "channel:gone"
    channel: str


class MessageUpdated(Value):
    """A message was added, changed or finished; replaces what the client has."""

    type: Literal["message:updated"] = "message:updated"
    channel: str
    seq: int
    message: Message


class MessageRemoved(Value):
    """A queued message was taken back."""

    type: Literal["message:removed"] = "message:removed"
    channel: str
    seq: int
    message_id: str


class MessageDelta(Value):
    """Text is appended to part `index`, or `part` replaces it (tool, plan) or begins it.

    `offset`: for text, the length of the part before this text in UTF-16 code units; for a
    replaced part its revision. A `text` with `offset` 0 and a new `index` begins a part; with
    `seconds` it is a thought that has ended, and the text is all of it. A `lease` lower than that
    of the channel's `answering` comes from a host that lost the answer: the delta is void.
    """

    type: Literal["message:delta"] = "message:delta"
    channel: str
    message_id: str
    index: int
    kind: Literal["text", "thought", "tool", "plan"]
    text: str | None = None
    part: ToolPart | PlanPart | None = None
    offset: int
    seconds: float | None = None
    lease: int = 0


class TurnChanged(Value):
    """The channel began or stopped answering, or another agent's turn began."""

    type: Literal["turn:changed"] = "turn:changed"
    channel: str
    seq: int
    busy: bool
    queued: int
    answering: Answering | None = None


class PermissionRequested(Value):
    """An agent asks to use a tool; or what is proposed instead changed: replaces what one has."""

    type: Literal["permission:requested"] = "permission:requested"
    channel: str
    seq: int
    request: PermissionRequest


class PermissionResolved(Value):
    """A request was answered, cancelled by Stop, or expired."""

    type: Literal["permission:resolved"] = "permission:resolved"
    channel: str
    seq: int
    id: str
    state: RequestState
    answer: Answer | None = None


class UsageChanged(Value):
    """An agent's context window in this channel."""

    type: Literal["usage:changed"] = "usage:changed"
    channel: str
    agent: str
    usage: Usage


class NoticeGiven(Value):
    """A passing word about the turn: a retry, a cut answer. Not kept."""

    type: Literal["notice"] = "notice"
    channel: str
    code: str
    message: str


class SystemReply(Value):
    """The answer to a slash command, for the person who typed it alone. Not kept."""

    type: Literal["system:reply"] = "system:reply"
    channel: str
    reply: Reply


class Piece(Value):
    """A piece of a frame that is longer than one message may be (256 KB).

    The `of` pieces that carry the same `id` come one after the other, `at` from 0; their texts
    joined are the JSON of the frame.
    """

    type: Literal["piece"] = "piece"
    id: str
    at: int
    of: int
    text: str


class SiteState(Value):
    """What this server cannot reach now; empty once all is well. Not sent while it never was away.

    "redis": what other processes do is seen late; nothing is lost, a snapshot follows.
    """

    type: Literal["site:state"] = "site:state"
    away: tuple[Literal["redis"], ...] = ()


class WorkspaceChanged(Value):
    """Files changed in a watched workspace; `paths` are folders to read again, at most 200."""

    type: Literal["workspace:changed"] = "workspace:changed"
    workspace: str
    paths: tuple[str, ...] = ()
    agent: str | None = None


class AgentState(Value):
    """An agent changed state."""

    type: Literal["agent:state"] = "agent:state"
    agent: str
    state: Literal["stopped", "starting", "ready", "busy", "error"]
    error: str | None = None


Frame = (
    Hello
    | Ack
    | Error
    | Ping
    | ChannelsChanged
    | ChannelChanged
    | ChannelUnread
    | ChannelSnapshot
    | ChannelCurrent
    | ChannelReset
    | ChannelGone
    | MessageUpdated
    | MessageRemoved
    | MessageDelta
    | TurnChanged
    | PermissionRequested
    | PermissionResolved
    | UsageChanged
    | NoticeGiven
    | SystemReply
    | SiteState
    | Piece
    | WorkspaceChanged
    | AgentState
)

FRAME: TypeAdapter[Frame] = TypeAdapter(
    Annotated[Frame, Field(discriminator="type")]  # type: ignore[arg-type,maybe-unrecognized-str-typeform]  # mypy does not read annotated unions
)


def encode(frame: Frame) -> bytes:
    """Returns the frame as compact JSON, fields that are None left out."""
    if isinstance(frame, MessageDelta) and frame.part is None and frame.seconds is None:
        return _encode_text(frame)
    return frame.__pydantic_serializer__.to_json(frame, by_alias=True, exclude_none=True)


def _encode_text(frame: MessageDelta) -> bytes:
    """The hot path: each token of each answer passes here."""
    return orjson.dumps(
        {
            "type": "message:delta",
            "channel": frame.channel,
            "messageId": frame.message_id,
            "index": frame.index,
            "kind": frame.kind,
            "text": frame.text,
            "offset": frame.offset,
            "lease": frame.lease,
        }
    )
