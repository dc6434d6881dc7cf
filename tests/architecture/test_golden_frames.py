"""One recorded example of every frame and command, read by the tests of both sides."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest

from agents.protocol.commands import COMMAND, Command
from agents.protocol.frames import FRAME, Frame, encode

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "frames"


def _types(union: object) -> set[str]:
    return {member.model_fields["type"].default for member in get_args(union)}


def _files() -> list[Path]:
    return sorted(GOLDEN.glob("*.json"))


def test_the_folder_holds_each_type_once_and_no_other() -> None:
    expected = _types(Frame) | _types(Command)
    assert {json.loads(path.read_text("utf-8"))["type"] for path in _files()} == expected
    assert len(_files()) == len(expected)


@pytest.mark.parametrize("path", _files(), ids=lambda path: path.stem)
def test_an_example_is_exactly_what_goes_over_the_wire(path: Path) -> None:
    told = json.loads(path.read_text("utf-8"))
    if told["type"] in _types(Frame):
        assert json.loads(encode(FRAME.validate_python(told))) == told
    else:
        command = COMMAND.validate_python(told)
        assert told.items() <= command.model_dump(by_alias=True, mode="json").items()
