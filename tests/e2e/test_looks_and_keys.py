"""Languages, themes, narrow screens, and what the keyboard does."""

from __future__ import annotations

import re

from playwright.async_api import Locator, Page

from tests.e2e.app import App, expect
from tests.e2e.world import World
from tests.support.openai_behaviours import answer, call, text, thought, tool_answer

PHONE = (390, 844)
# Words that stand somewhere on these pages in English, and in no French text.
ENGLISH = re.compile(
    r"\b(the|and|with|your|you|this|message|send|settings|channels?|workspace|files|todos|"
    r"changes|allow|deny|always|stop|new|edit|remove|queued|today|thought|done|password|"
    r"username|people|make|save|name|language|theme|sandbox|members?|answer|open)\b",
    re.IGNORECASE,
)
# French words that look English, names, and what the guide never translates (§9).
FRENCH_TOO = re.compile(
    r"\bmessages?\b|\bStop\b|Open[AR]\w*|atelier-\d+|Bash\([^)]*\)|/\S+|\bMAIA\b", re.IGNORECASE
)
OUTLINE = """element => {
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
  return (outlineStyle !== "none" && parseFloat(outlineWidth) >= 1) || boxShadow !== "none";
}"""


async def english_in(page: Page) -> list[str]:
    """Returns the English words a reader, or a screen reader, meets on the page."""
    shown = await page.evaluate(
        """() => [document.body.innerText, document.title,
          ...[...document.querySelectorAll("[aria-label], [title], [placeholder]")]
            .filter((each) => !each.lang && !each.closest("[lang]:not(html)"))
            .flatMap((each) => ["aria-label", "title", "placeholder"]
              .map((name) => each.getAttribute(name) ?? ""))].join("\\n")"""
    )
    lines = [FRENCH_TOO.sub("", line) for line in shown.splitlines()]
    return [line for line in lines if ENGLISH.search(line)]


async def test_everything_is_french_for_who_chose_french(world: World) -> None:
    world.model.script(
        answer(
            thought("Voyons."),
            text("Bonjour."),
            call(0, "a", "Read", '{"path": "notes.txt"}'),
            reason="tool_calls",
        ),
        tool_answer("Bash", {"command": "ls -l"}, "b"),
        answer(text("Voilà.")),
    )
    room = world.room(owner="denis", channel="sortie", members={"bob": "editor"})
    (room.folder / "notes.txt").write_text("un\n")
    denis = await world.open("denis", room, path="/account")
    page = denis.page
    await page.get_by_label("Language").select_option("Français")
    await page.get_by_role("button", name="Save").first.click()
    await expect(page.get_by_role("heading", name="Mon compte")).to_be_visible()
    found = await english_in(page)
    await page.goto(room.path)
    field = page.get_by_role("textbox", name="Message pour #sortie")
    await field.fill("@maia Montrez-moi")
    await field.press("Enter")
    request = page.get_by_role("group", name="maia veut exécuter une commande")
    await expect(request).to_be_visible()
    found += await english_in(page)
    await request.get_by_role("button", name="Toujours autoriser").click()
    found += await english_in(page)
    await page.keyboard.press("Escape")
    await page.get_by_role("log", name="Conversation").focus()
    await expect(request.get_by_role("button", name="Autoriser une fois")).to_contain_text("O")
    await denis.heed_keys()
    await page.keyboard.press("o")
    await expect(page.get_by_text("Autorisé une fois par vous")).to_be_visible()
    await expect(page.get_by_text("Voilà.")).to_be_visible()
    found += await english_in(page)
    for tab in ("Terminal", "Tâches", "Modifs", "Fichiers"):
        await page.get_by_role("tab", name=re.compile(f"^{tab}")).first.click()
        found += await english_in(page)
    await page.get_by_role("log", name="Conversation").focus()
    for key in ("?", "Control+k"):
        await page.keyboard.press(key)
        await expect(page.get_by_role("dialog")).to_be_visible()
        found += await english_in(page)
        await page.keyboard.press("Escape")
    assert found == []


