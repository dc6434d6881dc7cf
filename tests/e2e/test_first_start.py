"""The first start, in the browser: the link, the administrator, the demo model, the app."""

from __future__ import annotations

from tests.support.browser import Browsers
from tests.support.fixtures import StartServer


async def test_without_the_link_nobody_sets_up(
    start_server: StartServer, browsers: Browsers
) -> None:
    server = start_server()
    page = await browsers.page(server, path="/sign-in")
    assert await page.locator("input[name=password]").is_visible()
    browsers.problems.allow("status of 404")
    answer = await page.goto("/setup/not-the-token")
    assert answer is not None
    assert answer.status == 404
