"""The accessibility check of a page: axe-core with all its rules, no finding allowed."""

from __future__ import annotations

from axe_playwright_python.async_playwright import Axe  # type: ignore[import-untyped]  # no types
from playwright.async_api import Page

_axe = Axe()
# Colours are judged as they stay: a theme that has just changed is still on its way for a frame
# or two, and buttons fade into it.
SETTLED = """async () => {
  const frame = () => new Promise(requestAnimationFrame);
  await frame();
  await frame();
  for (const one of document.getAnimations()) {
    if (one.effect?.getComputedTiming().endTime < Infinity) one.finish();
  }
  await frame();
}"""


async def findings(page: Page) -> list[str]:
    """Returns what axe-core finds wrong with the settled page, one line for each element."""
    await page.evaluate(SETTLED)
    results = await _axe.run(page)
    return [
        f"{page.url} {one['id']}: {', '.join(map(str, node['target']))} {node['failureSummary']}"
        for one in results.response["violations"]
        for node in one["nodes"]
    ]
