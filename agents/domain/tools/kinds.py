"""Input kinds: what a parameter of a tool may be, and the one form its values are brought to."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from agents.domain.content.storable import storable_json
from agents.domain.tools.input import BadInput, BadPath, Declared
from workspaces.domain.entries import FileError
from workspaces.domain.paths import parse_path

MAX_BITS = 4_096
DEEPEST = 3
"""How often a value may be encoded as a string."""
_SIGN = re.compile(r"[\s§]+")
_WHOLE = re.compile(r"\s*(-?\d+)(?:\.0*)?\s*\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Text:
    """A string; `filled`: not a blank one."""

    filled: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        """A string."""
        return {"type": "string"}

    def read(self, value: Any) -> str:
        """Returns it as it is."""
        if not isinstance(value, str):
            raise BadInput("filled" if self.filled else "string")
        if self.filled and (not value.strip() or "\0" in value):
            raise BadInput("filled")
        return value


@dataclass(frozen=True, slots=True)
class Lines(Text):
    """A text that may come as an array of lines."""

    def read(self, value: Any) -> str:
        """Joins an array of strings by newlines."""
        if isinstance(value, list) and all(isinstance(line, str) for line in value):
            return "\n".join(value)
        return Text.read(self, value)


@dataclass(frozen=True, slots=True)
class Line(Text):
    """A text of one line that is not empty, but may be blank."""

    def read(self, value: Any) -> str:
        """Returns it as it is."""
        if not isinstance(value, str) or not value or "\0" in value or "\n" in value:
            raise BadInput("filled")
        return value


@dataclass(frozen=True, slots=True)
class Path(Text):
    """A path; `or_here`: "" is the workspace itself."""

    or_here: bool = False

    def read(self, value: Any) -> str:
        """Returns the path as people read it: relative to the workspace, or beginning with `~/`."""
        if self.or_here and value == "":
            value = "."
        path = Text(filled=True).read(value)
        try:
            return parse_path(path).display
        except FileError as error:
            raise BadPath(error, path) from None


@dataclass(frozen=True, slots=True)
class Url(Text):
    """An address of the web."""

    def read(self, value: Any) -> str:
        """Returns it without the blanks around it."""
        url = Text(filled=True).read(value).strip()
        try:
            parts = urlsplit(url)
            host = parts.hostname
        except ValueError:
            raise BadInput("url") from None
        if parts.scheme not in {"http", "https"} or not host:
            raise BadInput("url")
        return url


@dataclass(frozen=True, slots=True)
class SkillName(Text):
    """The name of a skill, also as people type it (`§name`); `last`: of a path its last part."""

    last: bool = False

    def read(self, value: Any) -> str:
        """Returns the name alone."""
        name = Text(filled=True).read(value)
        name = skill_name(PurePosixPath(name).name if self.last else name)
        if not name:
            raise BadInput("filled")
        return name


def skill_name(text: str) -> str:
    """Returns the name without the sign and the blanks around it, its letters composed (NFC).

    A folder that was made on another system may spell é as two characters; keyboards make one.
    """
    sign = _SIGN.match(text)
    return unicodedata.normalize("NFC", text[sign.end() if sign else 0 :].rstrip())


@dataclass(frozen=True, slots=True)
class Whole:
    """An integer of at least `least`; more than `most` counts as `most`.

    The model is told of `told` as the least, and of `most` where `told_most` says so.
    """

    least: int = 0
    most: int | None = None
    told: int | None = None
    told_most: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        """An integer and its limits."""
        least = self.least if self.told is None else self.told
        most = {"maximum": self.most} if self.told_most else {}
        return {"type": "integer", "minimum": least, **most}

    def read(self, value: Any) -> int:
        """Reads "10" and 10.0 as 10."""
        number = _whole(value)
        if number is None or number < self.least:
            raise BadInput("integer", least=self.least)
        return number if self.most is None else min(number, self.most)


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""

    @property
    def schema(self) -> dict[str, Any]:
        """A boolean."""
        return {"type": "boolean"}

    def read(self, value: Any) -> bool:
        """Reads "true" and "False" too, and 1 and 0."""
        known = {"true": True, "false": False, "1": True, "0": False}
        word = str(value).strip().lower() if isinstance(value, bool | int | str) else ""
        if word not in known:
            raise BadInput("boolean")
        return known[word]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few words."""

    choices: tuple[str, ...]

    @property
    def schema(self) -> dict[str, Any]:
        """A string, and which."""
        return {"type": "string", "enum": list(self.choices)}

    def read(self, value: Any) -> str:
        """Returns the word, however its letters were written."""
        word = value.strip().lower() if isinstance(value, str) else ""
        if word not in self.choices:
            raise BadInput("choice", choices=", ".join(self.choices))
        return word


@dataclass(frozen=True, slots=True)
class Objects:
    """An array of objects; models send it as JSON in a string, its items too, or one object."""

    each: Declared

    @property
    def schema(self) -> dict[str, Any]:
        """An array."""
        return {"type": "array", "items": self.each.schema}

    def read(self, value: Any) -> list[dict[str, Any]]:
        """Reads each object as it is declared."""
        value = _parsed(value)
        items = [_parsed(item) for item in value] if isinstance(value, list | tuple) else [value]
        if not all(isinstance(item, dict) for item in items):
            raise BadInput("objects")
        return [self.each.read(item) for item in items]


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a TOOL.json."""

    description: str = ""

    @property
    def schema(self) -> dict[str, Any]:
        """A number."""
        return described("number", self.description)

    def read(self, value: Any) -> int | float:
        """Reads the text of a JSON number too; 5.0 and "5.0" are 5."""
        if isinstance(value, str):
            value = _parsed(value)
        if isinstance(value, float) and math.isfinite(value):
            return int(value) if value.is_integer() and abs(value) < 1e15 else value
        if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() < MAX_BITS:
            return value
        raise BadInput("number")


@dataclass(frozen=True, slots=True)
class Argument:
    """A text of a TOOL.json."""

    description: str = ""

    @property
    def schema(self) -> dict[str, Any]:
        """A string."""
        return described("string", self.description)

    def read(self, value: Any) -> str:
        """Reads a number as its text."""
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = str(value) if isinstance(value, float) else str(Number().read(value))
        if not isinstance(value, str) or "\0" in value:
            raise BadInput("string")
        return value


def described(kind: str, description: str) -> dict[str, Any]:
    """Returns a JSON Schema of this type, with its description if it has one."""
    return {"type": kind} | ({"description": description} if description else {})


def pair(values: Mapping[str, Any], old: str, new: str) -> dict[str, Any]:
    """Returns the two texts of one replacement. Raises `BadInput` where one of them lacks."""
    for name in (old, new):
        if name not in values:
            raise BadInput("string", name)
    return {old: values[old], new: values[new]}


def _whole(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and len(value) < 20:
        return int(number[1]) if (number := _WHOLE.match(value)) else None
    return None


def _parsed(value: Any) -> Any:
    """Returns the JSON in a string, also in one that is encoded again; what is none as it is."""
    for _ in range(DEEPEST):
        if not isinstance(value, str):
            break
        try:
            value = storable_json(json.loads(value, strict=False))
        except (ValueError, RecursionError):
            break
    return value