async def test_pages_are_french_in_a_french_browser(world: World) -> None:
    room = world.room(members={"bob": "editor"})
    alice = (await world.open("alice", room, path="/account", language="fr-FR")).page
    found = await english_in(alice)
    for path in ("/admin/models", f"/w/{room.workspace}/settings", "/w/new", room.path):
        await alice.goto(path)
        await expect(alice.locator("html")).to_have_attribute("lang", "fr")
        found += await english_in(alice)
    await alice.goto("/admin/people")
    await alice.get_by_role("button", name="Créer le lien").click()
    found += await english_in(alice)
    link = await alice.locator("input[readonly]").input_value()
    guest = await world.browsers.page(world.site.server, path=link, language="fr-FR")
    await guest.get_by_role("button", name="Créer mon compte").click()
    found += await english_in(guest)
    await guest.goto("/sign-in")
    found += await english_in(guest)
    world.browsers.problems.allow("status of (404|422)")
    await guest.goto("/setup/nothing")
    found += await english_in(guest)
    assert found == []


async def test_language_and_theme_are_changed_and_kept(world: World) -> None:
    alice = await world.open("erin", world.room(owner="erin"))
    page = alice.page
    html = page.locator("html")
    light = await page.evaluate("getComputedStyle(document.body).backgroundColor")
    await page.get_by_role("button", name="Change theme").click()
    await expect(html).to_have_attribute("data-theme", "dark")
    await expect(page.locator("body")).not_to_have_css("background-color", light)
    await page.get_by_role("button", name="Passer en français").click()
    await expect(page.get_by_role("textbox", name="Message pour maia")).to_be_visible()
    await page.reload()
    await expect(html).to_have_attribute("data-theme", "dark")
    await expect(html).to_have_attribute("lang", "fr")
    await page.get_by_role("button", name="Switch to English").click()
    await expect(alice.composer).to_be_visible()
    await alice.leave_fields()
    await page.keyboard.press("Control+Shift+L")
    await expect(html).to_have_attribute("data-theme", "light")


async def test_a_phone_has_one_column_a_drawer_and_a_sheet(world: World) -> None:
    world.model.script(tool_answer("Bash", {"command": "make " + "a-long-word-" * 20}))
    room = world.room()
    (room.folder / "notes.txt").write_text("one\n")
    alice = await world.open("alice", room, size=PHONE, has_touch=True)
    page = alice.page
    side = page.get_by_role("navigation", name="Workspace")
    await expect(alice.composer).to_be_visible()
    await expect(side).to_have_count(0)
    await page.get_by_role("button", name="Open the sidebar").tap()
    await expect(side.get_by_role("button", name=re.compile("^maia"))).to_be_visible()
    box = await side.bounding_box()
    assert box is not None
    assert box["width"] <= PHONE[0] * 0.86 + 1
    await page.keyboard.press("Escape")
    await expect(side).to_have_count(0)

    await alice.say("Make it")
    request = alice.request()
    await expect(request).to_be_visible()
    buttons = request.get_by_role("button")
    for button in await buttons.all():
        size = await button.bounding_box()
        assert size is not None
        assert size["height"] >= 44, await button.evaluate("element => element.outerHTML")
    assert await page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]

    await page.get_by_role("button", name="Side panel").tap()
    await alice.file("notes.txt").tap()
    await expect(alice.panel.get_by_role("textbox", name="Content of notes.txt")).to_be_visible()
    sheet = await alice.panel.bounding_box()
    assert sheet is not None
    assert sheet["width"] == PHONE[0]
    assert abs(sheet["height"] - PHONE[1] * 0.88) < 2
    await alice.panel.get_by_role("button", name="Close", exact=True).tap()
    await expect(alice.composer).to_be_visible()
    await expect(alice.panel).to_have_count(0)


