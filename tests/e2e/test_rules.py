"""Rules in the browser: a command edited in its card, the inbox, the page, trust, the tester."""

from __future__ import annotations

import json

from tests.e2e.app import App, expect
from tests.e2e.world import Room, World
from tests.support.openai_behaviours import answer, text, tool_answer


async def inbox(world: World, person: str, room: Room) -> App:
    return await world.open(person, room, path="/inbox")


async def test_an_edited_command_is_judged_runs_and_the_agent_learns_of_it(world: World) -> None:
    world.model.script(
        tool_answer("Bash", {"command": "echo first && rm -r build"}), answer(text("I see."))
    )
    room = world.room()
    rule = {"scope": "workspace", "workspace": room.workspace, "family": "deny",
            "text": "Bash(rm -rf *)"}  # fmt: skip
    assert world.site.client("alice").post("/api/rules", json=rule).status_code == 201
    alice = await world.open("alice", room)
    await alice.say("Build it")
    request = alice.request()
    await request.get_by_role("button", name="Edit the command").click()
    field = request.get_by_role("textbox", name="The command that will run")
    await expect(field).to_be_focused()
    await field.fill("echo second && rm -rf /")
    await expect(request.get_by_role("status")).to_contain_text("Bash(rm -rf *)")
    await request.get_by_role("button", name="Allow once").click()
    await expect(request.locator(".perm-error")).to_contain_text("Bash(rm -rf *)")
    await field.fill("echo second")
    await request.get_by_role("button", name="Allow once").click()

    await expect(alice.answer).to_contain_text("I see.")
    await expect(alice.card("echo second")).to_contain_text("edited")
    await expect(alice.answer).to_contain_text("Allowed once by you")
    results = [
        one["content"] for one in world.model.chats[-1].body["messages"] if one["role"] == "tool"
    ]
    assert "edited the command" in results[-1]
    assert "echo second" in results[-1]
    assert "first" not in results[-1]


async def test_the_deciding_part_is_marked_and_the_rule_named(world: World) -> None:
    world.model.script(tool_answer("Bash", {"command": "false && deploy prod"}))
    room = world.room()
    rule = {"scope": "workspace", "workspace": room.workspace, "family": "ask",
            "text": "Bash(deploy *)"}  # fmt: skip
    world.site.client("alice").post("/api/rules", json=rule)
    alice = await world.open("alice", room)
    await alice.say("Deploy")
    request = alice.request()
    await expect(request.locator("mark")).to_have_text("deploy prod")
    await expect(request).to_contain_text("Bash(deploy *) (of the workspace), added by Alice")
    await expect(request.get_by_role("button", name="Always allow")).to_have_count(0)
    await request.get_by_role("button", name="Stop").click()
    await alice.idle()


async def test_the_inbox_gathers_what_waits_and_forgets_what_is_answered(world: World) -> None:
    first, second = world.room(name="here"), world.room(members={"bob": "editor"}, channel="there")
    waiting = await inbox(world, "alice", first)
    await expect(waiting.page.get_by_text("Nothing waits for you.")).to_be_visible()
    for person, room, command in (("alice", first, "make one"), ("bob", second, "make two")):
        world.model.script(tool_answer("Bash", {"command": command}))
        app = await world.open(person, room)
        await app.say(command)
        await expect(waiting.page.get_by_role("article").filter(has_text=command)).to_be_visible()
    await expect(waiting.page).to_have_title("❓ Inbox · MAIA")
    seen = await world.open("alice", first)
    link = seen.page.get_by_role("link", name="Inbox")
    await expect(link).to_contain_text("2")
    await expect(seen.request()).to_contain_text("1 more waits")

    world.model.script(answer(text("So be it.")))
    article = waiting.page.get_by_role("article").filter(has_text="make two")
    await article.get_by_role("button", name="Deny", exact=False).first.click()
    await expect(article).to_have_count(0)
    await expect(link).to_contain_text("1")
    world.model.script(answer(text("So be it.")))
    await seen.request().get_by_role("button", name="Deny", exact=False).first.click()
    await expect(waiting.page.get_by_text("Nothing waits for you.")).to_be_visible()


