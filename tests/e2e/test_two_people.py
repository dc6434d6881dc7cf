"""Two people in one channel, each in a browser of their own, see the same at every moment."""

from __future__ import annotations

import asyncio

from playwright.async_api import Page

from tests.e2e.app import App, expect
from tests.e2e.world import World
from tests.support.openai_behaviours import Answer, Gate, answer, call, text

PASSWORD = "correct horse battery staple"
# A second, and one more for a machine that does other things too.
AT_ONCE_MS = 2_000


def bash(command: str, id: str, *before: bytes | Gate) -> Answer:
    return answer(*before, call(0, id, "Bash", f'{{"command": "{command}"}}'), reason="tool_calls")


async def test_a_guest_joins_by_a_link_and_sees_what_the_owner_sees(world: World) -> None:
    first, second = world.gate(), world.gate()
    world.model.script(
        answer(text("Good "), first, text("morning to **both** "), second, text("of you.\n\n- a"))
    )
    room = world.room(channel="release")
    guest = await _join(world, room.workspace)
    alice = await world.open("alice", room)
    await guest.goto(room.path)
    dora = App(guest)
    for each in (alice, dora):
        await expect(each.composer).to_be_visible()
    await dora.say("@maia Say good morning")
    for each in (alice, dora):
        await expect(each.message("Say good morning")).to_contain_text("Dora")
        await expect(each.answer).to_contain_text("Good")
    first.open()
    for each in (alice, dora):
        await expect(each.answer.locator("strong")).to_have_text("both")
        await expect(each.stop).to_be_visible()
    await alice.shows_what(dora)
    second.open()
    for each in (alice, dora):
        await each.idle()
        await expect(each.answer.get_by_role("listitem")).to_have_text("a")
    await alice.shows_what(dora)


async def _join(world: World, workspace: str) -> Page:
    """An administrator makes a link, the guest an account; the owner lets the guest in."""
    server = world.site.server
    cookies = dict(world.site.client("alice").cookies)
    admin = await world.browsers.page(server, cookies=cookies, path="/admin/people")
    await admin.get_by_label("For whom").fill("Dora")
    await admin.get_by_role("button", name="Make the link").click()
    link = await admin.get_by_role("textbox", name="The invitation is ready.").input_value()

    guest = await world.browsers.page(server, path=link)
    await guest.get_by_label("Your name").fill("Dora")
    await guest.get_by_label("Username").fill("dora")
    await guest.get_by_label("Password", exact=True).fill(PASSWORD)
    await guest.get_by_role("button", name="Create my account").click()
    await expect(guest.get_by_role("heading", name="Welcome, Dora")).to_be_visible()

    await admin.goto(f"/w/{workspace}/settings")
    adding = admin.get_by_role("form", name="Add somebody")
    await adding.get_by_label("Username").fill("dora")
    await adding.get_by_label("Role", exact=True).select_option("Editor")
    await adding.get_by_role("button", name="Add").click()
    await expect(admin.get_by_label("Role of Dora", exact=True)).to_have_value("editor")
    return guest


async def test_the_first_answer_to_a_request_wins_and_the_other_sees_by_whom(world: World) -> None:
    world.model.script(
        bash("echo one > one.txt", "call_a"),
        bash("echo two > two.txt", "call_b"),
        answer(text("That is all.")),
    )
    room = world.room(channel="release", members={"bob": "editor", "carol": "viewer"})
    alice, bob, carol = [await world.open(name, room) for name in ("alice", "bob", "carol")]
    await bob.say("@maia Write two files")
    for each in (alice, bob, carol):
        await expect(each.request()).to_contain_text("echo one > one.txt")
    await expect(carol.request()).to_contain_text("Bob or an owner of the workspace can answer.")
    await expect(carol.request().get_by_role("button")).to_have_count(0)
    await alice.request().get_by_role("button", name="Allow once").click()
    await expect(bob.answer).to_contain_text("Allowed once by Alice")
    await expect(carol.answer).to_contain_text("Allowed once by Alice")
    await expect(alice.answer).to_contain_text("Allowed once by you")

    for each in (alice, bob):
        await expect(each.request()).to_contain_text("echo two > two.txt")
    press = "option => document.querySelector(`section.perm [data-option=${option}]`).click()"
    await asyncio.gather(alice.page.evaluate(press, "allow_once"), bob.page.evaluate(press, "deny"))
    for each in (alice, bob, carol):
        await each.idle()
        await expect(each.request()).to_have_count(0)
        await expect(each.answer).to_contain_text("That is all.")
    by_alice = (room.folder / "two.txt").exists()
    won = "Allowed once by Alice" if by_alice else "Denied by Bob"
    lines = carol.answer.locator(".perm-answer")
    await expect(lines).to_have_count(2)
    await expect(lines.last).to_contain_text(won)


