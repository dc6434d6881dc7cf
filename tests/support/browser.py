"""Chromium for tests: pages that are signed in, and that fail the test on anything amiss.

A page reports what no user should ever cause: an error in the console, an exception, a refused
style or script (CSP), a request that failed. `page.problems.allow(pattern)` admits what a test
provokes on purpose.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page, async_playwright

from tests.support.server import MaiaServer

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-dev-shm-usage",
]
REPORT_VIOLATIONS = """
document.addEventListener('securitypolicyviolation', event => console.error(
  `CSP: ${event.violatedDirective} refused ${event.blockedURI} ${event.sourceFile ?? ''}`));
"""
WIDE = (1280, 800)
PHONE = (390, 844)


def chromium() -> str | None:
    """Returns the browser of this machine."""
    return next((path for name in PROGRAMS if (path := shutil.which(name))), None)


@asynccontextmanager
async def run_browser() -> AsyncIterator[Browser]:
    """Runs Chromium without a window until the block ends."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        try:
            yield browser
        finally:
            await browser.close()


@dataclass
class Problems:
    """What went wrong in one page."""

    seen: list[str] = field(default_factory=list)
    allowed: list[str] = field(default_factory=list)

    def allow(self, pattern: str) -> None:
        """Admits problems that match, those before included."""
        self.allowed.append(pattern)

    def left(self) -> list[str]:
        """Returns the problems that nobody admitted."""
        return [
            problem
            for problem in self.seen
            if not any(re.search(pattern, problem) for pattern in self.allowed)
        ]

    def watch(self, page: Page) -> None:
        """Follows a page from now on."""
        page.on("console", self._told)
        page.on("pageerror", lambda error: self.seen.append(f"exception: {error}"))
        page.on(
            "requestfailed",
            lambda request: self.seen.append(f"request failed: {request.url} {request.failure}"),
        )

    def _told(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.seen.append(message.text)


class Browsers:
    """Opens pages of one test and looks at all of them when it ends."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._contexts: list[BrowserContext] = []
        self.problems = Problems()
        # A page that is left in mid-request aborts it; that is no fault.
        self.problems.allow(r"^request failed: .*ERR_ABORTED")

    async def page(
        self,
        server: MaiaServer,
        username: str = "",
        *,
        size: tuple[int, int] = WIDE,
        language: str = "en-US",
        scheme: str = "light",
        path: str = "/",
        cookies: Mapping[str, str] | None = None,
        **options: Any,
    ) -> Page:
        """Opens `path` in a new browser, as this person, with these cookies, or as nobody."""
        context = await self._browser.new_context(
            base_url=server.url,
            viewport={"width": size[0], "height": size[1]},
            locale=language,
            color_scheme="dark" if scheme == "dark" else "light",
            **options,
        )
        self._contexts.append(context)
        context.set_default_timeout(20_000)
        await context.add_init_script(REPORT_VIOLATIONS)
        if username:
            with server.sign_in(username) as client:
                cookies = dict(client.cookies)
        await context.add_cookies(
            [
                {"name": name, "value": value, "url": server.url}
                for name, value in (cookies or {}).items()
            ]
        )
        page = await context.new_page()
        self.problems.watch(page)
        await page.goto(path)
        return page

    async def close(self) -> None:
        """Closes all pages; raises AssertionError with the problems they had."""
        for context in self._contexts:
            await context.close()
        assert not self.problems.left(), "\n".join(self.problems.left())
