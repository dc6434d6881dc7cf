"""Frozen values with camelCase names on the wire; the base of parts, frames and commands."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class Value(BaseModel):
    """An immutable value; unknown fields are refused, wire names are camelCase."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
        json_schema_serialization_defaults_required=True,
    )

    def wire(self) -> dict[str, Any]:
        """Returns the JSON-ready form, without the fields that are None."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)
