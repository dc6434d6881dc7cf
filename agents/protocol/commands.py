"""Commands: everything a client may say on the WebSocket, a union on `type`.

Each carries a `clientRef` chosen by the client, which comes back in `ack` or `error`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, TypeAdapter

from agents.domain.rules.requests import RuleScope
from maia_web.lib.values import Value

_NO_NUL = r"\A[^\x00]*\z"
"""PostgreSQL takes no text with a NUL."""
Ref = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=_NO_NUL)]
Id = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=_NO_NUL)]
MAX_TEXT = 200_000
LARGEST = 2**53 - 1
Text = Annotated[str, StringConstraints(max_length=MAX_TEXT)]
Digest = Annotated[str, StringConstraints(max_length=64)]
Name = Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)]


class _Command(Value):
    client_ref: Ref


class Subscribe(_Command):
    """Answers with `channel:snapshot`, then every frame of the channel.

    Who comes back says with `seq` how far they are: if that is all there is, `channel:current`
    takes the snapshot's place.
    """

    type: Literal["channel:subscribe"] = "channel:subscribe"
    channel: Id
    seq: Annotated[int, Field(ge=0, le=LARGEST)] | None = None


class Unsubscribe(_Command):
    """Ends the frames of a channel."""

    type: Literal["channel:unsubscribe"] = "channel:unsubscribe"
    channel: Id


class Send(_Command):
    """Says something in a channel; `ack` carries the `message` id.

    A slash command of the server is answered with `system:reply`; `ack` carries its name as
    `command`.
    """

    type: Literal["channel:send"] = "channel:send"
    channel: Id
    text: Text


class Cancel(_Command):
    """Stops the answer (Esc) and drops queued messages unless `keepQueued`."""

    type: Literal["channel:cancel"] = "channel:cancel"
    channel: Id
    keep_queued: bool = False


class Older(_Command):
    """`ack` carries the 100 `messages` before position `before`, and `more`."""

    type: Literal["channel:older"] = "channel:older"
    channel: Id
    before: Annotated[int, Field(ge=1, le=LARGEST)]


class Read(_Command):
    """The person has read up to `position`."""

    type: Literal["channel:read"] = "channel:read"
    channel: Id
    position: Annotated[int, Field(ge=0, le=LARGEST)]


class Create(_Command):
    """Creates a channel; `ack` carries its id as `channel`."""

    type: Literal["channel:create"] = "channel:create"
    workspace: Id
    name: Name
    description: Name = ""
    members: Annotated[tuple[Name, ...], Field(max_length=50)] = ()


class Rename(_Command):
    """Renames a channel (not a direct conversation)."""

    type: Literal["channel:rename"] = "channel:rename"
    channel: Id
    name: Name
    description: Name = ""


class Delete(_Command):
    """Stops the answers, then deletes the channel with all its history."""

    type: Literal["channel:delete"] = "channel:delete"
    channel: Id


class Clear(_Command):
    """Deletes all messages and forgets the agents' sessions."""

    type: Literal["channel:clear"] = "channel:clear"
    channel: Id


class AddMember(_Command):
    """Invites an agent."""

    type: Literal["channel:add-member"] = "channel:add-member"
    channel: Id
    agent: Name


class RemoveMember(_Command):
    """Removes an agent."""

    type: Literal["channel:remove-member"] = "channel:remove-member"
    channel: Id
    agent: Name


class Direct(_Command):
    """Opens the direct conversation with an agent; `ack` carries its id as `channel`."""

    type: Literal["channel:direct"] = "channel:direct"
    workspace: Id
    agent: Name


class RemoveQueued(_Command):
    """Takes back a queued message of one's own; `ack` carries its `text` to edit."""

    type: Literal["message:remove"] = "message:remove"
    channel: Id
    message: Id


class Resume(_Command):
    """Lets an interrupted or limited answer go on."""

    type: Literal["turn:resume"] = "turn:resume"
    channel: Id
    message: Id


class AnswerPermission(_Command):
    """Answers a request with one of its options; the first answer wins.

    `rule` (one a line) and `scope` go with `allow_always`; `instruction` with `deny` is a word to
    the agent. `input` is what shall run instead, with another `command`, by the starter of the turn
    alone; `proposal` accepts the one with this id in its place. The rules look at either again.
    `digest` is that of the request that was shown.
    """

    type: Literal["permission:answer"] = "permission:answer"
    id: Id
    option: Literal["allow_once", "allow_always", "deny", "stop"]
    rule: Annotated[str, StringConstraints(max_length=20_000)] = ""
    scope: RuleScope = "person"
    instruction: Annotated[str, StringConstraints(max_length=4_000)] = ""
    input: dict[str, Any] | None = None
    digest: Digest = ""
    proposal: Digest = ""


class ProposeInput(_Command):
    """Proposes to the starter of a turn what else to run: `input` with another `command`.

    For those who may answer what others asked for. `digest` is that of the request that was shown.
    """

    type: Literal["permission:propose"] = "permission:propose"
    id: Id
    input: dict[str, Any]
    digest: Digest = ""


class DeclineProposal(_Command):
    """Takes a proposal away, for its starter or who made it; the request waits on."""

    type: Literal["permission:decline"] = "permission:decline"
    id: Id
    proposal: Digest


class Watch(_Command):
    """Follows the files of a workspace through `workspace:changed`."""

    type: Literal["workspace:watch"] = "workspace:watch"
    workspace: Id


class Unwatch(_Command):
    """Ends `workspace:changed` of a workspace."""

    type: Literal["workspace:unwatch"] = "workspace:unwatch"
    workspace: Id


class Pong(Value):
    """Answers `ping` with its `n`."""

    type: Literal["pong"] = "pong"
    n: int


Command = (
    Subscribe
    | Unsubscribe
    | Send
    | Cancel
    | Older
    | Read
    | Create
    | Rename
    | Delete
    | Clear
    | AddMember
    | RemoveMember
    | Direct
    | RemoveQueued
    | Resume
    | AnswerPermission
    | ProposeInput
    | DeclineProposal
    | Watch
    | Unwatch
    | Pong
)

COMMAND: TypeAdapter[Command] = TypeAdapter(
    Annotated[Command, Field(discriminator="type")]  # type: ignore[arg-type,maybe-unrecognized-str-typeform]  # mypy does not read annotated unions
)
