"""What waits while files are read: another question to the database, beside nobody reading."""

from __future__ import annotations

import asyncio
import statistics
import time
from threading import Event

from bench.django_here import django_here
from bench.report import Row

SKILLS = 50
EACH = 100
"""Questions of a round, on each side; what counts of them is their median."""


async def files(rounds: int) -> list[Row]:
    """Somebody asks for /help again and again, with 50 skills; another person's question waits."""
    with django_here():
        return await _measure(rounds)


async def _measure(rounds: int) -> list[Row]:
    from agents.library.found import library_of
    from workspaces.domain.places import Place
    from workspaces.sandboxes.folders import folders_of

    place = Place("BENCH", 990_002, 990_002)
    folder = folders_of(place).workspace / ".maia" / "skills"
    for number in range(SKILLS):
        path = folder / f"skill{number}" / "SKILL.md"
        path.parent.mkdir(parents=True)
        path.write_text(
            f"---\nname: skill{number}\ndescription: Number {number} of many\n"
            f"tags: [a, b, c]\nwhen:\n  - always\n  - never\n---\n" + "Do this, then that.\n" * 50
        )
    assert len(library_of(place).skills) == SKILLS

    row = Row("j  another query while 50 skills are read", "ms", 1.2, other="alone")
    await _asked()
    for _ in range(rounds):
        alone = await _asked()
        stop, reading = Event(), Event()

        def read(stop: Event = stop, reading: Event = reading) -> None:
            while not stop.is_set():
                library_of(place)
                reading.set()

        task = asyncio.create_task(asyncio.to_thread(read))
        await asyncio.to_thread(reading.wait)
        row.add(await _asked(), alone)
        stop.set()
        await task
    return [row]


async def _asked() -> float:
    """Returns how long a question takes, in ms, the median of EACH."""
    from maia_web.lib.db import in_db

    took = []
    for _ in range(EACH):
        began = time.perf_counter()
        await in_db(_question)()
        took.append((time.perf_counter() - began) * 1000)
    return statistics.median(took)


def _question() -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        cursor.fetchone()
