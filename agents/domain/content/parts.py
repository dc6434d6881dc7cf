"""Parts: the typed pieces of a message that people see (seed S, "Messages")."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from maia_web.lib.values import Value

ToolKind = Literal["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "other"]
ToolStatus = Literal["pending", "in_progress", "completed", "failed"]


class Diff(Value):
    """A change of one file, whole texts before and after."""

    path: str
    old_text: str = ""
    new_text: str = ""
    new_file: bool = False


class Location(Value):
    """A place in a workspace that a tool call touches; `line` counts from 1."""

    path: str
    line: int | None = None


class TextPart(Value):
    """Markdown for people. `interrupted`: the server died while it streamed."""

    type: Literal["text"] = "text"
    text: str = ""
    interrupted: bool = False


class ThoughtPart(Value):
    """Reasoning of the model, shown apart; `seconds` is how long it thought, once it is over."""

    type: Literal["thought"] = "thought"
    text: str = ""
    seconds: float | None = None
    interrupted: bool = False


class Cut(Value):
    """Of a shortened card: characters and lines of its output, lines that its diffs change."""

    output: int = 0
    lines: int = 0
    added: int = 0
    removed: int = 0


class ToolPart(Value):
    """One tool call. `rev` grows by one at each change, so that an old frame is never applied.

    `original` is the JSON of the input the model asked for, where a person edited it. `truncated`:
    the model reached its output limit in this call, which may lack its end. `exit_code`: of a
    command, below 0 the signal that ended it. `step`: which of the turn's steps asked for it,
    counted from 1, where that is known; calls of one step run side by side. `cut`: input, output or
    diffs are shortened, as they are in frames; the whole card is read by REST.
    """

    type: Literal["tool"] = "tool"
    rev: int = 0
    id: str
    name: str
    title: str = ""
    kind: ToolKind = "other"
    status: ToolStatus = "pending"
    input: str = "{}"
    original: str | None = None
    truncated: bool = False
    output: str = ""
    locations: tuple[Location, ...] = ()
    diffs: tuple[Diff, ...] = ()
    started_at: str | None = None
    ended_at: str | None = None
    exit_code: int | None = None
    step: int | None = None
    cut: Cut | None = None


class PlanEntry(Value):
    """One step of a plan or a todo list; `active` is the form shown while it is in progress."""

    content: str
    status: Literal["pending", "in_progress", "completed"] = "pending"
    active: str = ""


class PlanPart(Value):
    """The steps of a plan; TodoWrite and ACP agents write it."""

    type: Literal["plan"] = "plan"
    rev: int = 0
    entries: tuple[PlanEntry, ...] = ()


Part = Annotated[TextPart | ThoughtPart | ToolPart | PlanPart, Field(discriminator="type")]
StreamedPart = TextPart | ThoughtPart
ReplacedPart = ToolPart | PlanPart


def utf16_length(text: str) -> int:
    """Returns the length of `text` in UTF-16 code units, the unit of every `offset` on the wire.

    Browsers count strings so; a server that counted code points would see gaps at each emoji.
    """
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
