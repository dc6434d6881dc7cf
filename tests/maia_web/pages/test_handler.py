"""How a request is carried out: in one go, in one thread, which the next one uses again."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import iscoroutinefunction
from threading import get_ident
from typing import Any

import httpx
import pytest
from django.conf import settings
from django.core.signals import request_finished, request_started
from django.db import connection
from django.test import Client

from maia_web.accounts import services
from maia_web.lib.request_threads import request_threads
from maia_web.pages.handler import PageHandler


@pytest.fixture
def seen() -> Iterator[list[tuple[int, object]]]:
    """The threads, and their connections, in which requests began and ended."""
    threads: list[tuple[int, object]] = []

    def note(**_values: object) -> None:
        threads.append((get_ident(), connection.connection))

    for signal in (request_started, request_finished):
        signal.connect(note)
    yield threads
    for signal in (request_started, request_finished):
        signal.disconnect(note)
    request_threads.close()


@pytest.fixture
def cookies(transactional_db: None) -> dict[str, str]:
    """Those of Camille's browser."""
    browser = Client()
    browser.force_login(services.create_user("camille", "correct horse 42", administrator=True))
    return {settings.SESSION_COOKIE_NAME: str(browser.session.session_key)}


async def test_requests_share_a_thread_and_its_connection(
    seen: list[tuple[int, object]], cookies: dict[str, str]
) -> None:
    pages: Any = PageHandler()
    transport = httpx.ASGITransport(pages)
    seen.clear()
    async with httpx.AsyncClient(
        transport=transport, base_url=settings.ORIGINS[0], cookies=cookies
    ) as client:
        for _ in range(3):
            assert (await client.get("/api/me")).json()["user"]["username"] == "camille"
    threads, connections = zip(*seen[1:], strict=True)  # before the first one nothing was asked
    assert set(threads) == {seen[0][0]} != {get_ident()}
    assert len(set(map(id, connections))) == 1
    assert connections[0] is not None


def test_middleware_and_view_run_in_one_go() -> None:
    pages: Any = PageHandler()
    assert not iscoroutinefunction(pages._middleware_chain)
