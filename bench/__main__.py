"""`python -m bench [groups] [--rounds 5] [--peers]`: MAIA beside others, in one run.

Every round measures both sides one after the other; what counts is the ratio, absolute numbers are
for scale. Goals stand in `bench/goals.py`. With MAIA_SERVER=uvicorn MAIA and F run under uvicorn.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import platform
import sys
import time
from collections.abc import Awaitable, Callable, Sequence

from bench.report import HEAD, Row, summary
from bench.rows.commands import command
from bench.rows.conversation import conversation
from bench.rows.files import files
from bench.rows.peers import peers
from bench.rows.permissions import permissions
from bench.rows.processes import processes
from bench.rows.reconnects import reconnects
from bench.rows.search import search
from bench.rows.starts import idle, start
from bench.rows.store import store
from bench.rows.streams import fanout, many, stream
from bench.rows.terminals import terminal
from bench.rows.tokens import count
from bench.rows.turns import turn
from bench.servers.maia import MaiaSide, run_maia
from bench.servers.play import play
from bench.servers.side import FloorSide, run_floor, run_model
from bench.servers.watched_maia import Watched, run_watched

Served = Callable[[MaiaSide, FloorSide, int], Awaitable[list[Row]]]
Seen = Callable[[Watched, int], Awaitable[list[Row]]]
Alone = Callable[[int], Awaitable[list[Row]]]

SERVED: dict[str, Served] = {
    "stream": stream,
    "fanout": fanout,
    "many": many,
    "start": start,
    "terminal": terminal,
    "conversation": conversation,
    "reconnects": reconnects,
    "files": files,
}
"""Beside F, both running."""
FRESH: dict[str, Served] = {"idle": idle}
"""The same, on servers just started: what was freed earlier would be used again."""
WATCHED: dict[str, Seen] = {"turn": turn, "store": store}
ALONE: dict[str, Alone] = {
    "command": command,
    "search": search,
    "tokens": count,
    "permissions": permissions,
    "processes": processes,
}
ASKED_FOR: dict[str, Alone] = {"peers": peers}
"""Only where they are asked for: they install what they measure."""
GROUPS = (*SERVED, *FRESH, *WATCHED, *ALONE)


def asked(arguments: Sequence[str]) -> argparse.Namespace:
    """Returns `groups` (all of them when none is named) and `rounds`; exits on anything else."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    # With `choices`, Python 3.11's argparse refuses to be given none of them.
    names = ", ".join((*GROUPS, *ASKED_FOR))
    parser.add_argument("groups", nargs="*", type=_group, metavar="group", help=names)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peers", action="store_true", help="with the peers, besides all others")
    options = parser.parse_args(arguments)
    options.groups = tuple(options.groups) or GROUPS
    if options.peers:
        options.groups = tuple(dict.fromkeys((*options.groups, *ASKED_FOR)))
    return options


def _group(name: str) -> str:
    if name not in GROUPS and name not in ASKED_FOR:
        raise argparse.ArgumentTypeError(f"no group is called {name!r}; there are: {GROUPS}")
    return name


def main() -> None:
    """Measures the chosen groups and prints the table."""
    options = asked(sys.argv[1:])
    kind = os.environ.get("MAIA_SERVER") or "daphne"
    print(f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores")
    print(f"{kind}, {options.rounds} rounds, load before {os.getloadavg()[0]:.1f}\n{HEAD}")
    began = time.monotonic()
    rows: list[Row] = []
    for groups in (SERVED, FRESH):
        if chosen := [groups[name] for name in options.groups if name in groups]:
            rows += _beside_floor(chosen, options.rounds)
    if watched := [WATCHED[name] for name in options.groups if name in WATCHED]:
        rows += _under_watch(watched, options.rounds)
    for measure in [{**ALONE, **ASKED_FOR}.get(name) for name in options.groups]:
        if measure is not None:
            rows += _told(asyncio.run(_run(measure(options.rounds))))
    print(f"{summary(rows)}\nin {time.monotonic() - began:.0f} s")


def _beside_floor(groups: Sequence[Served], rounds: int) -> list[Row]:
    rows = []
    with run_model() as model, run_floor(model) as floor, run_maia(model) as maia:
        asyncio.run(_warm_up(maia, floor))
        for group in groups:
            gc.collect()
            rows += _told(asyncio.run(_run(group(maia, floor, rounds))))
    return rows


def _under_watch(groups: Sequence[Seen], rounds: int) -> list[Row]:
    rows = []
    with run_watched() as watched:
        for group in groups:
            rows += _told(asyncio.run(_run(group(watched, rounds))))
    return rows


async def _warm_up(maia: MaiaSide, floor: FloorSide) -> None:
    """What is imported at the first answer is no part of the later ones."""
    for _ in range(2):
        for side in (maia, floor):
            await play(side, "rate-0x100", [side.people(1)])


async def _run(measure: Awaitable[list[Row]]) -> list[Row]:
    return await measure


def _told(rows: list[Row]) -> list[Row]:
    for one in rows:
        print(one.line(), flush=True)
    return rows


if __name__ == "__main__":
    main()
