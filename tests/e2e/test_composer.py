"""What people type besides words: files, skills, commands of their own, with the menu's help."""

from __future__ import annotations

import os
import re
from pathlib import Path

from playwright.async_api import Locator, Page

from tests.e2e.app import App, expect
from tests.e2e.world import Room, World
from tests.support.openai_behaviours import answer, text

SHOTS = os.environ.get("MAIA_SHOTS")


async def shot(page: Page, name: str) -> None:
    """Keeps a picture for whoever asks for them."""
    if SHOTS:
        await page.screenshot(path=str(Path(SHOTS) / f"{name}.png"))


def furnish(room: Room) -> None:
    """Puts files and a skill into the workspace, one of them broken."""
    skills = room.folder / ".maia/skills"
    for name, content in (
        (
            "release-notes",
            "---\ndescription: Group the changes by audience\n---\nGroup: $ARGUMENTS",
        ),
        ("broken", "no header"),
    ):
        (skills / name).mkdir(parents=True)
        (skills / name / "SKILL.md").write_text(content)
    (room.folder / "src/api").mkdir(parents=True)
    (room.folder / "src/api/pagination.py").write_text("def pages(): ...\n")
    (room.folder / "my notes.md").write_text("notes")


def option(app: App, name: str) -> Locator:
    label = app.page.locator(".mono", has_text=re.compile(rf"^[@§!/]?{re.escape(name)}$"))
    return app.page.get_by_role("option").filter(has=label)


async def test_the_menu_completes_files_and_the_message_lists_them(world: World) -> None:
    room = world.room(channel="release")
    furnish(room)
    world.model.script(answer(text("It has one function.")))
    app = await world.open("alice", room)
    await app.composer.press_sequentially("@")
    await expect(option(app, "maia")).to_have_attribute("aria-selected", "true")
    await expect(option(app, "src/")).to_be_visible()
    await shot(app.page, "menu-at")
    await app.composer.press_sequentially("pagi")
    await expect(option(app, "src/api/pagination.py")).to_have_attribute("aria-selected", "true")
    await app.composer.press("Enter")
    await expect(app.composer).to_have_value("@src/api/pagination.py ")
    await app.composer.press_sequentially("@notes")
    await expect(option(app, "my notes.md")).to_be_visible()
    await app.composer.press("Tab")
    await app.composer.press_sequentially("what is this? @gone/x.py")
    await app.composer.press("Escape")
    await app.composer.press("Enter")
    await expect(app.answer).to_contain_text("It has one function.")
    await app.idle()

    said = app.message("what is this?")
    await expect(said.locator("button.attach")).to_have_text(
        ["src/api/pagination.py", "my notes.md"]
    )
    await expect(said.locator(".attach.bad")).to_contain_text("there is no such file")
    await expect(said.locator("a.fileref")).to_have_count(2)
    asked = str(world.model.requests[-1].body["messages"])
    assert "def pages()" in asked
    await shot(app.page, "attached")


async def test_a_folder_is_walked_with_tab(world: World) -> None:
    room = world.room(channel="release")
    furnish(room)
    app = await world.open("alice", room)
    await app.composer.press_sequentially("@sr")
    await expect(option(app, "src/")).to_have_attribute("aria-selected", "true")
    await app.composer.press("Tab")
    await expect(app.composer).to_have_value("@src/")
    await expect(option(app, "src/api/pagination.py")).to_be_visible()


async def test_a_command_streams_to_everybody_and_is_remembered(world: World) -> None:
    room = world.room(channel="release", members={"bob": "editor"})
    alice = await world.open("alice", room)
    bob = await world.open("bob", room)
    await expect(bob.composer).to_be_visible()
    await alice.say("!echo one; sleep 600")
    for each in (alice, bob):
        card = each.message("!echo one").locator("maia-tool-call")
        await expect(card.locator(".term")).to_contain_text("one")
        await expect(each.page.locator("maia-activity")).to_contain_text("Alice runs")
    await shot(alice.page, "command")
    await bob.stop.click()
    for each in (alice, bob):
        await each.idle()
        card = each.message("!echo one").locator("maia-tool-call")
        await expect(card.locator(".term")).to_contain_text("[stopped]")

    await alice.composer.press_sequentially("!")
    await expect(option(alice, "echo one; sleep 600")).to_be_visible()
    await shot(alice.page, "menu-shell")
    await alice.composer.press("ArrowDown")
    await alice.composer.press("Enter")
    await expect(alice.composer).to_have_value("!echo one; sleep 600")


