"""in_db: one thread and one lasting connection for all that async code asks."""

from __future__ import annotations

import asyncio
from threading import Event, get_ident

import pytest
from asgiref.sync import ThreadSensitiveContext, async_to_sync, sync_to_async
from django.db import connection, connections
from django.utils import translation

from maia_web.lib.db import in_db, with_files

pytestmark = pytest.mark.django_db(transaction=True)


def _asked() -> tuple[int, object]:
    connection.ensure_connection()
    return get_ident(), connection.connection


def _kept() -> object:
    return connection.connection


async def test_all_that_async_code_asks_shares_a_thread_and_its_connection() -> None:
    first, second = await in_db(_asked)(), await in_db(_asked)()
    assert first[0] == second[0] != get_ident()
    assert first[1] is second[1]


@pytest.mark.promise("I10-hop")
async def test_a_question_is_asked_in_the_language_of_whoever_asks() -> None:
    async def asked(language: str) -> str | None:
        with translation.override(language):
            await asyncio.sleep(0)
            told: str | None = await in_db(translation.get_language)()
            assert translation.get_language() == language
            return told

    wanted = ["fr", "en"] * 5
    assert await asyncio.gather(*map(asked, wanted)) == wanted


@pytest.mark.promise("I10-hop")
async def test_what_a_question_raises_reaches_whoever_asks_and_no_other() -> None:
    def broken() -> None:
        connection.ensure_connection()
        raise LookupError

    with pytest.raises(LookupError):
        await in_db(broken)()
    first = await in_db(_asked)()
    assert await in_db(_asked)() == first


@pytest.mark.promise("I10-hop")
async def test_who_gives_up_waits_no_longer_and_the_next_is_served() -> None:
    begun, go_on = Event(), Event()

    def slow() -> None:
        begun.set()
        go_on.wait()

    never: list[int] = []
    running = asyncio.create_task(in_db(slow)())
    waiting = asyncio.create_task(in_db(never.append)(1))
    await asyncio.to_thread(begun.wait)
    for task in (running, waiting):
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    go_on.set()
    await in_db(_asked)()
    assert never == []


@pytest.mark.promise("I10-hop")
async def test_below_a_thread_that_waits_it_is_asked_there() -> None:
    def waits() -> tuple[int, int]:
        thread, _connection = async_to_sync(in_db(_asked))()
        return thread, get_ident()

    async with ThreadSensitiveContext():
        asked, here = await sync_to_async(waits)()
    assert asked == here


async def test_within_a_request_the_connection_ends_with_the_question() -> None:
    async with ThreadSensitiveContext():
        _thread, asked = await in_db(_asked)()
        assert await in_db(_kept)() is None
    assert asked is not None


async def test_what_looks_at_files_has_a_thread_and_a_connection_of_its_own() -> None:
    lasting = await in_db(_asked)()
    thread, asked = await with_files(_asked)()
    assert thread not in (lasting[0], get_ident())
    assert asked not in (None, lasting[1])
    assert await in_db(_asked)() == lasting


async def test_its_connection_ends_with_it() -> None:
    kept: list[object] = []

    def act() -> None:
        connection.ensure_connection()
        kept.append(connections["default"])

    await with_files(act)()
    [wrapper] = kept
    assert wrapper.connection is None  # type: ignore[attr-defined]  # a wrapper of a database
