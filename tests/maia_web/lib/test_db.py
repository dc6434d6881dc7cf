"""in_db: one thread and one lasting connection for all that async code asks."""

from __future__ import annotations

from threading import get_ident

import pytest
from asgiref.sync import ThreadSensitiveContext
from django.db import connection

from maia_web.lib.db import in_db

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
