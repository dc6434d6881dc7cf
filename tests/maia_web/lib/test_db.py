"""in_db: one thread and one lasting connection for all that async code asks."""

from __future__ import annotations

from threading import get_ident

import pytest
from asgiref.sync import ThreadSensitiveContext
from django.db import connection, connections

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
