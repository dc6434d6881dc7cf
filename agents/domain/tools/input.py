"""Tool input: declared parameters, read leniently, once, before anything is judged (seed M §8).

Models send "10" for 10, `file_path` for `path`, JSON in strings. `Declared.read` makes of what was
received the one value that is judged, shown, kept and run, or says in words what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from agents.domain.content.wording import Sentences, say
from workspaces.domain.entries import FileError

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
    """A parameter is missing or invalid. `expected` is a key of the sentences above."""

    def __init__(self, expected: str, name: str = "", **values: object) -> None:
        super().__init__(expected)
        self.expected = expected
        self.name = name
        self.values = values
        self.received: Mapping[str, Any] = {}

    def about(self, name: str, received: Mapping[str, Any]) -> BadInput:
        """Names the parameter and what was received, unless that is known from further inside."""
        if not self.name:
            self.name = name
        self.received = self.received or received
        return self

    def __str__(self) -> str:
        """The sentence in English."""
        return self.sentence()

    def sentence(self, language: str = "en") -> str:
        """Names the parameter, says what is expected and lists what was received."""
        received = ", ".join(f"{name} ({_kind(value)})" for name, value in self.received.items())
        return say(
            _TEXTS,
            "bad",
            language,
            name=self.name,
            expected=say(_TEXTS, self.expected, language, **self.values),
            received=received or say(_TEXTS, "none", language),
        )


class BadPath(BadInput):
    """A path that cannot be; `error` says why."""

    def __init__(self, error: FileError, path: str) -> None:
        super().__init__("filled")
        self.error = error
        self.path = path


class Kind(Protocol):
    """What a value must be. Reading what was read once gives the same again."""

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema, as the model is told: a new one, which the caller may fill in."""
        ...

    def read(self, value: Any) -> Any:
        """Returns the value in its one form; raises `BadInput`."""
        ...


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: its name, other names models give it, what it is.

    A default takes the place of what is not given; what has none and is not required is left out.
    `told`: the model is told of it.
    """

    name: str
    kind: Kind
    aliases: tuple[str, ...] = ()
    required: bool = False
    default: Any = None
    told: bool = True

    def given(self, received: Mapping[str, Any]) -> Any:
        """Returns what was received under the first of its names that holds something."""
        names = (self.name, *self.aliases)
        return next((received[one] for one in names if received.get(one) is not None), None)


Joint = Callable[[dict[str, Any]], dict[str, Any]]


def _as_it_is(values: dict[str, Any]) -> dict[str, Any]:
    return values


@dataclass(frozen=True, slots=True)
class Declared:
    """All parameters of a tool; `joint` brings values that belong together to one form."""

    parameters: tuple[Parameter, ...] = ()
    joint: Joint = _as_it_is

    @property
    def schema(self) -> dict[str, Any]:
        """What the model is told of the parameters, as JSON Schema."""
        told = [one for one in self.parameters if one.told]
        required = [one.name for one in told if one.required]
        properties = {one.name: one.kind.schema for one in told}
        return {"type": "object", "properties": properties} | (
            {"required": required} if self.parameters else {}
        )

    def read(self, received: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the value that is judged and run: each parameter by its name, none that is not
        declared. Raises `BadInput`.
        """
        try:
            values = {one.name: _value(one, received) for one in self.parameters}
            return self.joint({name: value for name, value in values.items() if value is not None})
        except BadInput as error:
            raise error.about("", received) from None

    def read_kindly(self, received: Mapping[str, Any]) -> dict[str, Any]:
        """The same, for a call that is only tried: what is missing stays so, what cannot be read
        stays as it was given.
        """
        try:
            return self.read(received)
        except BadInput:
            values = {one.name: _tried(one, received) for one in self.parameters}
            return {name: value for name, value in values.items() if value is not None}

    def named(self, received: Mapping[str, Any]) -> dict[str, Any]:
        """Returns what was received with each parameter under its own name."""
        values = {one.name: one.given(received) for one in self.parameters}
        taken = {name for one in self.parameters for name in (one.name, *one.aliases)}
        rest = {name: value for name, value in received.items() if name not in taken}
        return {**{n: value for n, value in values.items() if value is not None}, **rest}


def _value(one: Parameter, received: Mapping[str, Any]) -> Any:
    given = one.given(received)
    if given is None or (given == "" and not one.required and not _is_text(one.kind)):
        given = one.default
    if given is None and not one.required:
        return None
    try:
        return one.kind.read(given)
    except BadInput as error:
        raise error.about(one.name, received) from None


def _is_text(kind: Kind) -> bool:
    """Whether "" may be meant: for a number or one of a few words, it says that there is none."""
    schema = kind.schema
    return schema.get("type") == "string" and "enum" not in schema


def _tried(one: Parameter, received: Mapping[str, Any]) -> Any:
    try:
        return _value(one, received)
    except BadInput:
        return one.given(received)


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
