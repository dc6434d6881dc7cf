"""The app as a person handles it: by roles and visible names."""

from __future__ import annotations

import asyncio
import re

from playwright.async_api import Locator, Page, expect

EXPECT_MS = 60_000
expect.set_options(timeout=EXPECT_MS)
__all__ = ["App", "expect"]


class App:
    """One open page of the app, in English."""

    def __init__(self, page: Page) -> None:
        self.page = page

    # ---- the conversation --------------------------------------------------------------------

    @property
    def composer(self) -> Locator:
        """The field where messages are typed."""
        return self.page.get_by_role("textbox", name=re.compile("^Message to "))

    @property
    def log(self) -> Locator:
        """The messages."""
        return self.page.get_by_role("log", name="Conversation")

    async def say(self, text: str) -> None:
        """Types a message and sends it."""
        await self.composer.fill(text)
        await self.composer.press("Enter")

    def answers(self) -> Locator:
        """The messages of the agent."""
        return self.log.get_by_role("article", name=re.compile("^maia,"))

    @property
    def answer(self) -> Locator:
        """The agent's latest message."""
        return self.answers().last

    def message(self, text: str) -> Locator:
        """A message by what it says."""
        return self.log.get_by_role("article").filter(has_text=text)

    def request(self, title: str = "") -> Locator:
        """The permission request that waits, by its title if there are several."""
        return self.log.get_by_role("group", name=title or re.compile("^maia wants to "))

    async def heed_keys(self) -> None:
        """Returns when a request that is shown now heeds keys: 600 ms after it appeared."""
        await self.page.evaluate("() => new Promise((done) => setTimeout(done, 600))")

    def card(self, text: str) -> Locator:
        """The head of a tool card that names `text`."""
        return self.log.locator("maia-tool-call summary").filter(has_text=text)

    @property
    def stop(self) -> Locator:
        """The button of the activity line; it stands there while an agent answers."""
        return self.page.locator("maia-activity").get_by_role("button", name="Stop")

    async def idle(self) -> None:
        """Returns when nobody answers any more."""
        await expect(self.page.locator("maia-activity").get_by_role("button")).to_have_count(0)
        await expect(self.log.locator("[aria-busy=true]")).to_have_count(0)

    async def said(self) -> list[str]:
        """Every message as it reads, the texts of the messages only."""
        bodies = self.log.locator("maia-markdown")
        return [text.strip() for text in await bodies.all_inner_texts()]

    async def shows_what(self, other: App) -> None:
        """Returns when both pages read the same, message for message."""
        async with asyncio.timeout(EXPECT_MS / 1000):
            while await self.said() != await other.said():
                await self.page.evaluate("() => new Promise(requestAnimationFrame)")

    async def rests(self) -> None:
        """Returns when the conversation has stopped moving under a turn of the wheel."""
        await self.page.evaluate(
            """() => new Promise((done) => {
              const log = document.querySelector('#timeline');
              let [top, still] = [log.scrollTop, 0];
              const look = () => {
                still = log.scrollTop === top ? still + 1 : 0;
                top = log.scrollTop;
                if (still > 8) done(); else requestAnimationFrame(look);
              };
              look();
            })"""
        )

    # ---- beside it ---------------------------------------------------------------------------

    @property
    def panel(self) -> Locator:
        """Files, Terminal, Todos, Changes."""
        return self.page.get_by_role("complementary", name="Workspace tools")

    def file(self, name: str) -> Locator:
        """A file in the tree."""
        return self.panel.get_by_role("treeitem").filter(has_text=name)

    async def show(self, tab: str) -> None:
        """Shows a tab of the panel; some have a count behind their name."""
        await self.panel.get_by_role("tab", name=re.compile(f"^{tab}")).first.click()

    @property
    def dialog(self) -> Locator:
        """The dialog that is open."""
        return self.page.get_by_role("dialog")

    async def until(self, condition: str) -> None:
        """Returns when a JavaScript expression holds (the page's policy forbids the ready way)."""
        look = f"() => ({condition}) ? done() : requestAnimationFrame(look)"
        async with asyncio.timeout(EXPECT_MS / 1000):
            await self.page.evaluate(
                f"() => new Promise((done) => {{ const look = {look}; look(); }})"
            )

    async def leave_fields(self) -> None:
        """Puts the focus on the conversation, as a click into it does."""
        await self.log.focus()