async def test_a_refused_message_keeps_its_place_and_leaves_with_the_next(world: World) -> None:
    world.model.script(answer(text("Hello.")))
    room = world.room(name="a workspace whose name is rather long")
    app = await world.open("alice", room)
    await app.say("!'ls -la")
    refused = app.message("!'ls -la")
    await expect(refused.get_by_role("button", name="Remove")).to_be_visible()
    await expect(app.page.locator(".ws-name")).to_have_text("a workspace whose name is rather long")
    for part in (".ws", ".jump", ".side-foot > *"):
        all_of = f"[...document.querySelectorAll('{part}')]"
        assert await app.page.evaluate(
            f"{all_of}.every(one => one.getBoundingClientRect().right < 261)"
        )
    await shot(app.page, "refused")
    await app.say("Good day")
    await expect(app.answer).to_contain_text("Hello.")
    await expect(refused).to_have_count(0)
    await app.composer.press("ArrowUp")
    await app.composer.press("ArrowUp")
    await expect(app.composer).to_have_value("!'ls -la")

    own = world.room(owner="bob")
    stranger = await world.open("bob", own)
    address = f"/w/{own.workspace}/c/{room.channel}"
    await stranger.page.goto(stranger.page.url.split("/w/")[0] + address)
    await expect(stranger.log.locator(".note.fail")).to_be_visible()
    await expect(stranger.composer).to_have_count(0)


async def test_skills_are_listed_and_what_is_broken_is_named(world: World) -> None:
    room = world.room(channel="release")
    app = await world.open("alice", room)
    await app.composer.press_sequentially("§")
    await expect(app.page.locator(".menu-none")).to_contain_text("Put one into .maia/skills/")
    await app.composer.press("Escape")
    await app.composer.fill("")
    furnish(room)
    (room.folder / ".maia/settings.json").write_text('{"permissions": {"allow": ["Bash("]}}')
    await app.composer.press_sequentially("§")
    await expect(option(app, "release-notes")).to_contain_text("Group the changes")
    await shot(app.page, "menu-skill")
    await app.composer.press("Tab")
    await expect(app.composer).to_have_value("§release-notes ")
    await app.composer.fill("")
    await app.say("§nothing")
    await expect(app.log).to_contain_text("Available: §release-notes")

    await app.page.get_by_role("button", name="Channel menu").click()
    await app.page.get_by_role("button", name="About this conversation").click()
    dialog = app.page.get_by_role("dialog")
    await expect(dialog).to_contain_text(".maia/skills/broken/SKILL.md")
    await expect(dialog).to_contain_text("does not begin with a YAML header")
    await expect(dialog).to_contain_text(".maia/settings.json Bash(")
    await expect(dialog).to_contain_text("There is no MAIA.md")
    await expect(dialog).to_contain_text("scripted")
    await expect(dialog).to_contain_text("§release-notes workspace")
    await shot(app.page, "library")
    await app.page.keyboard.press("Escape")
    await expect(app.page.get_by_role("button", name="Channel menu")).to_be_focused()


async def test_it_all_fits_a_telephone_in_french_and_the_dark(world: World) -> None:
    room = world.room(channel="release")
    furnish(room)
    app = await world.open("alice", room, size=(390, 844), scheme="dark", language="fr-FR")
    one_line = "f => (f.placeholder = 'Message '.repeat(40), f.scrollHeight <= f.clientHeight)"
    assert await app.page.locator("#composer-field").evaluate(one_line)
    await app.page.locator("#composer-field").press_sequentially("@")
    await expect(option(app, "src/")).to_be_visible()
    await shot(app.page, "menu-narrow")
    wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert not await app.page.evaluate(wide)


async def test_what_a_sign_will_do_is_said_before_enter(world: World) -> None:
    world.model.script(*(answer(text("Noted.")) for _ in range(3)))
    app = await world.open("alice", world.room(channel="release"))
    effect = app.page.locator(".composer-effect")
    for typed, said in (
        ("!important", "Enter runs this in your sandbox."),
        ("/clear", "/clear: Forget the messages"),
        ("§review", "Enter calls the skill review."),
        ("/tmp is full", "/tmp is no command here"),
        ("\\!important", "Sent as text"),
    ):
        await app.composer.fill(typed)
        await expect(effect).to_contain_text(said)
    await app.composer.fill("/healht")  # about which Enter asks first
    await expect(effect).to_have_text("/healht is no command here.")
    await app.composer.fill("§ 433 BGB")
    await expect(effect).to_have_text("")

    await app.say("/tmp is full, where do I look?")
    await expect(app.message("/tmp is full")).to_be_visible()
    await app.idle()
    await app.composer.fill("!important")
    await effect.get_by_role("button", name="Send as text").click()
    await expect(app.composer).to_have_value("\\!important")
    await app.composer.press("Enter")
    await expect(app.message("!important")).to_be_visible()
    await expect(app.answers()).to_have_count(2)
    await app.idle()
    assert world.model.requests[-1].body["messages"][-1]["content"].endswith("] !important")

    await app.say("/healht")
    await expect(effect).to_contain_text("There is no command /healht. Send it as text?")
    await expect(app.message("/healht")).to_have_count(0)
    await app.composer.press("Enter")
    await expect(app.message("/healht")).to_be_visible()


