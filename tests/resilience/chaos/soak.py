"""`make soak`: five people talk for half an hour; memory, files and threads must not grow.

Again and again they come into new channels, speak, delete them, and leave; one of them opens a
terminal, lets it print much and closes it. So what they have stays as large as it was: what grows
is the server. What the process holds is read when all is quiet. After the warm-up the median of the
slopes between any two measures (Theil and Sen) says how much it grows: what one visit leaves for
the collector to find, now and then, is no growth. Nor is a thread of a pool that has a bound: it is
filled at the beginning.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from random import Random
from statistics import median

import httpx

from tests.resilience.chaos.crowd import Crowd, crowd, prepare, shared
from tests.resilience.chaos.stacks import Stack, running_stack
from tests.support.openai_server import ScriptedServer, serve
from tests.support.screen import screen_of

MOST_MB = 1.0
"""Growth of memory in ten minutes."""
WARM_UP = 0.4
"""This part of the time is left out."""
FEWEST = 8
AT_ONCE = 10


@dataclass(frozen=True)
class Held:
    """What a process holds: minutes since the start, MB of memory of its own, files, threads."""

    minute: float
    memory: float
    files: int
    threads: int


def held(pid: int, minute: float) -> Held:
    """Measures a process."""
    folder = Path(f"/proc/{pid}")
    rollup = (folder / "smaps_rollup").read_text().splitlines()
    own = sum(int(line.split()[1]) for line in rollup if line.startswith("Private_"))
    files = len(list((folder / "fd").iterdir()))
    return Held(minute, own / 1024, files, len(list((folder / "task").iterdir())))


def growth(measures: list[Held]) -> dict[str, float]:
    """Returns what grows in ten minutes after the warm-up, by name."""
    late = measures[int(len(measures) * WARM_UP) :]
    steps = [
        (after.memory - before.memory) / (after.minute - before.minute)
        for before, after in combinations(late, 2)
    ]
    return {
        "memory": median(steps) * 10,
        "files": float(late[-1].files - late[0].files),
        "threads": float(late[-1].threads - late[0].threads),
    }


def verdict(grown: dict[str, float]) -> list[str]:
    """Returns what grows and must not."""
    most = {"memory": MOST_MB, "files": 0.0, "threads": 0.0}
    return [f"{name} grows by {by:.2f}" for name, by in grown.items() if by > most[name]]


async def talk(struck: Stack, model: ScriptedServer, seed: str, workspace: str) -> None:
    """One visit of five people: each says four things, one uses a terminal, all leave no trace."""
    async with crowd(struck, model, Random(seed), workspace) as people:
        for _ in range(4):
            await people.speak()
        await _use_a_terminal(struck, people)
        await people.quiet()
        await asyncio.to_thread(people.check)
        people.ran_file.unlink(missing_ok=True)
        for channel in {person.channel for person in people.people}:
            people.people[0].client.delete(f"/api/channels/{channel}").raise_for_status()


async def _use_a_terminal(struck: Stack, people: Crowd) -> None:
    client = people.people[0].client
    opened = client.post(f"/api/workspaces/{people.workspace}/terminals", json={})
    terminal = opened.raise_for_status().json()["id"]
    async with screen_of(struck.site, client, terminal) as screen:
        await screen.run("seq 1 20000; echo over-$((1))", "over-1")
    client.delete(f"/api/terminals/{terminal}").raise_for_status()


def _fill_pools(alice: httpx.Client, workspace: str) -> None:
    def open_terminal(_number: int) -> str:
        opened = alice.post(f"/api/workspaces/{workspace}/terminals", json={})
        return str(opened.raise_for_status().json()["id"])

    with ThreadPoolExecutor(AT_ONCE) as many:
        for terminal in list(many.map(open_terminal, range(AT_ONCE))):
            alice.delete(f"/api/terminals/{terminal}").raise_for_status()


def soak(minutes: float) -> list[Held]:
    """Lets people come and go for so long; returns what the server held after each visit."""
    measures: list[Held] = []
    with (
        tempfile.TemporaryDirectory(prefix="maia-soak-", ignore_cleanup_errors=True) as folder,
        serve() as model,
    ):
        Path(folder).chmod(0o711)
        with running_stack("one", Path(folder) / "data") as struck:
            prepare(struck, model)
            with struck.site.sign_in("alice") as alice:
                workspace = shared(alice)
                _fill_pools(alice, workspace)
            pid = struck.webs[0].program.process.pid
            began = time.monotonic()
            while (minute := (time.monotonic() - began) / 60) < minutes:
                asyncio.run(talk(struck, model, f"{minute}", workspace))
                model.requests.clear()
                measures.append(held(pid, (time.monotonic() - began) / 60))
                _say(str(measures[-1]))
    return measures


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201


def main() -> int:
    """Returns the exit status: whether nothing grew."""
    parser = argparse.ArgumentParser(prog="make soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    signal.signal(signal.SIGTERM, lambda *_told: sys.exit(143))  # ends what it started, too
    measures = soak(parser.parse_args().minutes)
    if len(measures) < FEWEST:
        _say(f"{len(measures)} measures are too few to tell: give it more minutes")
        return 2
    grown = growth(measures)
    wrong = verdict(grown)
    _say(f"in ten minutes after the warm-up: {grown}")
    _say("; ".join(wrong) or "nothing grows")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
