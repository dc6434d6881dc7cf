"""Arabic and Hebrew: every name runs its own way, and turns nothing around it."""

from __future__ import annotations

from playwright.async_api import Locator

from tests.e2e.app import expect
from tests.e2e.world import World
from tests.support.openai_behaviours import answer, text, tool_answer

WORKSPACE, CHANNEL, FILE = "مشروع (تجربة)", "محادثة، العمل!", "ملف جديد.txt"
DIRECTION = "one => getComputedStyle(one).direction"
STAND = """(whole, words) => {
  const place = (word) => {
    const walker = document.createTreeWalker(whole, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const at = walker.currentNode.data.indexOf(word);
      if (at < 0) continue;
      const range = new Range();
      range.setStart(walker.currentNode, at);
      range.setEnd(walker.currentNode, at + word.length);
      return range.getBoundingClientRect().x;
    }
    return NaN;
  };
  const places = words.map(place);
  return places.every((x, index) => index === 0 || x > places[index - 1]);
}"""


async def stand_so(whole: Locator, *words: str) -> bool:
    """Whether the words of one line stand in this order from left to right."""
    await expect(whole).to_be_visible()
    found: bool = await whole.evaluate(STAND, list(words))
    return found


async def runs_from_right(one: Locator) -> bool:
    """Whether an element runs from right to left."""
    await expect(one.first).to_be_visible()
    found: str = await one.first.evaluate(DIRECTION)
    return found == "rtl"


async def test_names_run_their_own_way_and_turn_nothing(world: World) -> None:
    room = world.room(name=WORKSPACE, channel=CHANNEL)
    (room.folder / "docs").mkdir()
    (room.folder / "docs" / FILE).write_text("نص")
    (room.folder / FILE).write_text("نص")
    world.model.script(
        tool_answer("Read", {"path": f"docs/{FILE}"}), answer(text("تم (بنجاح).\n\nDone: 3."))
    )
    app = await world.open("alice", room)
    page = app.page
    await app.say(f"اقرأ الملف من فضلك.\nthen @'{FILE}' please!")
    await expect(app.answer).to_contain_text("Done: 3.")

    for name in (".ws-name", ".nav[aria-current=page] .ellipsis", ".topbar h1 .ellipsis"):
        assert await runs_from_right(page.locator(name)), name
    await app.show("Files")
    assert await runs_from_right(app.file(FILE).locator(".ellipsis"))
    assert await stand_so(app.log.locator("maia-tool-call .tool-target"), "docs/", "txt", "ملف")
    assert await runs_from_right(app.log.locator(".bubble p"))

    await app.say("/rename جلسة اليوم!")
    reply = app.log.locator("maia-reply maia-markdown").last
    assert await stand_so(reply, "“", "!", "جلسة", "”", "now")
    assert await runs_from_right(app.log.locator("maia-reply .reply-line .ellipsis")) is False

    await page.get_by_role("button", name="Channel menu").click()
    await page.get_by_role("button", name="Rename…").click()
    field = page.get_by_role("dialog").get_by_role("textbox").first
    assert await runs_from_right(field)


async def test_pages_and_their_fields_do_too(world: World) -> None:
    room = world.room(name=WORKSPACE, channel=CHANNEL)
    app = await world.open("alice", room)
    await app.say("/rename جلسة اليوم!")
    await expect(app.log.locator("maia-reply")).to_have_count(1)
    page = app.page
    await page.goto(f"{world.site.server.url}/w/{room.workspace}/settings")
    assert await runs_from_right(page.locator("h1 bdi"))
    assert await runs_from_right(page.get_by_label("Name", exact=True))
    await page.goto(f"{world.site.server.url}/w/{room.workspace}/rules")
    assert await stand_so(page.locator("h1"), "Rules", ")", "مشروع")
