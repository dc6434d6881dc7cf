"""The wire shapes: one file per frame and command, read by Python's and the browser's tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest
from pydantic import ValidationError

from agents.protocol.commands import COMMAND, Command
from agents.protocol.frames import FRAME, Frame, encode

GOLDEN = Path(__file__).parents[2] / "golden"
FRAMES = sorted((GOLDEN / "frames").glob("*.json"))
COMMANDS = sorted((GOLDEN / "commands").glob("*.json"))


def read(path: Path) -> dict[str, object]:
    value: dict[str, object] = json.loads(path.read_text(encoding="utf-8"))
    return value


@pytest.mark.parametrize("path", FRAMES, ids=lambda path: path.stem)
def test_a_frame_is_encoded_exactly_as_its_file_says(path: Path) -> None:
    expected = read(path)

    assert json.loads(encode(FRAME.validate_python(expected))) == expected


@pytest.mark.parametrize("path", COMMANDS, ids=lambda path: path.stem)
def test_a_command_is_understood_and_nothing_of_it_is_lost(path: Path) -> None:
    expected = read(path)

    assert COMMAND.validate_python(expected).model_dump(mode="json", by_alias=True) == expected


@pytest.mark.parametrize("path", COMMANDS, ids=lambda path: path.stem)
def test_a_command_with_an_unknown_field_is_refused(path: Path) -> None:
    with pytest.raises(ValidationError):
        COMMAND.validate_python({**read(path), "administrator": True})


def test_every_type_has_its_file_and_every_file_its_type() -> None:
    def types(union: object) -> set[str]:
        return {model.model_fields["type"].default for model in get_args(union)}

    assert {read(path)["type"] for path in FRAMES} == types(Frame)
    assert {read(path)["type"] for path in COMMANDS} == types(Command)