async def test_too_long_is_said_before_it_is_sent(world: World) -> None:
    room = world.room(channel="release")
    app = await world.open("alice", room)
    await app.composer.fill("é" * 200_001)
    effect = app.page.locator(".composer-effect")
    await expect(effect).to_contain_text("200,001 characters")
    await app.composer.press("Enter")
    await expect(app.composer).not_to_have_value("")
    await effect.get_by_role("button", name="Attach it as a file").click()
    await expect(app.composer).to_have_value(re.compile(r"^@pasted-[\d-]+T[\d-]+\.txt $"))
    (file,) = room.folder.glob("pasted-*.txt")
    assert len(file.read_text()) == 200_001


async def test_what_was_stopped_is_forgotten_and_asked_again(world: World) -> None:
    held = world.gate()
    world.model.script(answer(text("Let me "), held), answer(text("Twelve.")))
    app = await world.open("alice", world.room(channel="release"))
    await app.say("how many?")
    await expect(app.answer).to_contain_text("Let me")
    await app.stop.click()
    await expect(app.answer).to_contain_text("The agent has forgotten this request")
    await app.answer.get_by_role("button", name="Ask again").click()
    await expect(app.answer).to_contain_text("Twelve.")
    asked = [one for one in world.model.requests[-1].body["messages"] if one["role"] == "user"]
    assert [one["content"] for one in asked] == ["[Alice] how many?"]


async def test_deleting_a_channel_stops_its_answer_first(world: World) -> None:
    held = world.gate()
    world.model.script(answer(text("Let me "), held))
    room = world.room(channel="release")
    app = await world.open("alice", room)
    await app.say("how many?")
    await expect(app.answer).to_contain_text("Let me")
    await app.page.get_by_role("button", name="Channel menu").click()
    await app.page.get_by_role("button", name="Delete the channel…").click()
    await app.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await expect(app.composer).to_have_count(0)
    world.rooms.clear()  # nothing is left to stop there


async def test_a_typed_delete_asks(world: World) -> None:
    app = await world.open("alice", world.room())
    await app.say("/delete old plans")
    dialog = app.page.get_by_role("dialog")
    await expect(dialog).to_contain_text("old plans. This cannot be undone.")
    await dialog.get_by_role("button", name="Cancel").click()
    await expect(app.composer).to_have_value("/delete old plans")
    await app.composer.press("Enter")
    await dialog.get_by_role("button", name="Delete").click()
    await expect(app.log.locator("maia-reply")).to_have_count(1)
    await expect(app.composer).to_have_value("")


MARKED = """one **重要：**请先备份，这是**「更新」**配置。

约3~5天，100~200元, ~~gone~~

见 https://example.com/docs（说明）了解

مرحبا، هذا اختبار

| a |
|---|
| one<br>two |
"""


async def test_every_script_is_laid_out_as_it_is_written(world: World) -> None:
    world.model.script(answer(text(MARKED)))
    app = await world.open("alice", world.room())
    await app.say("مرحبا، هذا نص")
    body = app.answer
    await expect(body.locator("strong")).to_have_text(["重要：", "「更新」"])
    await expect(body.locator("del")).to_have_text(["gone"])
    await expect(body.locator("a[href]").first).to_have_attribute(
        "href", "https://example.com/docs"
    )
    await expect(body.locator("td br")).to_have_count(1)
    direction = "one => getComputedStyle(one).direction"
    arabic = body.locator("p", has_text="مرحبا")
    assert await arabic.evaluate(direction) == "rtl"
    assert await app.message("مرحبا").locator(".bubble").evaluate(direction) == "rtl"
    await app.composer.fill("שלום")
    assert await app.composer.evaluate(direction) == "rtl"


async def test_people_write_the_markdown_that_agents_write(world: World) -> None:
    world.model.script(answer(text(MARKED)))
    app = await world.open("alice", world.room())
    await app.say(MARKED)
    theirs = app.message("这是").first.locator(".bubble maia-markdown")
    await expect(app.answer.locator("td br")).to_have_count(1)
    said = app.answer.locator("maia-markdown")
    assert await theirs.inner_html() == await said.inner_html()

    world.model.script(answer(text("Seen.")))
    await app.say("one line\n  **two** @'a b' @maia/x ![x](https://example.org/i.png) <b>no</b>")
    last = app.message("one line").locator(".bubble maia-markdown")
    await expect(last).to_have_text(
        "one line\n  two @'a b' @maia/x x <b>no</b>", use_inner_text=True
    )
    await expect(last.locator("strong")).to_have_text(["two"])
    await expect(last.locator("b, img")).to_have_count(0)


async def test_an_input_method_keeps_its_escape(world: World) -> None:
    held = world.gate()
    world.model.script(answer(text("Let me "), held, text("count.")))
    app = await world.open("alice", world.room())
    await app.say("how many?")
    await expect(app.answer).to_contain_text("Let me")
    await app.composer.evaluate(
        "one => one.dispatchEvent(new KeyboardEvent('keydown',"
        " {key: 'Escape', keyCode: 229, bubbles: true, cancelable: true}))"
    )
    held.open()
    await expect(app.answer).to_contain_text("Let me count.")
