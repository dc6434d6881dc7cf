"""How this process and all it starts meet signals, whatever they were started with."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Any

# Python ignores these two itself; subprocess gives them back to each child.
_PYTHONS = {signal.SIGPIPE, signal.SIGXFSZ}
_UNASKED: dict[int, Any] = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGTERM: signal.SIG_DFL,
    signal.SIGCHLD: signal.SIG_DFL,
}


def begin() -> None:
    """Makes SIGINT and SIGTERM end this process, and every child begin with all at their default.

    A process inherits what its parent ignores or holds back (`nohup`, `&` in a script, some
    supervisors). What is still to be ignored here, such as nohup's SIGHUP, is caught instead and
    forgotten: a child gets a caught signal back as its default, an ignored one it would ignore.
    To be called on the main thread, before there are others.
    """
    for number in signal.valid_signals():
        if signal.getsignal(number) is signal.SIG_IGN and number not in _PYTHONS:
            signal.signal(number, _UNASKED.get(number, _forget))
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _forget(_number: int, _frame: FrameType | None) -> None:
    pass
