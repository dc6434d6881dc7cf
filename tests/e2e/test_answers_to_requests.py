"""Requests answered with a word, for always, or with Stop."""

from __future__ import annotations

import sqlite3

from tests.e2e.app import expect
from tests.e2e.world import World
from tests.support.openai_behaviours import answer, text, tool_answer


async def test_a_refusal_can_carry_a_word_to_the_agent(world: World) -> None:
    world.model.script(
        tool_answer("Bash", {"command": "rm -r build"}), answer(text("I shall ask first."))
    )
    alice = await world.open("alice", world.room())
    await alice.say("Clean up")
    request = alice.request()
    await request.get_by_role("button", name="Deny with a word").click()
    word = request.get_by_role("textbox", name="What should maia know?")
    await expect(word).to_be_focused()
    await word.fill("Keep build/, it holds the release")
    await word.press("Enter")
    await expect(alice.answer).to_contain_text("Denied by you")
    await expect(alice.answer).to_contain_text("“Keep build/, it holds the release”")
    await expect(alice.answer).to_contain_text("I shall ask first.")
    results = [
        one["content"] for one in world.model.chats[-1].body["messages"] if one["role"] == "tool"
    ]
    assert "Keep build/, it holds the release" in results[-1]


async def test_always_writes_the_rule_it_shows_and_asks_no_more(world: World) -> None:
    command = "wc -l notes.txt"
    world.model.script(
        tool_answer("Bash", {"command": command}),
        tool_answer("Bash", {"command": command}, "call_b"),
        answer(text("Counted twice.")),
    )
    room = world.room()
    alice = await world.open("alice", room)
    await alice.say("Count the lines twice")
    request = alice.request()
    await request.get_by_role("button", name="Always allow").click()
    rule = await request.get_by_role("textbox", name="Change it if you like").input_value()
    assert rule.startswith("Bash(wc ")
    await expect(request.locator("code", has_text=rule).first).to_be_visible()
    await expect(request.get_by_role("radio", name="for me")).to_be_checked()
    await request.get_by_role("radio", name="for everybody in this workspace").check()
    write = request.get_by_role("button", name="Allow and write the rule")
    field = request.get_by_role("textbox", name="Change it if you like")
    await field.fill("Bash(ls)")
    await write.click()
    await expect(request.get_by_role("alert")).to_contain_text("Bash(ls) does not match wc -l")
    await field.fill(rule)
    await write.click()

    await expect(alice.answer).to_contain_text("Always allowed by you")
    await expect(alice.answer).to_contain_text(f"· {rule}")
    await expect(alice.answer).to_contain_text("Counted twice.")
    await alice.idle()
    await expect(alice.card(command)).to_have_count(2)
    await expect(alice.answer.locator(".perm-answer")).to_have_count(1)
    assert rule in _rules(world)


async def test_a_card_and_its_offer_say_that_a_program_can_run_others(world: World) -> None:
    said = "make can run other programs: this allows whatever it can."
    world.model.script(tool_answer("Bash", {"command": "make"}), answer(text("Very well.")))
    alice = await world.open("alice", world.room())
    await alice.say("Make it")
    request = alice.request()
    await expect(request).to_contain_text(said)
    await request.get_by_role("button", name="Always allow").click()
    offer = request.locator(".perm-offer")
    await expect(offer).to_have_count(1)
    await expect(offer).to_contain_text(said)
    await expect(request.get_by_text(said)).to_have_count(1)
    await request.get_by_role("button", name="Deny", exact=False).first.click()
    await expect(alice.answer).to_contain_text("Very well.")


async def test_each_offer_says_what_it_covers(world: World) -> None:
    world.model.script(
        tool_answer("Bash", {"command": "find . -name '*.pyc'"}), answer(text("Very well."))
    )
    alice = await world.open("alice", world.room())
    await alice.say("Look for them")
    request = alice.request()
    await request.get_by_role("button", name="Always allow").click()
    exact, wider = (request.locator(".perm-offer").nth(at) for at in (0, 1))
    await expect(exact).to_contain_text("Bash=(find . -name '*.pyc')")
    await expect(exact).to_contain_text("Exactly this, word for word")
    await expect(wider).to_contain_text("Every command that begins with: find")
    await request.get_by_role("button", name="Deny", exact=False).first.click()
    await expect(alice.answer).to_contain_text("Very well.")


async def test_escape_closes_the_menu_of_a_request_and_stops_nothing(world: World) -> None:
    world.model.script(tool_answer("Bash", {"command": "make"}), answer(text("Very well.")))
    alice = await world.open("alice", world.room())
    await alice.say("Make it")
    request = alice.request()
    await request.get_by_role("button", name="Always allow").click()
    rule = request.get_by_role("textbox", name="Change it if you like")
    await rule.fill("Bash((")
    await request.get_by_role("button", name="Allow and write the rule").click()
    await expect(request.locator(".perm-error")).to_contain_text("is not a rule")
    await rule.press("Escape")
    await expect(rule).to_have_count(0)
    await expect(request).to_be_focused()
    await request.get_by_role("button", name="Deny", exact=False).first.click()
    await expect(alice.answer).to_contain_text("Very well.")


async def test_stop_at_a_request_ends_the_answer(world: World) -> None:
    world.model.script(tool_answer("Bash", {"command": "make install"}))
    room = world.room()
    alice = await world.open("alice", room)
    await alice.say("Install it")
    await alice.request().get_by_role("button", name="Stop").click()
    await alice.idle()
    await expect(alice.answer).to_contain_text("Stopped by you")
    await expect(alice.answer).to_contain_text("nothing was undone")
    await expect(alice.answer).to_contain_text("The next message continues from here.")
    assert len(world.model.chats) == 1
    await alice.say("Are you there?")
    await expect(alice.answer).to_contain_text("You said: Are you there?")


def _rules(world: World) -> list[str]:
    """The rules of the site's database."""
    (path,) = world.site.server.data.glob("*.sqlite3")
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        rows = database.execute("select text from agents_rule where family = 'allow'")
        return [text for (text,) in rows]
