"""What each of two people sees in their sidebar while something happens elsewhere."""

from __future__ import annotations

import re

import httpx
from playwright.async_api import Locator, Page

from tests.e2e.app import App, expect
from tests.support.browser import Browsers
from tests.support.fixtures import StartServer
from tests.support.openai_behaviours import Gate, answer, call, text
from tests.support.openai_server import ScriptedServer
from tests.support.server import MaiaServer


def entry(page: Page, name: str) -> Locator:
    return page.locator("#side").get_by_role("link", name=re.compile(f"^{name}"))


def post(client: httpx.Client, path: str, **body: object) -> str:
    made = client.post(path, json=body)
    made.raise_for_status()
    found = made.json()
    return str(found.get("id", "")) if isinstance(found, dict) else ""


async def test_a_sidebar_follows_what_happens_in_other_channels(
    maia: MaiaServer,
    model_server: ScriptedServer,
    browsers: Browsers,
) -> None:
    chosen = {"kind": "openai", "url": model_server.url, "model": "scripted"}
    maia.prepare("alice", "bob", model=chosen)
    with maia.sign_in("alice") as alice:
        workspace = post(alice, "/api/workspaces", name="atelier")
        post(alice, f"/api/workspaces/{workspace}/members", username="bob", role="editor")
        here, there = (
            post(alice, "/api/channels", workspace=workspace, name=name, members=["maia"])
            for name in ("here", "there")
        )
        bob = App(await browsers.page(maia, "bob", path=f"/w/{workspace}/c/{here}"))
        await expect(bob.composer).to_be_visible()
        await expect(entry(bob.page, "there")).to_have_text("there")

        gate = Gate()
        model_server.script(
            answer(
                text("One "), gate, call(0, "a", "Bash", '{"command": "date"}'), reason="tool_calls"
            )
        )
        post(alice, f"/api/channels/{there}/messages", text="@maia what time is it?")
        await expect(entry(bob.page, "there")).to_contain_text("answering")
        gate.open()
        await expect(entry(bob.page, "there")).to_contain_text("1 request waiting")
        post(alice, f"/api/channels/{there}/cancel", keepQueued=False)
        await expect(entry(bob.page, "there")).to_contain_text("2 unread messages")

        for number in range(101):
            post(alice, f"/api/channels/{there}/messages", text=f"and then {number}")
        await expect(entry(bob.page, "there").locator(".count")).to_have_text("99+")
        await expect(entry(bob.page, "there")).to_contain_text("More than 99 unread messages")
        await expect(bob.page).to_have_title("(99+) #here · MAIA")

        late = post(alice, "/api/channels", workspace=workspace, name="late")
        await expect(entry(bob.page, "late")).to_be_visible()
        own = post(alice, "/api/channels/direct", workspace=workspace, agent="maia")
        post(alice, f"/api/channels/{own}/messages", text="/help")
        alice.patch(f"/api/channels/{late}", json={"name": "later"}).raise_for_status()
        await expect(entry(bob.page, "later")).to_be_visible()
        assert not await bob.page.locator(f"[data-channel='{own}']").count()

        second = await browsers.page(maia, "bob", path=f"/w/{workspace}/c/{here}")
        await expect(entry(second, "there").locator(".count")).to_have_text("99+")
        await entry(bob.page, "there").click()
        await expect(entry(second, "there")).to_have_text("there")
        await expect(second).to_have_title("#here · MAIA")
        alice.delete(f"/api/channels/{late}").raise_for_status()
        await expect(entry(second, "later")).to_have_count(0)
        await expect(second.locator("#side .nav[data-channel]")).to_have_count(2)


async def test_the_people_of_a_workspace_come_in_pages(
    start_server: StartServer, browsers: Browsers
) -> None:
    crowd = [f"guest{number}" for number in range(101)]
    maia = start_server()
    maia.prepare("alice", *crowd, model={"kind": "demo"})
    with maia.sign_in("alice") as alice:
        workspace = post(alice, "/api/workspaces", name="hall")
        for name in crowd:
            post(alice, f"/api/workspaces/{workspace}/members", username=name, role="viewer")
        hall = post(alice, "/api/channels", workspace=workspace, name="hall", members=["maia"])
        page = await browsers.page(maia, "alice", path=f"/w/{workspace}/c/{hall}")
        await expect(
            page.get_by_role("img", name=re.compile("94 more people, maia$"))
        ).to_be_visible()
        await page.get_by_role("button", name="Channel menu").click()
        await page.get_by_role("button", name="About this conversation").click()
        dialog = page.get_by_role("dialog")
        await expect(dialog.locator(".info-row", has_text="guest")).to_have_count(99)
        await dialog.get_by_role("button", name="Show more people").click()
        await expect(dialog.locator(".info-row", has_text="guest")).to_have_count(101)
        await expect(dialog.get_by_role("button", name="Show more people")).to_have_count(0)
