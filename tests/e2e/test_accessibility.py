"""axe-core finds nothing on any page, in both themes, wide and narrow."""

from __future__ import annotations

import pytest
from playwright.async_api import Page

from tests.e2e.app import App, expect
from tests.e2e.axe import findings
from tests.e2e.test_terminal import shell
from tests.e2e.world import World
from tests.support.browser import Browsers
from tests.support.fixtures import StartServer
from tests.support.openai_behaviours import answer, call, text, thought, tool_answer

WIDE, NARROW = (1440, 900), (390, 844)
LOOKS = [(scheme, size) for scheme in ("light", "dark") for size in (WIDE, NARROW)]


def in_looks(*looks: tuple[str, tuple[int, int]]) -> pytest.MarkDecorator:
    """Runs a test once for each look."""
    names = [f"{scheme}-{size[0]}" for scheme, size in looks]
    return pytest.mark.parametrize(("scheme", "size"), looks, ids=names)


# A page of forms has the same elements in each look: each theme and each width once will do.
TWO_LOOKS = in_looks(("light", WIDE), ("dark", NARROW))
RICH = """## A heading

Text with `code`, **strong**, a [link](https://example.org/) and a list:

- one
- [x] two

| file | lines |
| --- | --- |
| a.py | 12 |

```python
print("a long line" * 3)  # comment
```

> quoted
"""
BASH = '{"command": "ls && rm -r build"}'


@TWO_LOOKS
async def test_pages_for_people_have_no_finding(
    world: World, scheme: str, size: tuple[int, int]
) -> None:
    room = world.room(members={"bob": "editor"})
    alice = (await world.open("alice", room, path="/account", scheme=scheme, size=size)).page
    found = await findings(alice)
    for path in (
        "/admin/models", f"/w/{room.workspace}/settings", "/api/websocket", "/w/new",
        "/account/files/bashrc",
    ):  # fmt: skip
        await alice.goto(path)
        found += await findings(alice)
    await alice.goto("/admin/people")
    await alice.get_by_role("button", name="Make the link").click()
    link = await alice.get_by_role("textbox", name="The invitation is ready.").input_value()
    found += await findings(alice)
    guest = await world.browsers.page(world.site.server, path=link, scheme=scheme, size=size)
    await guest.get_by_role("button", name="Create my account").click()
    await expect(guest.locator(".error-text").first).to_be_visible()
    found += await findings(guest)
    await guest.goto("/sign-in")
    found += await findings(guest)
    world.browsers.problems.allow("status of (404|422)")
    await guest.goto("/setup/nothing")
    found += await findings(guest)
    assert "\n".join(found) == ""


@TWO_LOOKS
async def test_pages_about_rules_and_sessions_have_no_finding(
    world: World, scheme: str, size: tuple[int, int]
) -> None:
    world.model.script(
        tool_answer("Bash", {"command": "make it"}), answer(text("A.")), answer(text("B."))
    )
    room = world.room()
    settings = room.folder / ".maia" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"permissions": {"allow": ["Bash(make *)", "Bash("]}}')
    app = await world.open("alice", room, scheme=scheme, size=size)
    alice = app.page
    await app.say("Make it")
    await expect(app.request()).to_be_visible()
    await alice.goto("/inbox")
    await expect(alice.get_by_role("article").first).to_be_visible()
    found = await findings(alice)
    await alice.get_by_role("article").first.get_by_role("button", name="Allow once").click()
    await expect(alice.get_by_text("Nothing waits for you.")).to_be_visible()
    tried = f"call=git+push+%26%26+ls+%3E+x&workspace={room.workspace}"
    for path in (
        "/inbox", "/admin/agents", "/admin/audit", "/admin/audit?since=never", "/admin/rules/cases",
        f"/admin/rules?{tried}", "/admin/rules?new=1&text=Bash(make+*)", "/account/rules?q=nothing",
        f"/w/{room.workspace}/rules", f"{room.path}/sessions", f"{room.path}/sessions?q=nothing",
    ):  # fmt: skip
        await alice.goto(path)
        found += await findings(alice)
        assert await alice.evaluate("document.documentElement.scrollWidth") <= size[0], path
    world.browsers.problems.allow("status of 422|does not conform to the required format")
    assert "\n".join(found) == ""