async def test_the_keyboard_reaches_everything(world: World) -> None:
    first = world.room(channel="first")
    client = world.site.client("alice")
    made = client.post(
        "/api/channels",
        json={"workspace": first.workspace, "name": "second", "members": ["maia"]},
    )
    assert made.is_success
    alice = await world.open("alice", first)
    page, keys = alice.page, alice.page.keyboard
    title = page.get_by_role("heading", level=1)
    await expect(title).to_have_text("first")
    await alice.leave_fields()
    await keys.press("Alt+ArrowDown")
    await expect(title).to_have_text("second")
    await keys.press("Alt+ArrowUp")
    await expect(title).to_have_text("first")

    await alice.leave_fields()
    await keys.press("?")
    await expect(alice.dialog.get_by_role("heading")).to_have_text("Keyboard shortcuts")
    await keys.press("Escape")
    await expect(alice.dialog).to_have_count(0)
    await expect(alice.log).to_be_focused()
    await alice.composer.press("?")
    await expect(alice.composer).to_have_value("?")
    await alice.composer.fill("")

    await keys.press("Control+j")
    await expect(alice.panel).to_have_count(0)
    await keys.press("Control+j")
    await expect(alice.panel).to_be_visible()
    await keys.press("Control+3")
    await expect(alice.panel.get_by_role("tab", name="Todos")).to_have_attribute(
        "aria-selected", "true"
    )
    await keys.press("Control+k")
    await expect(alice.dialog.get_by_role("combobox", name="Search")).to_be_focused()
    await keys.type("second")
    await keys.press("Enter")
    await expect(title).to_have_text("second")

    await alice.composer.fill("line one")
    await alice.composer.press("Shift+Enter")
    await keys.type("line two")
    await expect(alice.composer).to_have_value("line one\nline two")
    await alice.composer.press("Enter")
    await expect(alice.answer).to_contain_text("line two")
    await alice.composer.press("ArrowUp")
    await expect(alice.composer).to_have_value("line one\nline two")
    await alice.composer.fill("@ma")
    await alice.composer.press("Tab")
    await expect(alice.composer).to_have_value("@maia ")
    await alice.composer.fill("")
    await alice.idle()
    await _messages_by_key(alice)


async def _messages_by_key(alice: App) -> None:
    keys = alice.page.keyboard
    articles = alice.log.get_by_role("article")
    await alice.leave_fields()
    await keys.press("j")
    await expect(articles.first).to_be_focused()
    await keys.press("j")
    await expect(alice.answer).to_be_focused()
    await keys.press(".")
    await expect(alice.answer.get_by_role("button", name="Copy").first).to_be_focused()
    await keys.press("k")
    await expect(articles.first).to_be_focused()

    await keys.press("?")
    await alice.dialog.get_by_role("switch").or_(alice.dialog.get_by_role("checkbox")).check()
    await keys.press("Escape")
    await expect(articles.first).to_be_focused()
    await expect(alice.page.get_by_text("Ctrl+Enter sends · Enter adds a line")).to_be_visible()
    await alice.composer.press("Enter")
    await keys.type("sent")
    await expect(alice.composer).to_have_value("\nsent")
    await alice.composer.press("Control+Enter")
    await expect(alice.answer).to_contain_text("[Alice] sent")


async def test_the_focus_is_always_seen(world: World) -> None:
    room = world.room()
    for scheme in ("light", "dark"):
        alice = await world.open("alice", room, scheme=scheme)
        await expect(alice.composer).to_be_visible()
        await alice.page.evaluate("document.activeElement.blur()")
        seen = []
        for _ in range(25):
            await alice.page.keyboard.press("Tab")
            focused = alice.page.locator("*:focus")
            if not await focused.count():
                break
            seen.append(await _name(focused))
            assert await _ringed(alice, focused), f"no ring on {seen[-1]} ({scheme})"
        assert len(seen) > 12


async def _ringed(alice: App, focused: Locator) -> bool:
    """Whether the element or what frames it shows that it has the focus."""
    if await focused.evaluate(OUTLINE):
        return True
    frame = alice.page.locator(".composer-box:focus-within")
    return await frame.count() > 0 and await focused.evaluate("e => e.tagName") == "TEXTAREA"


async def _name(focused: Locator) -> str:
    return str(await focused.evaluate("e => e.outerHTML.slice(0, 120)"))
