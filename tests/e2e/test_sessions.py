"""Sessions: slash commands on all tabs, compaction's divider, loading again, going on."""

from __future__ import annotations

import re

from tests.e2e.app import expect
from tests.e2e.world import World
from tests.support.openai_behaviours import answer, text


async def test_answers_to_commands_reach_every_tab_of_the_person_alone(world: World) -> None:
    room = world.room(members={"bob": "editor"}, channel="release")
    first = await world.open("alice", room)
    second = await world.open("alice", room)
    other = await world.open("bob", room)

    await first.say("/permissions")
    for app in (first, second):
        reply = app.log.get_by_role("region", name="Answer to /permissions")
        await expect(reply.get_by_text("ALLOW").first).to_be_visible()
    await other.say("/help")
    answer_to = other.log.get_by_role("region", name="Answer to /help")
    await expect(answer_to.get_by_text("ends the answer").or_(answer_to).first).to_be_visible()

    await expect(other.log.locator("maia-reply")).to_have_count(1)
    await expect(first.log.locator("maia-reply")).to_have_count(1)


async def test_a_conversation_is_compacted_stays_readable_and_is_loaded_again(
    world: World,
) -> None:
    world.model.script(answer(text("Noted: tea.")), answer(text("## Current goal\n- Tea")))
    alice = await world.open("alice", world.room())
    await alice.say("remember tea")
    await expect(alice.answer.get_by_text("Noted: tea.")).to_be_visible()
    await alice.idle()
    await alice.say("/rename tea time")
    await expect(alice.log.get_by_text("The session is called “tea time” now.")).to_be_visible()

    await alice.say("/compact")
    divider = alice.log.locator("maia-divider")
    await expect(divider.get_by_role("separator")).to_contain_text(re.compile(r"\d.* → .*\d"))
    await divider.get_by_text("Open the summary").click()
    await expect(divider.get_by_role("heading", name="Current goal")).to_be_visible()
    await expect(divider.get_by_text("tea time stays saved; tea time__1 goes on.")).to_be_visible()
    await expect(alice.log.get_by_text("Noted: tea.")).to_be_visible()

    await alice.say("/load")
    await alice.log.get_by_role("button", name=re.compile("tea time .*2 messages")).click()
    history = alice.log.get_by_text("History: 2 messages")
    await history.click()
    await expect(alice.log.locator("maia-reply").get_by_text("remember tea")).to_be_visible()


async def test_the_bar_opens_with_what_fills_the_context(world: World) -> None:
    alice = await world.open("alice", world.room())
    await alice.say("hello")
    await alice.idle()

    await alice.page.get_by_role("button", name=re.compile("^Context .* 100k")).click()

    await expect(alice.page.get_by_text("Context of maia")).to_be_visible()
    await expect(alice.page.get_by_role("term").filter(has_text="System prompt")).to_be_visible()


async def test_leaving_the_conversation_opens_no_other(world: World) -> None:
    room = world.room()
    alice = await world.open("alice", room)
    await alice.say("/exit")

    await expect(alice.composer).to_have_count(0)
    await expect(alice.page).to_have_url(re.compile(f"/w/{room.workspace}$"))


async def test_an_input_method_keeps_its_escape_in_the_name_of_a_session(world: World) -> None:
    alice = await world.open("alice", world.room())
    await alice.say("hello")
    await alice.idle()
    await alice.say("/rename tea")
    await expect(alice.log.get_by_text("The session is called “tea” now.")).to_be_visible()
    room = alice.page.url
    await alice.page.goto(f"{room}/sessions")
    await alice.page.locator("a[href^='?rename=']").first.click()
    field = alice.page.get_by_role("textbox", name="Name")
    await field.fill("お茶")
    press = (
        "(one, keyCode) => one.dispatchEvent("
        "new KeyboardEvent('keydown', {key: 'Escape', keyCode, bubbles: true}))"
    )
    await field.evaluate(press, 229)
    await expect(field).to_have_value("お茶")
    await field.evaluate(press, 27)
    await expect(alice.page.locator(".session-name").first).to_have_text("tea")