@in_looks(*LOOKS)
async def test_the_app_has_no_finding(world: World, scheme: str, size: tuple[int, int]) -> None:
    world.model.script(
        answer(
            thought("Let me look."),
            text(RICH),
            call(0, "a", "Read", '{"path": "notes.md"}'),
            call(1, "b", "TodoWrite", '{"todos": [{"content": "Look", "status": "completed"}]}'),
            reason="tool_calls",
        ),
        tool_answer("Write", {"path": "new.md", "content": "# New\n\none\n"}, "c"),
        answer(text("And now:"), call(0, "d", "Bash", BASH), reason="tool_calls"),
    )
    room = world.room(channel="release", members={"bob": "editor"})
    (room.folder / "notes.md").write_text("# Notes\n\nSome *text*.\n")
    # Colours are judged as they stay, not on their way there.
    still = {"reduced_motion": "reduce"}
    alice = await world.open("alice", room, scheme=scheme, size=size, **still)
    await expect(alice.composer).to_be_visible()
    found = await findings(alice.page)
    await alice.say("@maia Show everything you have")
    await alice.request("maia wants to change a file").get_by_role("button").first.click()
    request = alice.request("maia wants to run a command")
    await expect(request).to_be_visible()
    await alice.say("@maia This waits")
    await expect(alice.log.get_by_text("QUEUED")).to_be_visible()
    found += await findings(alice.page)
    for name in ("Always allow", "Deny with a word"):
        await request.get_by_role("button", name=name).click()
        found += await findings(alice.page)
    found += await _dialogs(alice)
    found += await _panel(alice, narrow=size == NARROW)
    assert "\n".join(found) == ""


async def _dialogs(alice: App) -> list[str]:
    """Looks at the palette, the list of keys, a form, and the completion."""
    await alice.leave_fields()
    await alice.page.keyboard.press("Control+k")
    await expect(alice.dialog.get_by_role("option").first).to_be_visible()
    found = await findings(alice.page)
    await alice.page.keyboard.press("Escape")
    await alice.page.keyboard.press("?")
    await expect(alice.dialog.get_by_text("Keyboard shortcuts")).to_be_visible()
    found += await findings(alice.page)
    await alice.page.keyboard.press("Escape")
    await alice.composer.fill("@m")
    await expect(alice.page.get_by_role("listbox", name="Agents")).to_be_visible()
    found += await findings(alice.page)
    await alice.composer.fill("")
    await alice.page.get_by_role("button", name="Channel menu").click()
    await alice.page.get_by_role("button", name="Rename…").click()
    await expect(alice.dialog.get_by_label("Name")).to_be_focused()
    found += await findings(alice.page)
    await alice.page.keyboard.press("Escape")
    return found


async def _panel(alice: App, *, narrow: bool) -> list[str]:
    """Looks at each tab of the panel, and on a narrow screen at the drawer."""
    found: list[str] = []
    if narrow:
        await alice.page.get_by_role("button", name="Open the sidebar").click()
        found += await findings(alice.page)
        await alice.page.keyboard.press("Escape")
        await alice.page.get_by_role("button", name="Side panel").click()
    await alice.show("Files")
    await alice.file("new.md").click()
    await expect(alice.panel.get_by_role("textbox", name="Content of new.md")).to_be_visible()
    found += await findings(alice.page)
    for tab in ("Todos", "Changes"):
        await alice.show(tab)
        found += await findings(alice.page)
    await shell(alice)
    found += await findings(alice.page)
    return found


async def test_the_first_start_has_no_finding(
    start_server: StartServer, browsers: Browsers
) -> None:
    server = start_server()
    page = await browsers.page(server, path=server.setup_link().removeprefix(server.url))
    found = await _every_look(page)
    await page.get_by_label("Your name").fill("Camille")
    await page.get_by_label("Username").fill("camille")
    await page.get_by_label("Password", exact=True).fill("correct horse battery staple")
    for title in ("Where do your models run?", "Where do commands run?"):
        await page.get_by_role("button", name="Continue").click()
        await expect(page.get_by_role("heading", name=title)).to_be_visible()
        found += await _every_look(page)
        if title.startswith("Where do your"):
            await page.get_by_text("Offline demo").click()
    await page.get_by_role("button", name="Open MAIA").click()
    await expect(page.get_by_role("heading", name="Welcome, Camille")).to_be_visible()
    found += await _every_look(page)
    assert "\n".join(found) == ""


async def _every_look(page: Page) -> list[str]:
    found: list[str] = []
    for scheme, (width, height) in LOOKS:
        await page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        await page.set_viewport_size({"width": width, "height": height})
        found += await findings(page)
    return found
