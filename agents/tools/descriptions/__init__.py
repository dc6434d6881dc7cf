"""Descriptions: what the model reads of each tool, one Markdown file per tool and language."""

from __future__ import annotations

import re
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

from agents.engine.ports.model import ToolSpec

FOLDER = Path(__file__).parent
_PARAMETER = re.compile(r"^- `([^`]+)`: (.+)$", re.MULTILINE)


def build_spec(name: str, language: str, schema: dict[str, Any], file: str = "") -> ToolSpec:
    """Returns the tool's spec; the file's last list describes the properties of the schema.

    `file`: where the description is, when it is not named like the tool.
    """
    text = _text(file or name, "fr" if language.startswith("fr") else "en")
    filled = deepcopy(schema)
    for parameter, sentence in _PARAMETER.findall(text):
        filled["properties"][parameter]["description"] = sentence
    return ToolSpec(name, _PARAMETER.sub("", text).strip(), filled)


@cache
def _text(name: str, language: str) -> str:
    return (FOLDER / f"{name}.{language}.md").read_text(encoding="utf-8")
