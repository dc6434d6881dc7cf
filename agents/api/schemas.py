"""What REST clients send; what they get back is the wire form of the domain's values."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from ninja import Schema
from pydantic import Field

from agents.domain.content.agents import ToolsetName
from agents.domain.rules.requests import RuleScope
from agents.protocol.commands import MAX_TEXT


class ChannelIn(Schema):
    """A new channel, or its new name."""

    name: Annotated[str, Field(max_length=200)]
    description: Annotated[str, Field(max_length=200)] = ""


class NewChannelIn(ChannelIn):
    """A new channel with its first agents."""

    workspace: str
    members: Annotated[list[str], Field(max_length=50)] = []


class DirectIn(Schema):
    """The direct conversation with an agent."""

    workspace: str
    agent: str


class AgentIn(Schema):
    """An agent to invite."""

    agent: str


class MessageIn(Schema):
    """Something to say; the same `clientRef` never posts, nor carries out a command, twice."""

    text: Annotated[str, Field(max_length=MAX_TEXT)]
    clientRef: Annotated[str, Field(max_length=64)] = ""


class CancelIn(Schema):
    """Whether messages that wait stay in the queue."""

    keepQueued: bool = False


class AnswerIn(Schema):
    """The answer to a permission request."""

    option: Literal["allow_once", "allow_always", "deny", "stop"]
    rule: Annotated[str, Field(max_length=20_000)] = ""
    scope: RuleScope = "person"
    instruction: Annotated[str, Field(max_length=4_000)] = ""
    input: dict[str, Any] | None = None
    digest: Annotated[str, Field(max_length=64)] = ""
    proposal: Annotated[str, Field(max_length=64)] = ""


class AgentChangeIn(Schema):
    """What becomes different about an agent."""

    title: str | None = None
    description: str | None = None
    toolset: ToolsetName | None = None
