"""BuiltinTool: what all built-in tools share; bad parameters and file errors become failures.

Only `read_input` and `title` meet what the model sent; the rest gets what `read_input` made of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, ClassVar, Literal

from agents.domain.content.parts import ToolKind
from agents.domain.tools.input import BadInput, BadPath
from agents.domain.tools.parameters import DECLARED
from agents.engine.ports.model import ToolSpec
from agents.engine.ports.tools import ToolContext, ToolFailure, ToolOutput
from agents.tools.descriptions import build_spec
from agents.tools.texts import file_text
from workspaces.domain.entries import FileError

# More than the 1 MB that the editor opens: what a tool hands out of it is bounded by itself.
MAX_FILE = 10_000_000
MAX_TITLE = 200


class BuiltinTool(ABC):
    """A tool whose spec is read from its description in the site's language."""

    name: ClassVar[str]
    kind: ToolKind
    default_permission: Literal["auto", "ask"]
    missing: ClassVar[str] = "file-not-found"
    description: ClassVar[str] = ""

    def __init__(self, language: str = "en") -> None:
        self.spec = _spec(self.name, language, self.description)

    def read_input(self, input: dict[str, Any], language: str = "en") -> dict[str, Any]:
        """The input as it is declared; raises `ToolFailure` that names the parameter."""
        with told(language, "", self.missing):
            return DECLARED[self.name].read(input)

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
            return await self.run(input, context)

    @abstractmethod
    async def run(self, input: dict[str, Any], context: ToolContext) -> ToolOutput:
        """Does it; may raise `FileError` too."""


@cache
def _spec(name: str, language: str, description: str) -> ToolSpec:
    """Made once for all turns: nobody changes a spec."""
    return build_spec(name, language, DECLARED[name].schema, description)


@contextmanager
def told(language: str, path: str, missing: str = "file-not-found") -> Iterator[None]:
    """Turns what may go wrong into a `ToolFailure` in words; `missing` says it is not there."""
    try:
        yield
    except BadPath as error:
        raise ToolFailure(file_text(error.error, error.path, language, missing)) from error
    except BadInput as error:
        raise ToolFailure(error.sentence(language)) from error
    except FileError as error:
        text = file_text(error, path, language, missing)
        raise ToolFailure(text) from error


def file_key(input: dict[str, Any], context: ToolContext) -> str | None:
    """Returns the key that makes calls on one file wait for each other (seed M §8)."""
    return f"file:{input['path']}"


def given_path(input: dict[str, Any]) -> str:
    """Returns the path of a call, for people; "." if there is none."""
    return short(input.get("path") or ".")


def searched(input: dict[str, Any]) -> str:
    """Returns what a search looks for and, unless it is the whole workspace, where."""
    pattern, path = short(input.get("pattern")), input.get("path", ".")
    return pattern if path == "." else short(f"{pattern} · {path}")


def short(value: object) -> str:
    """Returns a value as one short line."""
    line = "" if value is None else " ".join(str(value).split())
    return line if len(line) <= MAX_TITLE else f"{line[: MAX_TITLE - 1]}…"
