"""What it costs to store an answer while it streams, beside storing each delta by plain SQL."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.clocks import at_rest
from bench.report import Row
from bench.rows import row
from bench.servers.play import deltas_of, play
from bench.servers.watched_maia import Watched

SHORT, LONG = "rate-50x100", "rate-50x400"
DELTA = "123@123456.123456 "


async def store(watched: Watched, rounds: int) -> list[Row]:
    """CPU of the database's thread for a long stream, less that for a short one."""
    measured = row("k-store")
    # the first stream finds nothing loaded, not even the thread that is measured
    await play(watched.maia, SHORT, [watched.maia.people(1)])
    for _ in range(rounds):
        ours = await _stored(watched, LONG) - await _stored(watched, SHORT)
        measured.add(ours, await asyncio.to_thread(_plain, deltas_of(LONG) - deltas_of(SHORT)))
    return [measured]


async def _stored(watched: Watched, stream: str) -> float:
    """Returns ms of the database's thread, from asking to the end of the turn."""
    maia = watched.maia
    await at_rest(maia.pids)
    before = watched.database_ms()
    await play(maia, stream, [maia.people(1)])
    await at_rest(maia.pids)
    return watched.database_ms() - before


def _plain(count: int) -> float:
    """Returns ms of CPU to write a growing text so many times, each time for good."""
    with TemporaryDirectory(prefix="maia-bench-") as folder:
        connection = sqlite3.connect(Path(folder) / "plain.sqlite3", isolation_level=None)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("CREATE TABLE answer (id INTEGER PRIMARY KEY, text TEXT)")
        connection.execute("INSERT INTO answer VALUES (1, '')")
        began = time.thread_time()
        for number in range(1, count + 1):
            connection.execute("UPDATE answer SET text = ? WHERE id = 1", (DELTA * number,))
        took = (time.thread_time() - began) * 1000
        connection.close()
    return took
