"""Errors that a person or a program may be told about; their codes are the public contract."""

from __future__ import annotations

from typing import Any


class MaiaError(Exception):
    """A failure with a stable `code`, an HTTP `status` and plain data for the message.

    `message` is already in the language of the person it is for (gettext at the place it is
    raised); `data` names what was wrong, so that a client can build its own sentence.
    """

    status = 400
    code = "error"

    def __init__(self, message: str = "", *, code: str | None = None, **data: Any) -> None:
        super().__init__(message or code or self.code)
        self.message = message
        self.code = code or self.code
        self.data = data

    def as_dict(self) -> dict[str, Any]:
        """Returns the error as it goes over the wire: `{code, message, …data}`."""
        return {"code": self.code, "message": self.message, **self.data}


class InvalidInput(MaiaError):
    """A value is missing or out of range; `data["field"]` names it."""

    status = 422
    code = "invalid"


class NotSignedIn(MaiaError):
    """Nobody is signed in, or the session ended."""

    status = 401
    code = "signed-out"


class NotFound(MaiaError):
    """Not there, or not for you: one answer for both, so that nothing leaks."""

    status = 404
    code = "not-found"


class NotAllowed(MaiaError):
    """The person sees the thing but has no right to do this to it."""

    status = 403
    code = "not-allowed"


class Conflict(MaiaError):
    """Somebody was first, or the state does not admit it."""

    status = 409
    code = "conflict"


class TooMuch(MaiaError):
    """A limit was reached; `data["retryAfter"]` in seconds where waiting helps."""

    status = 429
    code = "too-much"
