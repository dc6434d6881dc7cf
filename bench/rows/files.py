"""What waits while files are read: opening a conversation, beside people who ask for /help."""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Awaitable, Callable

from bench.report import Row
from bench.rows import row
from bench.rows.conversation import opened
from bench.servers.lean_socket import LeanSocket
from bench.servers.maia import Frame, MaiaSide, said
from bench.servers.side import FloorSide, Person

SKILLS = 50
PEOPLE = 50
READ_SECONDS = 5.0
"""How long each of them looks at the help before asking again: together they ask 10 times a second,
more than a team of fifty ever does."""
EACH = 30
PAUSE = 0.1


async def files(maia: MaiaSide, floor: FloorSide, rounds: int) -> list[Row]:
    """50 people whose workspace has 50 skills ask for /help again and again; another one works."""
    measured = row("n-question")
    (person,) = maia.people(1)
    crowd = maia.crowd(PEOPLE)
    await asyncio.to_thread(_fill, maia, crowd[0])
    (channel,) = maia.made(
        "bench.made.conversations:long", [(person.id, person.workspace, 100, 255)]
    )
    room = await maia.new_room(crowd[0])
    socket = await maia.connect(person)
    readers = [await maia.join(room, one) for one in crowd]

    async def question() -> float:
        return await opened(socket, channel)

    await _median_of(question)
    for _ in range(rounds):
        alone = await _median_of(question)
        asking = [
            asyncio.create_task(_asks_again(reader, room, READ_SECONDS * number / PEOPLE))
            for number, reader in enumerate(readers)
        ]
        await asyncio.sleep(1)
        measured.add(await _median_of(question), alone)
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
    for each in (socket, *readers):
        each.close()
    return [measured]


async def _median_of(question: Callable[[], Awaitable[float]]) -> float:
    """Returns the median of EACH questions, in ms, asked as a person does: now and then."""
    took = []
    for _ in range(EACH):
        took.append(await question())
        await asyncio.sleep(PAUSE)
    return statistics.median(took)


async def _asks_again(socket: LeanSocket, room: str, wait: float) -> None:
    await asyncio.sleep(wait)
    while True:
        await said(socket, _is_help, type="channel:send", channel=room, text="/help")
        await asyncio.sleep(READ_SECONDS)


def _is_help(frame: Frame) -> bool:
    assert frame["type"] != "error", frame
    return bool(frame["type"] == "system:reply")


def _fill(maia: MaiaSide, person: Person) -> None:
    with maia.client(person) as client:
        for number in range(SKILLS):
            text = (
                f"---\nname: skill{number}\ndescription: Number {number} of many\n"
                f"tags: [a, b, c]\nwhen:\n  - always\n  - never\n---\n"
                + "Do this, then that.\n"
                * 50
            )
            path = f".maia/skills/skill{number}/SKILL.md"
            url = f"/api/workspaces/{person.workspace}/file"
            saved = client.put(url, params={"path": path}, json={"text": text, "create": True})
            saved.raise_for_status()
