"""The threads of requests: kept with their connection, and never lent to two at once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from threading import Event, get_ident

import pytest
from asgiref.sync import sync_to_async
from django.db import connection

from maia_web.lib.request_threads import RequestThreads

pytestmark = pytest.mark.django_db(transaction=True)
Asked = tuple[int, object]


@pytest.fixture
def threads() -> Iterator[RequestThreads]:
    lending = RequestThreads(most_kept=2)
    yield lending
    lending.close()


def _asked() -> Asked:
    connection.ensure_connection()
    return get_ident(), connection.connection


async def asked(threads: RequestThreads) -> Asked:
    async with threads.lent():
        return await sync_to_async(_asked)()


async def test_requests_one_after_the_other_share_a_thread_and_its_connection(
    threads: RequestThreads,
) -> None:
    first = await asked(threads)
    async with threads.lent():
        for _ in range(2):
            assert await sync_to_async(_asked)() == first
    assert first[0] != get_ident()


async def test_requests_at_once_have_a_thread_each_and_two_are_kept(
    threads: RequestThreads,
) -> None:
    together = asyncio.Barrier(5)

    async def one() -> Asked:
        async with threads.lent():
            found = await sync_to_async(_asked)()
            await together.wait()
            return found

    async with asyncio.timeout(30):
        found = await asyncio.gather(*(one() for _ in range(5)))
        assert len({thread for thread, _connection in found}) == 5
        later = [await asked(threads) for _ in range(5)]
    assert {thread for thread, _connection in later} <= {thread for thread, _connection in found}


async def test_a_thread_that_its_request_left_at_work_is_lent_to_nobody(
    threads: RequestThreads,
) -> None:
    begun, goes_on = Event(), Event()

    def work() -> int:
        begun.set()
        goes_on.wait(30)
        return get_ident()

    async def left() -> None:
        async with threads.lent():
            await sync_to_async(work)()

    request = asyncio.create_task(left())
    async with asyncio.timeout(30):
        assert await asyncio.to_thread(begun.wait, 30)
        request.cancel()
        await asyncio.wait({request}, timeout=0)
        async with threads.lent():
            other = await sync_to_async(get_ident)()
            goes_on.set()
            await asyncio.wait({request})
        assert other != get_ident()
