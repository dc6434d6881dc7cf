"""`python -m bench [groups] [--rounds 5]`: MAIA beside a bare fan-out F, in one run.

Groups: stream, fanout, many, idle, start, terminal, conversation beside bare servers;
reconnects and files beside MAIA itself; search, tokens, permissions beside bare programs (all by
default).
Every round measures both sides one after the other; what counts is the ratio, absolute numbers are
for scale. With MAIA_SERVER=uvicorn both sides run under uvicorn.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import platform
import sys
import time
from collections.abc import Awaitable, Callable

from bench.conversation import conversation
from bench.files import files
from bench.permissions import permissions
from bench.reconnects import reconnects
from bench.report import HEAD, Row
from bench.search import search
from bench.sides import FloorSide, MaiaSide, run_floor, run_maia, run_model
from bench.starts import idle_kib, migrated, start_floor, start_maia
from bench.streams import play
from bench.terminals import measure_terminals
from bench.tokens import count


async def stream(maia: MaiaSide, floor: FloorSide, rounds: int) -> list[Row]:
    """One person, one stream."""
    delay = Row("a1 delay of a delta, p50, 50/s", "ms", 2)
    first = Row("b  first delta, from asking", "ms", 3)
    speed = Row("a5 full speed, 2 000 deltas", "deltas/s", 0.4, more_is_better=True)
    long = Row("a5 full speed, 20 000 deltas", "deltas/s", 0.4, more_is_better=True)
    lost = Row("a5 lost of 20 000 deltas", "share", 0, most=0)
    for _ in range(rounds):
        ours, theirs = await play(maia, "rate-50x150"), await play(floor, "rate-50x150")
        delay.add(ours.p50, theirs.p50)
        first.add(ours.first, theirs.first)
        ours, theirs = await play(maia, "rate-0x2000"), await play(floor, "rate-0x2000")
        speed.add(ours.rate, theirs.rate)
        ours, theirs = await play(maia, "rate-0x20000"), await play(floor, "rate-0x20000")
        long.add(ours.rate, theirs.rate)
        lost.add(ours.lost, theirs.lost)
    return [delay, first, speed, long, lost]


async def fanout(maia: MaiaSide, floor: FloorSide, rounds: int) -> list[Row]:
    """One channel, 50 and 500 sockets."""
    rows = []
    for label, sockets, goal, most in (("a2", 50, 2, None), ("a3", 500, 3, 5)):
        delay = Row(f"{label} delay p50, {sockets} sockets, 50/s", "ms", goal, most=most)
        cpu = Row(f"{label} CPU per delivery, {sockets} sockets", "us", 1.5)
        lost = Row(f"{label} lost, {sockets} sockets", "share", 0, most=0)
        for _ in range(rounds):
            ours = await play(maia, "rate-50x100", sockets=sockets)
            theirs = await play(floor, "rate-50x100", sockets=sockets)
            delay.add(ours.p50, theirs.p50)
            cpu.add(ours.cpu, theirs.cpu)
            lost.add(ours.lost, theirs.lost)
        rows += [delay, cpu, lost]
    return rows


async def many(maia: MaiaSide, floor: FloorSide, rounds: int) -> list[Row]:
    """50 people, each with a stream of their own."""
    delay = Row("a4 delay p50, 50 people x 50 streams", "ms", 2)
    first = Row("a4 first delta, 50 people at once", "ms", 2)
    cpu = Row("a4 CPU per delta, 50 streams", "us", 2)
    for _ in range(rounds):
        ours = await play(maia, "rate-50x100", rooms=50)
        theirs = await play(floor, "rate-50x100", rooms=50)
        delay.add(ours.p50, theirs.p50)
        first.add(ours.first, theirs.first)
        cpu.add(ours.cpu, theirs.cpu)
    return [delay, first, cpu]


async def idle(maia: MaiaSide, floor: FloorSide, rounds: int) -> list[Row]:
    """Sockets that say nothing."""
    row = Row("h1 memory of an idle socket", "KiB", 1.4)
    row.add(await idle_kib(maia), await idle_kib(floor))
    return [row]


async def start(maia: MaiaSide, floor: FloorSide, rounds: int) -> list[Row]:
    """From the command to the first page."""
    row = Row("i  start to the first page", "s", 4, most=1.5)
    with migrated() as server:
        for _ in range(rounds):
            ours = await asyncio.to_thread(start_maia, server)
            row.add(ours, await asyncio.to_thread(start_floor))
    return [row]


async def terminal(maia: MaiaSide, floor: FloorSide, rounds: int) -> list[Row]:
    """A shell beside terminado's and beside a PTY that nobody else reads."""
    return await measure_terminals(maia, rounds)


async def _warm_up(maia: MaiaSide, floor: FloorSide) -> None:
    """What is imported at the first answer is no part of the later ones."""
    for _ in range(2):
        await play(maia, "rate-0x100")
        await play(floor, "rate-0x100")


Served = Callable[[MaiaSide, FloorSide, int], Awaitable[list[Row]]]
Alone = Callable[[int], Awaitable[list[Row]]]
SERVED: dict[str, Served] = {
    "stream": stream,
    "fanout": fanout,
    "many": many,
    "idle": idle,
    "start": start,
    "terminal": terminal,
    "conversation": conversation,
    "reconnects": reconnects,
}
ALONE: dict[str, Alone] = {
    "search": search,
    "tokens": count,
    "permissions": permissions,
    "files": files,
}
GROUPS = (*SERVED, *ALONE)


def asked(arguments: list[str]) -> argparse.Namespace:
    """Returns `groups` (all of them when none is named) and `rounds`; exits on anything else."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    # With `choices`, Python 3.11's argparse refuses to be given none of them.
    parser.add_argument("groups", nargs="*", type=_group, metavar="group", help=", ".join(GROUPS))
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments)
    options.groups = tuple(options.groups) or GROUPS
    return options


def _group(name: str) -> str:
    if name not in GROUPS:
        raise argparse.ArgumentTypeError(f"no group is called {name!r}; there are: {GROUPS}")
    return name


def main() -> None:
    """Measures the chosen groups and prints the table."""
    options = asked(sys.argv[1:])
    kind = os.environ.get("MAIA_SERVER") or "daphne"
    print(f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores")
    print(f"{kind}, {options.rounds} rounds, load before {os.getloadavg()[0]:.1f}\n{HEAD}")
    began = time.monotonic()
    served = [name for name in options.groups if name in SERVED]
    # What was freed earlier would be used again: memory is measured on servers just started.
    for groups in ([name for name in served if name != "idle"], [n for n in served if n == "idle"]):
        if groups:
            _beside_servers(groups, options.rounds)
    for name in options.groups:
        if name in ALONE:
            _print(asyncio.run(_rows_alone(name, options.rounds)))
    print(f"in {time.monotonic() - began:.0f} s")


def _beside_servers(groups: list[str], rounds: int) -> None:
    with run_model() as model, run_floor(model) as floor, run_maia(model) as maia:
        asyncio.run(_warm_up(maia, floor))
        for group in groups:
            gc.collect()
            _print(asyncio.run(_rows(group, maia, floor, rounds)))


async def _rows(group: str, maia: MaiaSide, floor: FloorSide, rounds: int) -> list[Row]:
    return await SERVED[group](maia, floor, rounds)


async def _rows_alone(group: str, rounds: int) -> list[Row]:
    return await ALONE[group](rounds)


def _print(rows: list[Row]) -> None:
    for row in rows:
        print(row.line(), flush=True)


if __name__ == "__main__":
    main()
