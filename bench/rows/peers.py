"""Peers that can be installed in a minute, in environments of their own, on the same model."""

from __future__ import annotations

from bench.report import Row
from bench.rows import row
from bench.rows.streams import each_their_own
from bench.servers.chainlit import run_chainlit
from bench.servers.maia import MaiaSide, run_maia
from bench.servers.play import play
from bench.servers.side import Side, run_model
from tests.support.environments import NotInstalled


async def peers(rounds: int) -> list[Row]:
    """Chainlit, which streams to one person at a time."""
    rows = {name: row(f"peer-{name}") for name in ("first", "delay", "a4", "cpu")}
    with run_model() as model, run_maia(model) as maia:
        try:
            with run_chainlit(model) as chainlit:
                await _measure(maia, chainlit, rows, rounds)
        except NotInstalled as error:
            for each in rows.values():
                each.leave_out(str(error))
    return list(rows.values())


async def _measure(maia: MaiaSide, chainlit: Side, rows: dict[str, Row], rounds: int) -> None:
    for number in range(-1, rounds):
        ours, theirs = [
            await play(side, "rate-50x150", [side.people(1)]) for side in (maia, chainlit)
        ]
        together, apart = [await each_their_own(side) for side in (maia, chainlit)]
        if number < 0:  # what is loaded at the first use is no part of the later ones
            continue
        rows["first"].add(ours.first, theirs.first)
        rows["delay"].add(ours.p50, theirs.p50)
        rows["a4"].add(together.first, apart.first)
        rows["cpu"].add(together.cpu, apart.cpu)
