"""What the bench types into terminals and sees there, on a bare PTY."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bench.rows.terminals import _keys
from bench.servers.shells import BareTerminals, flooded, opened
from bench.servers.side import FloorSide, run_floor


@pytest.fixture(scope="module")
def floor() -> Iterator[FloorSide]:
    with run_floor("http://-") as side:
        yield side


async def test_a_key_is_shown_by_the_line_editor_of_the_shell(floor: FloorSide) -> None:
    async with BareTerminals(floor.port).new() as address, opened(address) as shell:
        assert await _keys(shell) > 0
        shell.type("\x15")
        await shell.until("test -o emacs && echo edi''ted\n", b"edited")


async def test_floods_flow_while_somebody_types(floor: FloorSide) -> None:
    terminals = BareTerminals(floor.port)
    async with terminals.new() as one, terminals.new() as two, terminals.new() as address:
        with flooded((one, two)):
            async with opened(address) as shell:
                assert await _keys(shell) > 0
