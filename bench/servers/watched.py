"""Runs a program of MAIA under watch: `python -m bench.servers.watched python manage.py serve`.

Its threads get their names in the system too, so that the CPU of one of them can be read from
outside. With MAIA_BENCH_STATEMENTS each statement of its Django becomes a line of that file, and so
does each moment when a model is asked.
"""

from __future__ import annotations

import ctypes
import os
import runpy
import sys
import threading
from collections.abc import Callable
from typing import Any

STATEMENTS = "MAIA_BENCH_STATEMENTS"
WATCHED = (sys.executable, "-m", "bench.servers.watched")
ASKED = b"-- a model is asked"
_SET_NAME = 15
_SHOWN = 200


def name_threads() -> None:
    """Lets every thread that starts from now on tell the system its name (15 characters)."""
    libc, run = ctypes.CDLL(None), threading.Thread.run

    def named(self: threading.Thread) -> None:
        libc.prctl(_SET_NAME, self.name.encode()[:15], 0, 0, 0)
        run(self)

    threading.Thread.run = named  # type: ignore[method-assign]  # all threads, whoever makes them


def write_statements(path: str) -> None:
    """Appends each statement of every connection to the file, `BEGIN` included, and ASKED."""
    import httpx
    from django.db.backends.signals import connection_created

    send = httpx.AsyncClient.send
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def told(execute: Callable[..., Any], sql: str, *more: Any) -> Any:
        os.write(file, " ".join(sql.split()).encode()[:_SHOWN] + b"\n")
        return execute(sql, *more)

    def watch(connection: Any, **_sent: object) -> None:
        if told not in connection.execute_wrappers:
            connection.execute_wrappers.append(told)

    async def asked(self: httpx.AsyncClient, request: httpx.Request, **more: Any) -> httpx.Response:
        if request.method == "POST":  # lists of models are read
            os.write(file, ASKED + b"\n")
        return await send(self, request, **more)

    connection_created.connect(watch, weak=False)
    httpx.AsyncClient.send = asked  # type: ignore[method-assign]  # whichever client asks


def main() -> None:
    """Runs what the command line says, in this process: `python FILE …` or `python -m MODULE …`."""
    name_threads()
    if path := os.environ.get(STATEMENTS):
        write_statements(path)
    _python, *words = sys.argv[1:]
    if words[0] == "-m":
        sys.argv = words[1:]
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = words
        runpy.run_path(words[0], run_name="__main__")


if __name__ == "__main__":
    main()
