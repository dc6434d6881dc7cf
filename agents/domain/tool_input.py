"""ToolInput: reads the parameters of a tool call and says clearly what is wrong (seed M §8)."""

from __future__ import annotations

import json
from typing import Any

from agents.domain.wording import Sentences, say

_TEXTS: Sentences = {
    "bad": (
        'Parameter "{name}" is missing or invalid ({expected}). Received parameters: {received}.',
        'Paramètre "{name}" manquant ou invalide ({expected}). Paramètres reçus : {received}.',
    ),
    "none": ("none", "aucun"),
    "string": ("a string is expected", "chaîne attendue"),
    "filled": ("a string that is not empty is expected", "chaîne non vide attendue"),
    "integer": ("an integer of at least {least} is expected", "entier attendu, au moins {least}"),
    "number": ("a number is expected", "nombre attendu"),
    "boolean": ("true or false is expected", "true ou false attendu"),
    "choice": ("one of {choices} is expected", "une de ces valeurs attendue : {choices}"),
    "url": (
        "an address that begins with http:// or https:// is expected",
        "adresse commençant par http:// ou https:// attendue",
    ),
    "objects": ("an array of objects is expected", "tableau d'objets attendu"),
}


class BadInput(ValueError):
    """A parameter is missing or invalid; the text names it and lists what was received."""


class ToolInput:
    """The parameters of one call, read leniently: models send "10" for 10 and JSON in strings."""

    def __init__(self, received: dict[str, Any], language: str = "en") -> None:
        self.received = received
        self.language = language

    def text(self, *names: str, filled: bool = False) -> str:
        """Returns the first of `names` that is given as a string; `filled`: not a blank one."""
        value = self._first(names)
        if not isinstance(value, str) or (filled and (not value.strip() or "\0" in value)):
            raise self.bad(names[0], "filled" if filled else "string")
        return value

    def joined_text(self, *names: str) -> str:
        """Like `text`, and an array of strings is joined by newlines."""
        value = self._first(names)
        if isinstance(value, list) and all(isinstance(line, str) for line in value):
            return "\n".join(value)
        if not isinstance(value, str):
            raise self.bad(names[0], "string")
        return value

    def optional_text(self, name: str, default: str = "") -> str:
        """Returns the string `name`, or `default` if it is not given or null."""
        return default if self.received.get(name) is None else self.text(name)

    def whole(self, name: str, default: int, least: int = 0) -> int:
        """Returns the integer `name`, at least `least`."""
        value = self.received.get(name)
        if value is None:
            return default
        number = _whole(value)
        if number is None or number < least:
            raise self.bad(name, "integer", least=least)
        return number

    def flag(self, name: str, default: bool = False) -> bool:
        """Returns the boolean `name`."""
        value = self.received.get(name)
        if value is None:
            return default
        known = {True: True, False: False, "true": True, "false": False}
        if not isinstance(value, bool | str) or value not in known:
            raise self.bad(name, "boolean")
        return known[value]

    def choice(self, name: str, choices: tuple[str, ...]) -> str:
        """Returns the string `name`, one of `choices`; the first if it is not given."""
        value = self.received.get(name)
        if value is None:
            return choices[0]
        if value not in choices:
            raise self.bad(name, "choice", choices=", ".join(choices))
        return str(value)

    def objects(self, name: str) -> tuple[ToolInput, ...]:
        """Returns the array of objects `name`; empty if it is not given."""
        value = self.received.get(name)
        if isinstance(value, str):
            value = _parsed(value)
        if value is None and self.received.get(name) is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self.bad(name, "objects")
        return tuple(ToolInput(item, self.language) for item in value)

    def has(self, name: str) -> bool:
        """Tells whether `name` is given."""
        return self.received.get(name) is not None

    def bad(self, name: str, expected: str, **values: object) -> BadInput:
        """Returns the error that names the parameter and what was received instead."""
        received = ", ".join(f"{key} ({_kind(value)})" for key, value in self.received.items())
        return BadInput(
            say(
                _TEXTS,
                "bad",
                self.language,
                name=name,
                expected=say(_TEXTS, expected, self.language, **values),
                received=received or say(_TEXTS, "none", self.language),
            )
        )

    def _first(self, names: tuple[str, ...]) -> Any:
        given = (self.received[name] for name in names if self.received.get(name) is not None)
        return next(given, None)


def _whole(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and len(value) < 20:
        text = value.strip().removeprefix("-")
        return int(value) if text.isascii() and text.isdigit() else None
    return None


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _kind(value: object) -> str:
    """Returns the JSON name of a value's type."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"