async def test_trust_in_a_file_releases_what_waits_until_the_file_changes(world: World) -> None:
    room = world.room()
    settings = room.folder / ".maia" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"permissions": {"allow": ["Bash(echo *)"]}}))
    world.model.script(tool_answer("Bash", {"command": "echo hi"}), answer(text("Said.")))
    alice = await world.open("alice", room)
    await alice.say("Say hi")
    await expect(alice.request()).to_contain_text("you have not trusted that file")
    rules = await world.open("alice", room, path=f"/w/{room.workspace}/rules")
    await expect(rules.page.get_by_text("Bash(echo *)")).to_be_visible()
    await rules.page.get_by_role("button", name="Trust this rule").click()
    await expect(rules.page.get_by_text("You trust this content.")).to_be_visible()

    await expect(alice.answer).to_contain_text("Said.")
    await expect(alice.answer).to_contain_text("Allowed by a rule of you")
    settings.write_text(json.dumps({"permissions": {"allow": ["Bash"]}}))
    await rules.page.reload()
    await expect(rules.page.get_by_text("not trusted")).to_be_visible()


async def test_a_rule_is_added_found_tried_switched_off_and_deleted(world: World) -> None:
    room = world.room()
    world.browsers.problems.allow("status of 422")  # a text that is no rule
    page = (await world.open("alice", room, path=f"/w/{room.workspace}/rules")).page
    await page.get_by_role("link", name="New rule").click()
    dialog = page.get_by_role("dialog")
    field = dialog.get_by_role("textbox", name="Rule")
    await expect(field).to_be_focused()
    await field.fill("Bash(")
    await dialog.get_by_role("radio", name="Deny").check()
    await dialog.get_by_role("button", name="Add the rule").click()
    await expect(dialog.get_by_role("alert")).to_contain_text("A closing parenthesis is missing")
    await dialog.get_by_role("textbox", name="Rule").fill("Bash(launch *)")
    await expect(dialog.get_by_role("alert")).to_have_count(0)
    await expect(dialog.get_by_role("status")).to_contain_text("of the last 7 days")
    await dialog.get_by_role("button", name="Add the rule").click()
    row = page.get_by_role("row").filter(has_text="Bash(launch *)")
    await expect(row).to_contain_text("DENY")
    await expect(row).to_contain_text("never matched")

    await page.get_by_role("searchbox", name="Filter rules").fill("launch")
    await expect(page.get_by_role("row")).to_have_count(2)
    await page.get_by_role("textbox", name="Call").fill("cd x && launch now")
    await page.get_by_role("button", name="Try it").click()
    await expect(page.locator(".verdict")).to_contain_text("DENY")
    await expect(page.locator(".parts .hit")).to_have_text("launch now")

    await page.get_by_role("switch", name="Bash(launch *) counts").click()
    await expect(row).to_contain_text("It does not count until it is switched on.")
    await page.get_by_role("button", name="Delete Bash(launch *)").click()
    await page.get_by_role("button", name="Delete", exact=True).click()
    await expect(row).to_have_count(0)


async def test_two_people_read_one_request_each_in_their_language(world: World) -> None:
    world.model.script(tool_answer("Write", {"path": "notes.md", "content": "hello\n"}))
    room = world.room(members={"bob": "editor"}, channel="two")
    alice = await world.open("alice", room)
    bob = await world.open("bob", room, language="fr-FR")
    await bob.page.get_by_role("textbox").first.wait_for()
    await alice.say("Take notes")

    request = alice.request()
    await expect(request).to_contain_text("No rule covers notes.md.")
    await expect(bob.page.locator(".perm")).to_contain_text("Aucune règle ne couvre notes.md.")
    await request.get_by_role("button", name="Always allow").click()
    await expect(request).to_contain_text("Every file in the workspace’s root folder")
    await expect(request.get_by_text("Only owners write rules")).to_have_count(0)
    await request.get_by_role("button", name="Stop").click()
    await alice.idle()
