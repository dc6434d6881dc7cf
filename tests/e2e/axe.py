"""The accessibility check of a page: axe-core with all its rules, no finding allowed."""

from __future__ import annotations

from axe_playwright_python.async_playwright import Axe  # type: ignore[import-untyped]  # no types
from playwright.async_api import Page

_axe = Axe()


async def findings(page: Page) -> list[str]:
    """Returns what axe-core finds wrong with the page as it stands, one line for each element."""
    results = await _axe.run(page)
    return [
        f"{page.url} {one['id']}: {', '.join(map(str, node['target']))} {node['failureSummary']}"
        for one in results.response["violations"]
        for node in one["nodes"]
    ]
