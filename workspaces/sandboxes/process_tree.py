"""Signals everything a process started, wherever it moved itself: setsid and nohup included."""

from __future__ import annotations

import os
import signal
from pathlib import Path


def _stat(pid: int) -> tuple[int, int] | None:
    """Returns (parent, start time) of a process, None if it is gone."""
    try:
        text = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    fields = text[text.rindex(b")") + 2 :].split()
    return int(fields[1]), int(fields[19])


def descendants(root: int) -> list[tuple[int, int]]:
    """Returns (pid, start time) of everything below `root`, nearest first."""
    children: dict[int, list[tuple[int, int]]] = {}
    for name in (entry.name for entry in os.scandir("/proc")):
        state = _stat(int(name)) if name.isdigit() else None
        if state is not None:
            children.setdefault(state[0], []).append((int(name), state[1]))
    found: list[tuple[int, int]] = []
    level = [root]
    while level:
        below = [child for pid in level for child in children.pop(pid, [])]
        found += below
        level = [pid for pid, _start in below]
    return found


def signal_descendants(root: int, number: signal.Signals) -> None:
    """Sends a signal to everything below `root`; a pid used again meanwhile is left alone."""
    for pid, start in descendants(root):
        try:
            descriptor = os.pidfd_open(pid)
        except OSError:
            continue
        try:
            state = _stat(pid)
            if state is not None and state[1] == start:
                signal.pidfd_send_signal(descriptor, number)
        except (ProcessLookupError, PermissionError):
            pass
        finally:
            os.close(descriptor)
