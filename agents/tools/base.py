"""BuiltinTool: what all built-in tools share; bad parameters and file errors become failures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Literal

from agents.domain.parts import ToolKind
from agents.domain.tool_input import BadInput, ToolInput
from agents.engine.ports import ToolContext, ToolFailure, ToolOutput
from agents.tools.descriptions import build_spec
from agents.tools.texts import file_text
from workspaces.domain.entries import FileError

MAX_FILE = 10_000_000
MAX_TITLE = 200


class BuiltinTool(ABC):
    """A tool whose spec is read from its description in the site's language."""

    name: ClassVar[str]
    schema: ClassVar[dict[str, Any]]
    kind: ToolKind
    default_permission: Literal["auto", "ask"]
    missing: ClassVar[str] = "file-not-found"
    description: ClassVar[str] = ""

    def __init__(self, language: str = "en") -> None:
        self.spec = build_spec(self.name, language, self.schema, self.description)

    @abstractmethod
    def title(self, input: dict[str, Any]) -> str:
        """A short line for the card."""

    def lock_key(self, input: dict[str, Any], context: ToolContext) -> str | None:
        """No key: calls run side by side."""
        return None

    async def preview(self, input: dict[str, Any], context: ToolContext) -> ToolOutput:
        """Nothing to show but the parameters."""
        return ToolOutput("")

    async def execute(self, input: dict[str, Any], context: ToolContext) -> ToolOutput:
        """Runs the tool; raises `ToolFailure` and nothing else."""
        with told(context.language, given_path(input), self.missing):
            return await self.run(ToolInput(input, context.language), context)

    @abstractmethod
    async def run(self, input: ToolInput, context: ToolContext) -> ToolOutput:
        """Does it; may raise `BadInput` and `FileError` too."""


@contextmanager
def told(language: str, path: str, missing: str = "file-not-found") -> Iterator[None]:
    """Turns what may go wrong into a `ToolFailure` in words; `missing` says it is not there."""
    try:
        yield
    except BadInput as error:
        raise ToolFailure(str(error)) from error
    except FileError as error:
        text = file_text(error, path, language, missing)
        raise ToolFailure(text) from error


def file_key(input: dict[str, Any], context: ToolContext) -> str | None:
    """Returns the key that makes calls on one file wait for each other (seed M §8)."""
    with told(context.language, ""):
        return f"file:{context.files.display(path_of(ToolInput(input)))}"


def path_of(input: ToolInput) -> str:
    """Returns the path of a call; models also call it `file_path`."""
    return input.text("path", "file_path", filled=True)


def given_path(input: dict[str, Any]) -> str:
    """Returns the path of a call as it was written, for people; "." if there is none."""
    return short(input.get("path") or input.get("file_path") or ".")


def short(value: object) -> str:
    """Returns a value as one short line."""
    line = "" if value is None else " ".join(str(value).split())
    return line if len(line) <= MAX_TITLE else f"{line[: MAX_TITLE - 1]}…"
