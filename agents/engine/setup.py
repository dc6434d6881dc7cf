"""Everything one turn runs with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from agents.domain.content.model_messages import ToolUseBlock
from agents.engine.clock import Clock, SystemClock
from agents.engine.ports.journal import Journal
from agents.engine.ports.model import Provider
from agents.engine.ports.permissions import Gate
from agents.engine.ports.sink import Sink
from agents.engine.ports.tokens import Count
from agents.engine.ports.tools import Tool, ToolContext


@dataclass(frozen=True, slots=True)
class TurnSetup:
    """Everything one turn runs with. `language` is the one the model reads: "en" or "fr".

    `count` returns the tokens of some texts, without holding up the loop; None: nobody measures.
    `told_tokens`: of what the model is told besides the conversation.
    """

    provider: Provider
    system: str
    tools: tuple[Tool, ...]
    gate: Gate
    journal: Journal
    sink: Sink
    tool_context: Callable[[ToolUseBlock, Callable[[str], None]], ToolContext]
    max_steps: int = 50
    max_tokens: int | None = None
    count: Count | None = None
    told_tokens: int = 0
    language: str = "en"
    clock: Clock = field(default_factory=SystemClock)
