"""A turn: what it asks the database, and how that grows with all that is not about it.

Growth is the CPU time of the one thread that asks the database for all sockets and turns of a
process: who keeps it busy keeps everybody waiting.
"""

from __future__ import annotations

import asyncio
import json
import statistics

from bench.report import Row
from bench.rows import row
from bench.rows.permissions import rule_texts
from bench.servers.lean_socket import LeanSocket
from bench.servers.maia import MaiaSide
from bench.servers.side import Person
from bench.servers.watched_maia import Watched

EACH = 3
CALLS = 10
AT_ONCE = 20
SAYS = "Well?"

Asker = tuple[LeanSocket, str]
"""Who asks, and where."""


async def turn(watched: Watched, rounds: int) -> list[Row]:
    """Small and large by turns."""
    return [
        await _statements(watched, rounds),
        await _growth(watched, rounds, row("grow-channels"), await _channels(watched.maia)),
        await _people(watched, rounds),
        await _growth(watched, rounds, row("grow-memory"), await _memories(watched.maia)),
        await _tools(watched, rounds, await _rules(watched.maia)),
    ]


async def _statements(watched: Watched, rounds: int) -> Row:
    measured = row("turn-statements")
    socket, room = await _asker(watched.maia, watched.maia.people(1)[0])
    await watched.turns(socket, room, SAYS, EACH)  # what is known after them is known
    for _ in range(rounds):
        counts = []
        for _ in range(EACH):
            before = watched.count()
            await watched.turns(socket, room, SAYS, 1)
            counts.append(len(watched.before_asking(before)))
        measured.add(statistics.median(counts))
    socket.close()
    return measured


async def _growth(
    watched: Watched, rounds: int, measured: Row, sides: tuple[list[Asker], list[Asker]]
) -> Row:
    """Beside each other: a turn of the first of `large`, one of the first of `small`."""
    large, small = sides
    for asker in (large[0], small[0]):
        await watched.turns(*asker, SAYS, EACH)
    for _ in range(rounds):
        ours = await watched.turns(*large[0], SAYS, EACH)
        measured.add(ours, await watched.turns(*small[0], SAYS, EACH))
    for socket, _room in (*large, *small):
        socket.close()
    return measured


async def _tools(watched: Watched, rounds: int, sides: tuple[list[Asker], list[Asker]]) -> Row:
    """A turn with tool calls less one without."""
    measured = row("grow-rules")
    (large,), (small,) = sides

    async def call(asker: Asker) -> float:
        alone = await watched.turns(*asker, SAYS, 2)
        return (await watched.turns(*asker, f"tools-{CALLS}", 2) - alone) / CALLS

    for asker in (large, small):
        await call(asker)
    for _ in range(rounds):
        ours = await call(large)
        measured.add(ours, await call(small))
    for socket, _room in (large, small):
        socket.close()
    return measured


async def _asker(maia: MaiaSide, person: Person) -> Asker:
    room = await maia.new_room(person)
    return await maia.join(room, person), room


async def _channels(maia: MaiaSide) -> tuple[list[Asker], list[Asker]]:
    """People with 1,000 and with 10 channels."""
    asking = []
    for person, count in zip(maia.strangers(2), (1_000, 10), strict=True):
        rooms = maia.made("bench.made.conversations:many", person.id, person.workspace, count)
        asking.append([(await maia.join(rooms[0], person), rooms[0])])
    return asking[0], asking[1]


async def _people(watched: Watched, rounds: int) -> Row:
    """First ten alone, then a thousand: what these cause in between is theirs."""
    measured = row("grow-people")
    few, many = [await _online(watched, count, rounds) for count in (10, 1_000)]
    for ours, beside in zip(many, few, strict=True):
        measured.add(ours, beside)
    return measured


async def _online(watched: Watched, count: int, rounds: int) -> list[float]:
    """Returns ms of a turn in a workspace of so many people who are all online."""
    maia = watched.maia
    people = maia.crowd(count)
    socket, room = await _asker(maia, people[0])
    others: list[LeanSocket] = []
    for start in range(1, count, AT_ONCE):
        some = people[start : start + AT_ONCE]
        others += await asyncio.gather(*map(maia.connect, some))
    await watched.turns(socket, room, SAYS, EACH)
    took = [await watched.turns(socket, room, SAYS, EACH) for _ in range(rounds)]
    for each in (socket, *others):
        each.close()
    return took


async def _memories(maia: MaiaSide) -> tuple[list[Asker], list[Asker]]:
    """Conversations whose agent has 4,000 and 10 messages in mind."""
    asking = []
    for person, count in zip(maia.strangers(2), (4_000, 10), strict=True):
        asker = await _asker(maia, person)
        await asyncio.to_thread(_remember, maia, person, asker[1], count)
        asking.append([asker])
    return asking[0], asking[1]


def _remember(maia: MaiaSide, person: Person, room: str, count: int) -> None:
    roles = ("user", "assistant")
    messages = [
        {"role": roles[number % 2], "content": [{"type": "text", "text": f"No. {number}"}]}
        for number in range(count)
    ]
    file = json.dumps({"version": 1, "messages": messages}).encode()
    url = f"/api/channels/{room}/sessions"
    with maia.client(person) as client:
        made = client.post(f"{url}/import", files={"file": ("memory.json", file)})
        id = made.raise_for_status().json()["id"]
        client.post(f"{url}/{id}/load").raise_for_status()


async def _rules(maia: MaiaSide) -> tuple[list[Asker], list[Asker]]:
    """People with 5,000 and with 10 rules."""
    asking = []
    for person, count in zip(maia.strangers(2), (5_000, 10), strict=True):
        maia.made("bench.made.rules:keep_rules", person.id, rule_texts(count))
        asking.append([await _asker(maia, person)])
    return asking[0], asking[1]
