"""Files that run later: asked about by two people, and not run when one looks at the repository."""

from __future__ import annotations

import json

from tests.e2e.app import App, expect
from tests.e2e.axe import findings
from tests.e2e.world import Room, World
from tests.support.openai_behaviours import answer, text, tool_answer

TRAP = '[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "touch /workspace/ran; false"\n'


def allow(world: World, room: Room, rule: str) -> None:
    body = {"scope": "workspace", "workspace": room.workspace, "family": "allow", "text": rule}
    assert world.site.client("alice").post("/api/rules", json=body).status_code == 201


async def typed(app: App, command: str, output: str) -> None:
    await app.say(f"!{command}")
    card = app.message(f"!{command}").locator("maia-tool-call").last
    await expect(card).to_contain_text(output)
    await app.idle()


async def test_a_repositorys_configuration_is_asked_about_and_not_run_by_looking(
    world: World,
) -> None:
    room = world.room(members={"bob": "editor"}, channel="release")
    allow(world, room, "Write(**)")
    world.model.script(
        tool_answer("Write", {"path": "notes.txt", "content": "x"}),
        tool_answer("Write", {"path": ".git/config", "content": TRAP}, "call_b"),
        answer(text("Configured.")),
    )
    alice, bob = await world.open("alice", room), await world.open("bob", room)
    await typed(bob, "git init -q . && ls -A", ".git")
    await bob.say("@maia make git faster")
    for each in (alice, bob):
        request = each.request()
        await expect(request).to_contain_text("git runs or obeys this unasked")
        await expect(request).to_contain_text(".git/config")
    request = bob.request()
    await request.get_by_role("button", name="Always allow").click()
    rule = await request.get_by_role("textbox", name="Change it if you like").input_value()
    assert rule == "Write(.git/config)"
    await request.get_by_role("textbox", name="Change it if you like").press("Escape")
    await request.get_by_role("button", name="Allow once").click()
    await expect(bob.answer).to_contain_text("Configured.")
    assert "fsmonitor" in (room.folder / ".git/config").read_text()

    for each in (bob, alice):
        await typed(each, "git status", "No commits yet")
    assert (room.folder / "notes.txt").exists()
    assert not (room.folder / "ran").exists()
    await typed(bob, "GIT_CONFIG_COUNT=0 git status", "No commits yet")
    assert (room.folder / "ran").exists(), "the trap does not work"


async def test_what_went_from_the_settings_file_is_in_force_until_one_has_looked(
    world: World,
) -> None:
    room = world.room(members={"bob": "editor"}, channel="release")
    allow(world, room, "Bash(ls *)")
    rules = json.dumps({"permissions": {"deny": ["Bash(ls secret *)"], "ask": ["Bash(wc *)"]}})
    bob = await world.open("bob", room)
    await typed(bob, f"mkdir -p .maia; echo '{rules}' > .maia/settings.json; echo kept", "kept")
    world.model.script(
        tool_answer("Bash", {"command": "ls -A"}), answer(text("Looked.")),
    )  # fmt: skip
    await bob.say("@maia look around")
    await expect(bob.answer).to_contain_text("Looked.")
    await bob.idle()
    await typed(bob, "rm .maia/settings.json; echo gone", "gone")
    world.model.script(
        tool_answer("Bash", {"command": "wc -l x"}), answer(text("Counted.")),
    )  # fmt: skip
    await bob.say("@maia count")
    await expect(bob.request()).to_contain_text("held before it changed or went")
    await expect(bob.request().get_by_role("link", name=".maia/settings.json")).to_be_visible()
    await bob.request().get_by_role("button", name="Allow once").click()
    await bob.idle()

    page = (await world.open("bob", room, path=f"/w/{room.workspace}/rules")).page
    section = page.get_by_role("region", name="2 rules went from the settings file")
    await expect(section).to_contain_text("Bash(ls secret *)")
    assert not await findings(page)
    await section.get_by_role("button", name="I have looked").click()
    await expect(page.get_by_text("These rules no longer count for you.")).to_be_visible()
    await expect(section).to_have_count(0)
    owner = (await world.open("alice", room, path=f"/w/{room.workspace}/rules")).page
    await owner.get_by_role("button", name="They count for nobody any more").click()
    await expect(owner.get_by_text("These rules count for nobody any more.")).to_be_visible()


async def test_the_files_of_ones_own_are_saved_on_their_page_alone(world: World) -> None:
    world.browsers.problems.allow("status of 422")
    room = world.room(owner="carol")
    carol = await world.open("carol", room)
    await typed(carol, "echo '{}' > ~/.maia/settings.json || echo refused", "Read-only file system")
    page = (await world.open("carol", room, path="/account/files")).page
    field = page.get_by_role("textbox", name="~/.maia/settings.json")
    await field.fill('{"permissions": {"deny": ["Bash(rm"]}}')
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("alert")).to_contain_text("Nothing is saved")
    await expect(page.get_by_text("Line 1")).to_be_visible()
    assert not await findings(page)
    await field.fill('{"permissions": {"deny": ["Bash(rm *)"]}}')
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_text("Saved.", exact=True)).to_be_visible()
    await typed(carol, "cat ~/.maia/settings.json", "Bash(rm *)")
    await field.fill("")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_text("Saved.", exact=True)).to_be_visible()
