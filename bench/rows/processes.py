"""PostgreSQL, Redis, two web processes and two workers, beside the one process with SQLite."""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.report import Row
from bench.rows import row
from bench.rows.streams import each_their_own
from bench.servers.broker import there_and_back
from bench.servers.maia import MaiaSide, run_maia, scripted, server_chosen
from bench.servers.play import play
from bench.servers.side import run_model
from tests.support.services import missing_services

HOPS = 50


async def processes(rounds: int) -> list[Row]:
    """Both run and are asked one after the other; people are spread over the web processes."""
    first, many, hop = row("many-first"), row("many-a4"), row("many-hop")
    if lacking := missing_services():
        for each in (first, many, hop):
            each.leave_out(f"there is no {lacking}")
        return [first, many, hop]
    with run_model() as model, run_maia(model) as default, _stack(model) as (stack, broker):
        for side in (stack, default):
            await each_their_own(side)  # what is loaded at the first use is no part of the others
        with there_and_back(broker) as there:
            await asyncio.to_thread(there)
            for _ in range(rounds):
                hops = [await asyncio.to_thread(there) for _ in range(HOPS)]
                hop.add(statistics.median(hops))
                ours = await play(stack, "rate-50x100", [stack.people(1)])
                theirs = await play(default, "rate-50x100", [default.people(1)])
                first.add(ours.first, theirs.first)
                ours = await each_their_own(stack)
                many.add(ours.first, (await each_their_own(default)).first)
    return [first, many, hop]


@contextmanager
def _stack(model: str) -> Iterator[tuple[MaiaSide, str]]:
    """Gives the side and the address of its broker."""
    from tests.resilience.chaos.stacks import running_stack

    with TemporaryDirectory(prefix="maia-bench-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o711)
        with running_stack("many", Path(folder) / "data", server_chosen()) as stack:
            stack.site.prepare("admin", model=scripted(model))
            pids = [process.program.process.pid for process in stack.processes]
            webs = [process.site for process in stack.webs]
            yield MaiaSide(webs, pids), stack.site.env["MAIA_BROKER_URL"]
