"""What stands around a conversation while it goes on (seed M §15)."""

from __future__ import annotations

import json
import re

from tests.e2e.app import App, expect
from tests.e2e.world import World
from tests.support.openai_behaviours import answer, call, text, tool_answer

DENY = re.compile(r"^Deny(?! with)")


async def _place(app: App) -> tuple[int, ...]:
    """Returns where the composer begins and how large it is: left, top, width, height."""
    box = await app.composer.bounding_box()
    assert box is not None
    return tuple(round(each) for each in (box["x"], box["y"], box["width"], box["height"]))


async def test_the_composer_keeps_its_place_while_an_agent_answers(world: World) -> None:
    begun, held = world.gate(), world.gate()
    world.model.script(answer(begun, text("One."), held, text(" Two.")))
    alice = await world.open("alice", world.room())
    await expect(alice.composer).to_be_visible()
    free = await _place(alice)
    await alice.composer.focus()
    await alice.page.keyboard.insert_text("first line\nsecond line")
    await expect(alice.composer).to_have_value("first line\nsecond line")
    await alice.composer.press("Enter")

    activity = alice.page.locator("maia-activity")
    await expect(activity).to_contain_text("maia is answering…")
    await expect(activity.get_by_text(re.compile(r"\d+ s"))).to_be_visible()
    assert await _place(alice) == free
    begun.open()
    await expect(alice.answer).to_contain_text("One.")
    await expect(alice.composer).to_be_editable()
    assert await _place(alice) == free
    held.open()
    await alice.idle()

    await expect(activity).not_to_contain_text("maia")
    assert await _place(alice) == free
    await expect(alice.log.get_by_text("second line")).to_be_visible()
    bar = alice.page.get_by_role("button", name=re.compile("^Context "))
    below = await bar.bounding_box()
    assert below is not None
    assert below["y"] >= free[1] + free[3]


async def test_what_stands_before_a_short_answer_comes_although_nothing_scrolls(
    world: World,
) -> None:
    world.model.script(answer(text("Short.")))
    room = world.room()
    asked = {"text": "It begins here. " + "x" * 170_000}  # more than a page of messages holds
    posted = world.site.client("alice").post(f"/api/channels/{room.channel}/messages", json=asked)
    assert posted.is_success
    alice = await world.open("alice", room)
    await expect(alice.answer).to_contain_text("Short.")
    await alice.idle()
    await alice.page.reload()
    await expect(alice.answer).to_contain_text("Short.")
    await expect(alice.message("It begins here.")).to_be_visible()


async def test_of_a_long_output_the_beginning_is_shown(world: World) -> None:
    world.model.script(tool_answer("Read", {"path": "long.txt"}), answer(text("I read it.")))
    room = world.room()
    (room.folder / "long.txt").write_text("x" * 3_000)
    alice = await world.open("alice", room)
    await alice.say("Read it")
    await alice.idle()
    await alice.card("long.txt").click()
    shown = alice.answer.locator(".tool-io")
    assert len(await shown.inner_text()) == 600
    await alice.answer.get_by_role("button", name="Show all").click()
    await expect(shown).to_contain_text("x" * 3_000)

    await alice.say("!printf 'y%.0s' {1..5000}")
    command = alice.message("!printf").locator("maia-tool-call")
    await expect(command).to_contain_text("[exit code: 0]")
    await expect(command).to_contain_text(re.compile(r"y{1900}\n?\[… 1,?\d{3} characters"))
    await expect(command.get_by_role("button", name="Show all")).to_have_count(0)


async def test_a_question_gives_way_to_its_answer(world: World) -> None:
    world.model.script(tool_answer("Bash", {"command": "make"}), answer(text("As you wish.")))
    alice = await world.open("alice", world.room())
    await alice.say("Make it")
    request = alice.request()
    await expect(request.get_by_text("ASK", exact=True)).to_be_visible()
    await request.locator("[data-option=deny]").click()
    await expect(request).to_have_count(0)
    await expect(alice.answer).to_contain_text(re.compile(r"◆.*Denied by you"))
    await alice.say("/rename a/b")
    await expect(alice.log.get_by_text("WARN", exact=True).last).to_be_visible()
    await alice.say("/rename ok")
    await expect(alice.log.get_by_text("INFO", exact=True).last).to_be_visible()


async def test_calls_that_run_side_by_side_are_counted(world: World) -> None:
    made = (
        call(0, "c0", "Read", json.dumps({"path": "a.md"})),
        call(1, "c1", "Bash", json.dumps({"command": "make"})),
        call(2, "c2", "Bash", json.dumps({"command": "make x"})),
    )
    world.model.script(answer(*made, reason="tool_calls"), answer(text("Well.")))
    room = world.room()
    (room.folder / "a.md").write_text("hello")
    alice = await world.open("alice", room)
    await alice.say("look, and build")
    activity = alice.page.locator("maia-activity")
    await expect(activity).to_contain_text("maia is waiting for your answer")
    await expect(activity).to_contain_text("1/3 done")
    await alice.request().get_by_role("button", name=DENY).click()
    await expect(activity).to_contain_text("2/3 done")
    await alice.request().get_by_role("button", name=DENY).click()
    await expect(alice.answer).to_contain_text("Well.")
