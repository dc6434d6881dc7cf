"""The JSON frames of a terminal's socket; binary frames are the bytes of the terminal."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from maia_web.lib.values import Value

MAX_COLUMNS, MAX_ROWS = 1_000, 500


class Resize(Value):
    """The client's screen has this many characters."""

    type: Literal["resize"] = "resize"
    cols: int = Field(ge=2, le=MAX_COLUMNS)
    rows: int = Field(ge=1, le=MAX_ROWS)


class Ack(Value):
    """The client has drawn so many more bytes; the server holds back above 1 MB."""

    type: Literal["ack"] = "ack"
    bytes: int = Field(ge=0)


class Focus(Value):
    """The client has the keyboard: it answers what programs ask of the terminal."""

    type: Literal["focus"] = "focus"


class Replay(Value):
    """The next `bytes` binary bytes are the screen as it is, not news."""

    type: Literal["replay"] = "replay"
    bytes: int


class Answers(Value):
    """Whether this client answers what programs ask in the bytes that follow; one of all does."""

    type: Literal["answers"] = "answers"
    yes: bool


class Exit(Value):
    """The shell has ended."""

    type: Literal["exit"] = "exit"
    code: int


class TerminalError(Value):
    """Something was refused; with a final one the socket closes."""

    type: Literal["error"] = "error"
    code: str
    message: str


ClientFrame = Annotated[Resize | Ack | Focus, Field(discriminator="type")]
ServerFrame = Replay | Answers | Exit | TerminalError

_client_frames: TypeAdapter[Resize | Ack | Focus] = TypeAdapter(ClientFrame)


def parse_frame(text: str) -> Resize | Ack | Focus | None:
    """Returns what the client said, None if it is not a frame."""
    try:
        return _client_frames.validate_json(text, strict=True)
    except ValidationError:
        return None
