"""One writer at a time in a folder, among all processes of the server."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from workspaces.domain.entries import FileError

_PATIENCE = 10.0
_PAUSE = 0.01


@contextmanager
def write_lock(folder: Path) -> Iterator[None]:
    """Holds the lock of one of our folders, by a file beside it that no sandbox reaches."""
    descriptor = os.open(folder.parent / f".{folder.name}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _wait_for(descriptor)
        yield
    finally:
        os.close(descriptor)


def _wait_for(descriptor: int) -> None:
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                raise FileError("denied", "The folder is busy; try again.") from None
            time.sleep(_PAUSE)
        else:
            return
