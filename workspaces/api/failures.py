"""What a failed file operation looks like to a browser: a status, a code, a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.utils.translation import gettext as _

from maia_web.lib.errors import Conflict, InvalidInput, MaiaError, NotFound
from maia_web.lib.free_space import NoRoom
from workspaces.domain.entries import FileError


class TooLarge(MaiaError):
    """The file or the upload is larger than this operation takes."""

    status = 413
    code = "too-large"


def _sentences() -> dict[str, str]:
    return {
        "outside": _("This path leads outside the workspace."),
        "not-found": _("There is no such file or folder."),
        "is-a-folder": _("This is a folder."),
        "not-a-file": _("This is not a file of the kind wanted here."),
        "binary": _("This is not a text file."),
        "encoding": _(
            "The file is not in UTF-8, and its encoding lacks a character of this text. Convert "
            "the file first, with iconv for instance."
        ),
        "too-large": _("This is too large."),
        "conflict": _("Somebody changed the file meanwhile."),
        "exists": _("Something of this name is there already."),
        "no-space": _(
            "There is too little space left on the disk of MAIA's data. Delete what is not needed "
            "any more, or ask an administrator for room."
        ),
        "denied": _("This is not possible here."),
        "kept": _("The folder .maia stays, for it holds the rules; what is in it can be deleted."),
        "invalid-path": _("This is not a path or name that can be used."),
    }


def as_failure(error: FileError) -> MaiaError:
    """Returns the answer for a failed file operation."""
    text = _sentences().get(error.code, error.message)
    match error.code:
        case "not-found":
            return NotFound(text)
        case "conflict":
            return Conflict(text, conflict=True)
        case "exists":
            return Conflict(text, code="exists")
        case "too-large":
            return TooLarge(text)
        case "no-space":
            return NoRoom(text)
        case _:
            return InvalidInput(text, code=error.code, field="path")


@contextmanager
def file_failures() -> Iterator[None]:
    """Raises the answer for a FileError inside."""
    try:
        yield
    except FileError as error:
        raise as_failure(error) from error
