"""A shared workspace, in the browser: made, shared, seen by the other, left again."""

from __future__ import annotations

import re

from playwright.async_api import expect

from tests.support.browser import Browsers
from tests.support.fixtures import StartServer


async def test_an_owner_shares_a_workspace_and_a_member_leaves_it(
    start_server: StartServer, browsers: Browsers
) -> None:
    server = start_server()
    server.prepare("alice", "bob", model={"kind": "demo"})
    alice = await browsers.page(server, "alice")
    await alice.locator(".ws").click()
    await alice.get_by_role("link", name="New workspace…").click()
    await alice.get_by_label("Name").fill("atelier")
    await alice.get_by_role("button", name="Make the workspace").click()
    await expect(alice.locator(".ws-name")).to_have_text("atelier")
    place = alice.url
    await alice.locator(".ws").click()
    await alice.get_by_role("link", name="Workspace settings").click()
    assert await alice.locator("datalist option").evaluate_all("all => all.map(o => o.value)") == [
        "bob"
    ]
    await alice.get_by_label("Username").fill("bob")
    waiting = await browsers.page(server, "bob")
    await expect(waiting.get_by_role("button", name="New channel").first).to_be_visible()
    await alice.get_by_role("button", name="Add").click()
    await waiting.locator(".ws").click()
    await expect(waiting.locator("#ws-menu")).to_contain_text("atelier")
    role = alice.get_by_role("combobox", name="Role of bob")
    change = alice.get_by_role("button", name="Change the role of bob")
    await expect(change).to_be_hidden()
    await role.select_option("viewer")
    await change.click()
    await expect(alice.get_by_role("status")).to_have_text("Saved.")

    bob = waiting
    await bob.get_by_role("button", name="atelier").click()
    await expect(bob.locator(".ws-name")).to_have_text("atelier")
    await bob.goto(f"{place}/settings")
    await expect(bob.locator("main")).to_contain_text("You are a viewer")
    await bob.get_by_label("Yes, take me out of this workspace").check()
    await bob.get_by_role("button", name="Leave the workspace").click()
    await expect(bob).not_to_have_url(re.compile("/settings$"))
    browsers.problems.allow("status of 404")
    gone = await bob.goto(place)
    assert gone is not None
    assert gone.status == 404
