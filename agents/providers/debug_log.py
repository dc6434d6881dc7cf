"""Debug log: keeps the raw answers of model servers when `MAIA_DEBUG_LLM` asks for it (M §7.2)."""

from __future__ import annotations

import io
import logging
import os
import tempfile
from pathlib import Path
from typing import Self

log = logging.getLogger(__name__)
DEFAULT_NAME = "maia-llm-debug.log"
_YES, _NO = {"1", "true", "yes", "on"}, {"", "0", "false", "no", "off"}


class DebugLog:
    """Appends what was received to a file of the owner's; does nothing when it has no path."""

    def __init__(self, path: Path | None) -> None:
        self._file: io.FileIO | None = None
        if path is not None:
            self._file = _open(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def note(self, text: str) -> None:
        """Writes a line of our own, marked as a comment."""
        self.write(f"\n: {' '.join(text.split())}\n".encode())

    def write(self, data: bytes) -> None:
        """Writes what the server sent, as it came."""
        if self._file is not None:
            self._file.write(data)


def _open(path: Path) -> io.FileIO | None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
    try:
        return io.FileIO(os.open(path, flags, 0o600), "ab")
    except OSError as error:
        log.warning("MAIA_DEBUG_LLM: %s", error)  # a diagnosis must not stop the answer
        return None


def debug_path() -> Path | None:
    """Returns the file `MAIA_DEBUG_LLM` names: 1 means one in the temporary folder."""
    value = os.environ.get("MAIA_DEBUG_LLM", "").strip()
    if value.lower() in _NO:
        return None
    if value.lower() in _YES:
        return Path(tempfile.gettempdir()) / DEFAULT_NAME
    return Path(value).expanduser()
