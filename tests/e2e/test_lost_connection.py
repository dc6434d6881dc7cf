"""A tab that reloads or loses its connection in mid-answer shows exactly what was said."""

from __future__ import annotations

import re

from tests.e2e.app import EXPECT_MS, App, expect
from tests.e2e.world import Room, World
from tests.support.link import Link
from tests.support.openai_behaviours import answer, text, thought

LOST = r"Connection lost\. Your messages wait here"
# What a browser says while nobody answers.
ALLOWED = (
    r"ERR_(CONNECTION_(REFUSED|RESET|CLOSED)|EMPTY_RESPONSE|SOCKET_NOT_CONNECTED|NETWORK)"
    r"|WebSocket connection"
)


async def over(world: World, link: Link, person: str, room: Room) -> App:
    """Opens a page whose connection the test can cut."""
    world.browsers.problems.allow(ALLOWED)
    return await world.open(person, room, path=f"http://127.0.0.1:{link.port}{room.path}")


async def test_a_reload_in_mid_answer_changes_nothing(world: World) -> None:
    first, second = world.gate(), world.gate()
    world.model.script(
        answer(
            thought("Let me see."),
            text("# Title\n\nThe *first* paragraph.\n\n```python\nprint("),
            first,
            text('"é 🌍")\n```\n\nThe second'),
            second,
            text(" paragraph."),
        )
    )
    room = world.room()
    alice, other = [await world.open("alice", room) for _ in range(2)]
    await alice.say("Write it")
    await expect(alice.answer.get_by_text("print(")).to_be_visible()
    await alice.page.reload()
    await expect(alice.answer.get_by_role("heading")).to_have_text("Title")
    await expect(alice.answer.get_by_text("print(")).to_be_visible()
    first.open()
    await expect(alice.answer).to_contain_text("The second")
    await alice.page.reload()
    second.open()
    for each in (alice, other):
        await expect(each.answer).to_contain_text("The second paragraph.")
        await each.idle()
    shown = await alice.said()
    assert shown == await other.said()
    assert shown[1].count('print("é 🌍")') == 1
    await alice.page.reload()
    await expect(alice.answer).to_contain_text("The second paragraph.")
    assert await alice.said() == shown


async def test_ten_seconds_without_a_connection_lose_and_double_nothing(
    world: World, link: Link
) -> None:
    room = world.room()
    alice = await over(world, link, "alice", room)
    other = await world.open("alice", room)
    await alice.say("rate-25x300")
    numbers = alice.answer.locator("maia-markdown")
    await expect(numbers).to_contain_text(re.compile(r"\b20@"))
    link.cut()
    await expect(alice.page.get_by_text(re.compile(LOST))).to_be_visible()
    await expect(alice.page.get_by_role("button", name="Retry now")).to_be_visible()
    await alice.say("First, while away")
    await alice.say("Second, while away")
    for said in ("First, while away", "Second, while away"):
        await expect(alice.message(said)).to_contain_text("WAITING")

    # 270 numbers at 25 a second, of which the first tab saw some 20 to 30.
    arrived = other.answer.locator("maia-markdown")
    await expect(arrived).to_contain_text(re.compile(r"\b270@"), timeout=3 * EXPECT_MS)
    await expect(numbers).not_to_contain_text(re.compile(r"\b270@"))
    link.mend()
    await alice.page.get_by_role("button", name="Retry now").click()
    await expect(alice.page.get_by_text(re.compile("Back online"))).to_be_visible()

    for each in (alice, other):
        await expect(each.message("You said: Second, while away")).to_have_count(1)
        await each.idle()
    for each in (alice, other):
        lines = await each.said()
        assert re.findall(r"(\d+)@", lines[1]) == [str(number) for number in range(300)]
        assert [one for one in lines if one.startswith("You said")] == [
            "You said: First, while away",
            "You said: Second, while away",
        ]
        assert lines.count("First, while away") == lines.count("Second, while away") == 1
    await alice.shows_what(other)
    await expect(alice.page.get_by_text(re.compile(LOST))).to_have_count(0)


async def test_what_waits_outlives_a_reload(world: World, link: Link) -> None:
    room = world.room()
    alice = await over(world, link, "alice", room)
    await expect(alice.log.get_by_text("Nothing here yet")).to_be_visible()
    link.cut()
    await expect(alice.page.get_by_text(re.compile(LOST))).to_be_visible()
    await alice.say("Kept over a reload")
    await expect(alice.message("Kept over a reload")).to_contain_text("WAITING")
    link.mend()
    await alice.page.reload()
    await expect(alice.message("You said: Kept over a reload")).to_have_count(1)
    await alice.idle()
    assert (await alice.said()).count("Kept over a reload") == 1
