"""Events: what a turn reports while it runs; `live_parts` folds them into a message."""

from __future__ import annotations

from typing import Literal

from agents.domain.content.messages import MessageError, StopReason
from agents.domain.content.parts import Part, ToolPart
from maia_web.lib.translated import translations
from maia_web.lib.values import Value


class PartStarted(Value):
    """A part begins at `index`, which is always the number of parts so far."""

    type: Literal["part-started"] = "part-started"
    index: int
    part: Part


class PartDelta(Value):
    """Text is appended to the streamed part `index`."""

    type: Literal["part-delta"] = "part-delta"
    index: int
    text: str


class PartReplaced(Value):
    """The tool or plan part `index` has a newer revision; also a thought that learns its length."""

    type: Literal["part-replaced"] = "part-replaced"
    index: int
    part: Part


class UsageReported(Value):
    """Tokens the server counted for one model call."""

    type: Literal["usage"] = "usage"
    input_tokens: int
    output_tokens: int


class ContextMeasured(Value):
    """Tokens in the agent's context now (counted here, never the server's figure; M §13.1)."""

    type: Literal["context"] = "context"
    used: int


class Notice(Value):
    """Something people should know: a retry, an answer cut by the output limit.

    `kept`: it stays in the conversation, once; `words` are the sentence in each language.
    """

    type: Literal["notice"] = "notice"
    code: str
    message: str
    words: dict[str, str] | None = None
    kept: bool = False


def kept_notice(code: str, message: str) -> Notice:
    """Returns a notice that stays, in every language that the sentence knows."""
    return Notice(code=code, message=str(message), words=translations(message), kept=True)


class TurnEnded(Value):
    """The last event of a turn; one of both is set, unless it was cut short.

    An answer without a word has both: it ended, and looks like a fault.
    """

    type: Literal["turn-ended"] = "turn-ended"
    stop_reason: StopReason | None = None
    error: MessageError | None = None


TurnEvent = (
    PartStarted | PartDelta | PartReplaced | UsageReported | ContextMeasured | Notice | TurnEnded
)

__all__ = [
    "ContextMeasured",
    "Notice",
    "PartDelta",
    "PartReplaced",
    "PartStarted",
    "ToolPart",
    "TurnEnded",
    "TurnEvent",
    "UsageReported",
    "kept_notice",
]
