"""`make chaos`: blows on both stacks, in an order that the seed gives; prints what did not hold."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from tests.resilience.chaos.blows import BLOWS
from tests.resilience.chaos.crowd import crowd, prepare
from tests.resilience.chaos.stacks import NAMES, Stack, running_stack
from tests.support.openai_server import ScriptedServer, serve

ROUND = 4
"""So many blows fall on the same people; then others come into new channels."""


class Storm:
    """Counts the blows on one stack, and what failed."""

    def __init__(self, name: str, seed: int, blows: int, minutes: float) -> None:
        self.name = name
        self.done: Counter[str] = Counter()
        self.failed: list[str] = []
        self._seed = seed
        self._blows = blows
        self._until = time.monotonic() + minutes * 60

    @property
    def over(self) -> bool:
        """Whether enough blows have fallen; without a number the time decides."""
        if self._blows:
            return self.done.total() >= self._blows
        return time.monotonic() > self._until

    def rage(self) -> None:
        """Strikes until it is over; after a failure on a new stack."""
        while not self.over:
            with self._site() as (struck, model):
                prepare(struck, model)
                healthy = True
                while healthy and not self.over:
                    healthy = asyncio.run(self._round(struck, model))
                if not healthy:
                    self._keep(struck)

    @contextmanager
    def _site(self) -> Iterator[tuple[Stack, ScriptedServer]]:
        with (
            tempfile.TemporaryDirectory(prefix="maia-chaos-", ignore_cleanup_errors=True) as folder,
            serve() as model,
        ):
            Path(folder).chmod(0o711)
            with running_stack(self.name, Path(folder) / "data") as struck:
                yield struck, model

    async def _round(self, struck: Stack, model: ScriptedServer) -> bool:
        random = Random(f"{self._seed} {self.name} {self.done.total()}")
        async with crowd(struck, model, random) as people:
            for _ in range(ROUND):
                if self.over:
                    break
                kind = random.choice(list(BLOWS[self.name]))
                self.done[kind] += 1
                began = time.monotonic()
                try:
                    await people.strike(kind, random)
                except Exception as error:  # noqa: BLE001 - whatever it is, the next blows tell more
                    self.failed.append(f"blow {self.done.total()} ({kind}): {_traced(error)}")
                    _say(f"{self.name}: FAILED {self.failed[-1]}")
                    return False
                took = time.monotonic() - began
                _say(f"{self.name}: blow {self.done.total()}, {kind}: holds after {took:.1f} s")
        return True

    def _keep(self, struck: Stack) -> None:
        """Keeps what the processes said."""
        folder = Path(tempfile.mkdtemp(prefix=f"maia-chaos-{self.name}-log-"))
        for process in struck.processes:
            lines = [line for program in process.started for line in program.lines]
            (folder / f"{process.name}.log").write_text("\n".join(lines))
        _say(f"{self.name}: what the processes said is in {folder}")


def _traced(error: Exception) -> str:
    return "".join(traceback.format_exception(error))[-8_000:]


def _say(line: str) -> None:
    print(time.strftime("%H:%M:%S"), line, flush=True)  # noqa: T201


def main() -> int:
    """Returns the exit status: whether all held."""
    signal.signal(signal.SIGTERM, lambda *_told: sys.exit(143))  # ends what it started, too
    parser = argparse.ArgumentParser(prog="make chaos", description=__doc__)
    parser.add_argument("--blows", type=int, default=0, help="on each stack")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=10, help="without --blows: both together")
    parser.add_argument("--stack", choices=NAMES, action="append")
    options = parser.parse_args()
    seed = options.seed or int(time.time())
    names = options.stack or NAMES
    _say(f"seed {seed}: make chaos SEED={seed} BLOWS={options.blows or 'N'} strikes so again")
    storms = []
    for name in names:
        storms.append(Storm(name, seed, options.blows, options.minutes / len(names)))
        storms[-1].rage()
    for storm in storms:
        kinds = ", ".join(f"{kind} {times}" for kind, times in sorted(storm.done.items()))
        _say(f"{storm.name}: {storm.done.total()} blows, {len(storm.failed)} failed ({kinds})")
        for failure in storm.failed:
            _say(f"  {failure.splitlines()[0]} {failure.splitlines()[-1]:.300}")
    return 1 if any(storm.failed for storm in storms) else 0


if __name__ == "__main__":
    sys.exit(main())
