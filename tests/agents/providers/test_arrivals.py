"""What arrived is joined, in order, within a bound, and whatever ends the stream comes through."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.providers.arrivals import MOST_AHEAD, Arrivals


async def played(pieces: list[bytes], waits: list[bool]) -> AsyncGenerator[bytes, None]:
    for piece, wait in zip(pieces, waits, strict=True):
        if wait:
            await asyncio.sleep(0)
        yield piece


def soon() -> float:
    return asyncio.get_running_loop().time() + 60


async def all_of(source: AsyncGenerator[bytes, None]) -> list[bytes]:
    async with Arrivals(source) as arrivals:
        got = []
        while (data := await arrivals.take(soon())) is not None:
            got.append(data)
        return got


@given(st.lists(st.tuples(st.binary(max_size=9), st.booleans()), max_size=30))
async def test_nothing_is_lost_or_moved(steps: list[tuple[bytes, bool]]) -> None:
    pieces, waits = [one for one, _ in steps], [wait for _, wait in steps]
    got = await all_of(played(pieces, waits))
    assert b"".join(got) == b"".join(pieces)
    assert all(got)
    assert len(got) <= 1 + sum(waits)


async def test_what_is_there_at_once_is_one_piece() -> None:
    assert await all_of(played([b"a"] * 1_000, [False] * 1_000)) == [b"a" * 1_000]


async def test_an_error_comes_after_what_was_before_it() -> None:
    async def broken() -> AsyncGenerator[bytes, None]:
        yield b"half"
        raise ConnectionResetError

    async with Arrivals(broken()) as arrivals:
        assert await arrivals.take(soon()) == b"half"
        with pytest.raises(ConnectionResetError):
            await arrivals.take(soon())


async def test_who_is_slow_is_not_read_ahead_of_without_end() -> None:
    taken = 0

    async def endless() -> AsyncGenerator[bytes, None]:
        nonlocal taken
        while True:
            taken += 1
            yield b"x" * 100_000

    async with Arrivals(endless()) as arrivals:
        for turn in range(1, 4):
            for _ in range(50):  # nobody takes, and the server has more
                await asyncio.sleep(0)
            assert len(await arrivals.take(soon()) or b"") < MOST_AHEAD + 100_000
            assert taken * 100_000 <= (turn + 1) * (MOST_AHEAD + 100_000)


async def test_leaving_ends_the_reading() -> None:
    closed = asyncio.Event()

    async def source() -> AsyncGenerator[bytes, None]:
        try:
            yield b"a"
            await asyncio.Event().wait()
        finally:
            closed.set()

    async with Arrivals(source()) as arrivals:
        assert await arrivals.take(soon()) == b"a"
    assert closed.is_set()


async def test_a_deadline_may_move_either_way_and_what_comes_in_time_is_given() -> None:
    more = asyncio.Event()

    async def source() -> AsyncGenerator[bytes, None]:
        yield b"a"
        await more.wait()
        yield b"b"
        await asyncio.Event().wait()

    now = asyncio.get_running_loop().time
    async with Arrivals(source()) as arrivals:
        assert await arrivals.take(soon()) == b"a"
        with pytest.raises(TimeoutError):
            await arrivals.take(now() + 0.01)
        with pytest.raises(TimeoutError):
            await arrivals.take(now() - 1)
        waiting = asyncio.create_task(arrivals.take(soon()))
        await asyncio.sleep(0)
        more.set()
        assert await waiting == b"b"
        with pytest.raises(TimeoutError):
            await arrivals.take(now() + 0.01)


async def test_a_deadline_that_was_not_needed_ends_nobody_who_waits_later() -> None:
    loop = asyncio.get_running_loop()
    more, early = asyncio.Event(), loop.time() + 0.02

    async def source() -> AsyncGenerator[bytes, None]:
        yield b"a"
        await more.wait()
        yield b"b"

    async with Arrivals(source()) as arrivals:
        assert await arrivals.take(early) == b"a"
        waiting = asyncio.create_task(arrivals.take(soon()))
        loop.call_at(early + 0.001, more.set)
        assert await waiting == b"b"


async def test_who_stops_waiting_loses_nothing() -> None:
    more = asyncio.Event()

    async def source() -> AsyncGenerator[bytes, None]:
        await more.wait()
        yield b"a"

    async with Arrivals(source()) as arrivals:
        waiting = asyncio.create_task(arrivals.take(soon()))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        more.set()
        assert await arrivals.take(soon()) == b"a"
        assert await arrivals.take(soon()) is None
