"""What arrived is joined, in order, within a bound, and whatever ends the stream comes through."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.providers.arrivals import MOST_AHEAD, arrived


async def played(pieces: list[bytes], waits: list[bool]) -> AsyncGenerator[bytes, None]:
    for piece, wait in zip(pieces, waits, strict=True):
        if wait:
            await asyncio.sleep(0)
        yield piece


@given(st.lists(st.tuples(st.binary(max_size=9), st.booleans()), max_size=30))
async def test_nothing_is_lost_or_moved(steps: list[tuple[bytes, bool]]) -> None:
    pieces, waits = [one for one, _ in steps], [wait for _, wait in steps]
    got = [one async for one in arrived(played(pieces, waits))]
    assert b"".join(got) == b"".join(pieces)
    assert all(got)
    assert len(got) <= 1 + sum(waits)


async def test_what_is_there_at_once_is_one_piece() -> None:
    assert [one async for one in arrived(played([b"a"] * 1_000, [False] * 1_000))] == [b"a" * 1_000]


async def test_an_error_comes_after_what_was_before_it() -> None:
    async def broken() -> AsyncGenerator[bytes, None]:
        yield b"half"
        raise ConnectionResetError

    pieces = arrived(broken())
    assert await anext(pieces) == b"half"
    with pytest.raises(ConnectionResetError):
        await anext(pieces)


async def test_who_is_slow_is_not_read_ahead_of_without_end() -> None:
    taken = 0

    async def endless() -> AsyncGenerator[bytes, None]:
        nonlocal taken
        while True:
            taken += 1
            yield b"x" * 100_000

    async with aclosing(arrived(endless())) as pieces:
        for turn in range(1, 4):
            assert len(await anext(pieces)) < MOST_AHEAD + 100_000
            assert taken * 100_000 <= (turn + 1) * (MOST_AHEAD + 100_000)


async def test_leaving_ends_the_reading() -> None:
    closed = asyncio.Event()

    async def source() -> AsyncGenerator[bytes, None]:
        try:
            yield b"a"
            await asyncio.Event().wait()
        finally:
            closed.set()

    async with aclosing(arrived(source())) as pieces:
        assert await anext(pieces) == b"a"
    assert closed.is_set()
