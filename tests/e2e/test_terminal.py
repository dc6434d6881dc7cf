"""The terminal is a real shell in the sandbox."""

from __future__ import annotations

import asyncio
import contextlib
import re

from playwright.async_api import Locator

from tests.e2e.app import App, expect
from tests.e2e.world import World


def screen(app: App) -> Locator:
    """What the shell that is shown has printed, as a screen reader finds it."""
    return app.panel.locator("maia-terminal:not([hidden]) .xterm-accessibility-tree")


async def shell(app: App) -> None:
    """Shows the terminal, readable for a test as for a screen reader, with the focus in it."""
    await app.show("Terminal")
    reader = app.panel.get_by_role("button", name="Screen reader mode")
    await expect(app.panel.get_by_text("Connected to the sandbox")).to_be_visible()
    if await reader.get_attribute("aria-pressed") == "false":
        await reader.click()
    await app.panel.get_by_role("textbox", name="Terminal input").focus()


async def new_shell(app: App) -> None:
    """Opens another terminal; it has the focus, and its shell waits for a command."""
    tabs = app.panel.get_by_role("tablist", name="Terminals").get_by_role("tab")
    before = await tabs.count()
    await app.panel.get_by_role("button", name="New terminal").click()
    await expect(tabs).to_have_count(before + 1)
    await shell(app)
    await expect(screen(app)).to_have_text(re.compile(r"^/workspace \$\s*$"))


async def run(app: App, command: str) -> None:
    await app.page.keyboard.type(command)
    await app.page.keyboard.press("Enter")


async def test_a_shell_prints_what_is_typed_and_survives_a_reload(world: World) -> None:
    room = world.room()
    alice = await world.open("alice", room)
    await shell(alice)
    await run(
        alice,
        r"printf 'h\303\251llo w\303\266rld \360\237\214\215 \346\227\245\n'; pwd; name=kept",
    )
    await expect(screen(alice)).to_contain_text("héllo wörld 🌍 日")
    await expect(screen(alice)).to_contain_text("/workspace")
    await run(alice, "echo made > made.txt; touch ~/mine")
    await alice.show("Files")
    await expect(alice.file("made.txt")).to_be_visible()
    assert (room.folder / "made.txt").read_text() == "made\n"

    await alice.page.reload()
    await shell(alice)
    await expect(screen(alice)).to_contain_text("héllo wörld 🌍 日")
    await run(alice, "echo the-same-$name")
    await expect(screen(alice)).to_contain_text("the-same-kept")


async def test_colours_are_drawn_and_the_shell_knows_its_size(world: World) -> None:
    alice = await world.open("alice", world.room())
    await shell(alice)
    await alice.page.reload()
    await shell(alice)
    await run(alice, "printf '\\033[31mr%s\\033[0m\\n' ed")
    rows = alice.panel.locator(".xterm-rows span").filter(has_text=re.compile("^red$"))
    await expect(rows).to_have_css("color", re.compile(r"rgb\((2\d\d|1[5-9]\d), \d+, \d+\)"))

    size = alice.panel.get_by_text(re.compile(r"^\d+ × \d+$"))
    columns, rows_ = await agreed_size(alice, size)
    divider = alice.page.get_by_role("separator", name="Width of the panel")
    await divider.focus()
    await divider.press("Shift+ArrowLeft")
    await expect(size).not_to_have_text(f"{columns} × {rows_}")
    await alice.panel.get_by_role("textbox", name="Terminal input").focus()
    wider, _rows = await agreed_size(alice, size)
    assert wider > columns


async def agreed_size(alice: App, size: Locator) -> tuple[int, int]:
    """Returns columns and rows once page and shell say the same: a font may still arrive."""
    async with asyncio.timeout(60):
        while True:
            columns, rows_ = (await size.inner_text()).split(" × ")
            await run(alice, "stty size")
            with contextlib.suppress(AssertionError):
                await expect(screen(alice)).to_contain_text(f"{rows_} {columns}", timeout=3_000)
                return int(columns), int(rows_)


async def test_shells_are_apart_and_end(world: World) -> None:
    alice = await world.open("alice", world.room())
    await shell(alice)
    await run(alice, "echo in-the-first")
    await expect(screen(alice)).to_contain_text("in-the-first")
    await new_shell(alice)
    tabs = alice.panel.get_by_role("tablist", name="Terminals").get_by_role("tab")
    await expect(tabs).to_have_count(2)
    await expect(screen(alice)).not_to_contain_text("in-the-first")
    # Esc and Ctrl+K are the shell's while it has the focus.
    # Keys are for a program that says that it runs: in the moment in which bash starts it the
    # terminal itself changes hands, and loses what is typed at a machine's speed.
    await run(alice, "sh -c 'echo runs-$((4)); exec cat'")
    await expect(screen(alice)).to_contain_text("runs-4")
    await alice.page.keyboard.press("Escape")
    await alice.page.keyboard.press("Control+k")
    await expect(alice.dialog).to_have_count(0)
    await alice.page.keyboard.press("Control+c")
    # What is typed before the shell is back goes to whom it ends.
    await expect(screen(alice)).to_contain_text(re.compile(r"runs-4.*/workspace \$\s*$", re.DOTALL))
    await run(alice, "exit 3")
    await expect(alice.panel.get_by_text("exit 3 · press Enter to close")).to_be_visible()
    await alice.panel.get_by_role("textbox", name="Terminal input").last.focus()
    await alice.page.keyboard.press("Enter")
    await expect(tabs).to_have_count(1)
    await expect(screen(alice)).to_contain_text("in-the-first")
    await expect(alice.panel.get_by_role("textbox", name="Terminal input")).to_be_focused()
    await alice.page.keyboard.press("Control+Shift+Escape")
    await expect(alice.panel.get_by_role("tab", name="Terminal", exact=True)).to_be_focused()
