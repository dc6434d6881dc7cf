"""Stories in the browser share one Chromium, one server and one event loop per pytest worker."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from tests.e2e.world import Site, World, run_site
from tests.support.browser import Browsers, chromium, run_browser
from tests.support.link import Link, open_link
from tests.support.openai_server import serve
from tests.support.processes import free_port
from tests.support.server import MaiaServer

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.browser)
            if pytest_asyncio.is_async_test(item):
                item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """Chromium, once for each pytest worker."""
    if chromium() is None:
        pytest.skip("needs Chromium (Debian: chromium)")
    async with run_browser() as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def browsers(browser: Browser) -> AsyncIterator[Browsers]:
    """Pages of this test; it fails when one of them had a problem."""
    opened = Browsers(browser)
    yield opened
    await opened.close()


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    """A server with people and a scripted model, once for each pytest worker."""
    with tempfile.TemporaryDirectory(prefix="maia-e2e-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o711)
        server, link = MaiaServer(folder / "data"), free_port()
        server.env["MAIA_ORIGINS"] = f"{server.url},http://127.0.0.1:{link}"
        with serve() as model, server, run_site(server, model, link) as running:
            yield running


@pytest_asyncio.fixture(loop_scope="session")
async def world(site: Site, browsers: Browsers) -> AsyncIterator[World]:
    """The site as one test sees it: it makes rooms of its own in it."""
    world = World(site, browsers)
    yield world
    world.clear()


@pytest_asyncio.fixture(loop_scope="session")
async def link(site: Site) -> AsyncIterator[Link]:
    """A way to the server that the test can cut."""
    async with open_link(site.server.port, site.link_port) as link:
        yield link
