"""Whoever ends their other sessions goes on; what is open elsewhere is over at once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack

import httpx
import pytest

from tests.e2e.app import App, expect
from tests.e2e.test_terminal import new_shell, run, screen, shell
from tests.e2e.world import Room, World

AT_ONCE_MS = 5_000  # less than any look from time to time


@pytest.fixture
def sessions(world: World) -> Iterator[list[httpx.Client]]:
    """Two sign-ins of erin's of this test alone; the one that the others share ends too."""
    with ExitStack() as opened:
        yield [opened.enter_context(world.site.server.sign_in("erin")) for _ in range(2)]
    world.site.clients.pop("erin", None)


async def open_shell(world: World, session: httpx.Client, room: Room, name: str) -> App:
    """Opens the conversation in a browser of its own, and a shell of its own there."""
    page = await world.browsers.page(
        world.site.server, cookies=dict(session.cookies), path=room.path
    )
    await expect(page.locator(".shell")).not_to_have_class(re.compile("offline"))
    app = App(page)
    await shell(app)
    await new_shell(app)
    await run(app, f"echo in-{name}-$((1))")
    await expect(screen(app)).to_contain_text(f"in-{name}-1")
    return app


async def test_end_other_sessions_with_a_terminal_open_in_both(
    world: World, sessions: list[httpx.Client]
) -> None:
    room = world.room(channel="release", members={"erin": "editor"})
    mine = await open_shell(world, sessions[0], room, "mine")
    other = await open_shell(world, sessions[1], room, "other")

    account = await mine.page.context.new_page()
    await account.goto(f"{world.site.server.url}/account")
    await account.get_by_role("button", name="End the other sessions").click()
    await expect(account.get_by_text("Your other sessions are ended.")).to_be_visible()
    await account.close()

    signed_out = other.page.get_by_text("You are signed out.")
    await expect(signed_out).to_be_visible(timeout=AT_ONCE_MS)
    await mine.panel.get_by_role("textbox", name="Terminal input").last.focus()
    await run(mine, "echo still-$((2))")
    await expect(screen(mine)).to_contain_text("still-2")
    await mine.say("!echo on-$((3))")
    await expect(mine.log).to_contain_text("on-3")