async def test_a_message_waits_its_turn_and_can_be_taken_back(world: World) -> None:
    held = world.gate()
    world.model.script(answer(text("Counting: one"), held, text(", two.")))
    room = world.room(channel="release", members={"bob": "editor"})
    alice, bob = [await world.open(name, room) for name in ("alice", "bob")]
    await alice.say("@maia Count")
    await expect(alice.answer).to_contain_text("Counting: one")

    await alice.say("@maia Now backwards")
    waits, seen = alice.message("Now backwards"), bob.message("Now backwards")
    for message in (waits, seen):
        await expect(message.get_by_text("QUEUED")).to_be_visible()
    await expect(seen.get_by_role("button", name="Remove")).to_have_count(0)
    await expect(bob.page.get_by_text("1 message queued")).to_be_visible()
    await waits.get_by_role("button", name="Edit").click()
    await expect(alice.composer).to_have_value("@maia Now backwards")
    await expect(seen).to_have_count(0)

    await alice.composer.press("Enter")
    await expect(seen).to_be_visible()
    await waits.get_by_role("button", name="Remove").click()
    for message in (waits, seen):
        await expect(message).to_have_count(0)

    await alice.say("@maia Thank you")
    held.open()
    for each in (alice, bob):
        await expect(each.answer).to_contain_text("You said:")
        await each.idle()
        await expect(each.log.get_by_text("QUEUED")).to_have_count(0)
    await alice.shows_what(bob)


async def test_escape_stops_within_a_second_what_the_other_sees_too(world: World) -> None:
    held = world.gate()
    world.model.script(answer(text("I go on and "), held, text("on.")))
    room = world.room(channel="release", members={"bob": "editor"})
    alice, bob = [await world.open(name, room) for name in ("alice", "bob")]
    await alice.say("@maia Go on")
    await expect(alice.answer).to_contain_text("I go on and")
    await bob.say("@maia And then?")
    await expect(alice.message("And then?")).to_be_visible()

    await alice.page.keyboard.press("Escape")
    await expect(alice.dialog).to_contain_text("1 message waits in the queue.")
    await expect(alice.dialog.get_by_role("button", name="Cancel")).to_be_focused()
    await alice.dialog.get_by_role("button", name="Stop and drop it").click()
    await expect(alice.stop).to_have_count(0, timeout=AT_ONCE_MS)
    assert world.model.chats[-1].hung_up.wait(2)
    for each in (alice, bob):
        await expect(each.answer).to_contain_text("Stopped. The agent has forgotten this request")
        await expect(each.message("And then?")).to_contain_text("Stop took this message")
    await expect(alice.log.get_by_role("button", name="Send again")).to_have_count(0)
    await bob.log.get_by_role("button", name="Send again").click()
    await expect(alice.answer).to_contain_text("You said:")


async def test_only_who_asked_decides_what_else_runs_in_their_home(world: World) -> None:
    world.model.script(bash("echo asked > ran.txt", "call_a"), answer(text("That is all.")))
    room = world.room(channel="release", members={"bob": "editor", "carol": "viewer"})
    alice, bob, carol = [await world.open(name, room) for name in ("alice", "bob", "carol")]
    await bob.say("@maia Write a file")
    for each in (alice, bob, carol):
        await expect(each.request()).to_contain_text("echo asked > ran.txt")

    await alice.request().get_by_role("button", name="Propose another command to Bob").click()
    await alice.request().get_by_role("textbox", name="The command").fill("echo better > ran.txt")
    await expect(alice.request()).to_contain_text("This runs in the home of Bob")
    await expect(alice.request().get_by_role("button", name="Allow once")).to_have_count(0)
    await alice.request().get_by_role("button", name="Propose to Bob").click()
    for each, words in (
        (alice, "You propose, and Bob decides"),
        (bob, "Alice proposes to run instead"),
        (carol, "Alice proposes to run instead"),
    ):
        proposal = each.request().get_by_role("group", name=words)
        await expect(proposal).to_contain_text("echo better > ran.txt")
    await expect(carol.request().get_by_role("button")).to_have_count(0)
    await expect(alice.request().get_by_role("button", name="Run this instead")).to_have_count(0)

    await bob.request().get_by_role("button", name="Decline the proposal").click()
    for each in (alice, bob, carol):
        await expect(each.request().get_by_role("group", name="propose")).to_have_count(0)
        await expect(each.request()).to_contain_text("echo asked > ran.txt")

    await alice.request().get_by_role("button", name="Propose another command to Bob").click()
    await alice.request().get_by_role("textbox", name="The command").fill("echo best > ran.txt")
    await alice.request().get_by_role("button", name="Propose to Bob").click()
    await bob.request().get_by_role("button", name="Run this instead").click()
    for each in (alice, bob, carol):
        await expect(each.answer).to_contain_text("That is all.")
    await expect(carol.answer).to_contain_text("Allowed once by Bob")
    await expect(carol.answer).to_contain_text("as Alice proposed")
    await expect(alice.answer).to_contain_text("as you proposed")
    assert (room.folder / "ran.txt").read_text() == "best\n"
