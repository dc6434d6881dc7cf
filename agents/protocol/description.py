"""Description: the socket's language as tables, read off its types; for the docs and browsers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_args

from pydantic import BaseModel, TypeAdapter

from agents.protocol.commands import COMMAND, Command
from agents.protocol.frames import FRAME, Frame


@dataclass(frozen=True, slots=True)
class FieldText:
    """One field: its wire name, its type in TypeScript's notation, whether it must be there."""

    name: str
    type: str
    required: bool


@dataclass(frozen=True, slots=True)
class TypeText:
    """One frame, command or value."""

    name: str
    wire: str
    text: str
    fields: tuple[FieldText, ...]


def describe_frames() -> tuple[TypeText, ...]:
    """Returns every frame in the order of the union."""
    return _describe(get_args(Frame), FRAME, "serialization")


def describe_commands() -> tuple[TypeText, ...]:
    """Returns every command in the order of the union."""
    return _describe(get_args(Command), COMMAND, "validation")


def describe_values() -> tuple[TypeText, ...]:
    """Returns the values that frames are made of, by name."""
    schema = FRAME.json_schema(by_alias=True, mode="serialization")["$defs"]
    frames = {model.__name__ for model in get_args(Frame)}
    return tuple(
        _type_text(name, definition)
        for name, definition in sorted(schema.items())
        if name not in frames
    )


def _describe(
    models: tuple[type[BaseModel], ...], adapter: TypeAdapter[Any], mode: Any
) -> tuple[TypeText, ...]:
    schema = adapter.json_schema(by_alias=True, mode=mode)["$defs"]
    return tuple(_type_text(model.__name__, schema[model.__name__]) for model in models)


def _type_text(name: str, definition: dict[str, Any]) -> TypeText:
    properties = definition.get("properties", {})
    required = set(definition.get("required", ()))
    wire = str(properties.get("type", {}).get("const", ""))
    if not properties and "enum" in definition:
        wire = _union(definition["enum"])
    fields = tuple(
        _field_text(field, _type_of(schema), field == "type" or field in required)
        for field, schema in properties.items()
    )
    ordered = tuple(sorted(fields, key=lambda field: field.name != "type"))
    return TypeText(name, wire, str(definition.get("description", "")), ordered)


def _field_text(name: str, type_text: str, required: bool) -> FieldText:
    """A field that may be null is left out on the wire when it is."""
    kinds = [kind for kind in type_text.split(" | ") if kind != "null"]
    return FieldText(name, " | ".join(kinds), required and "null" not in type_text)


def _type_of(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[-1]
    if "const" in schema or "enum" in schema:
        return _union(schema.get("enum") or [schema["const"]])
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        return " | ".join(dict.fromkeys(_type_of(one) for one in choices))
    return _plain_type(schema)


def _plain_type(schema: dict[str, Any]) -> str:
    kind = str(schema.get("type", "any"))
    if kind == "array":
        inner = _type_of(schema.get("items", {}))
        return f"({inner})[]" if "|" in inner else f"{inner}[]"
    if kind == "object":
        values = schema.get("additionalProperties")
        return f"Record<string, {_type_of(values) if isinstance(values, dict) else 'any'}>"
    return {"integer": "number"}.get(kind, kind)


def _union(values: list[Any]) -> str:
    return " | ".join(f'"{value}"' for value in values)
