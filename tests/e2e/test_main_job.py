"""The main job: ask, watch the answer come, approve a command, see the file, open it."""

from __future__ import annotations

from tests.e2e.app import expect
from tests.e2e.world import World
from tests.support.openai_behaviours import answer, call, text, thought, tool_answer

COMMAND = "echo bonjour > greeting.txt && cat greeting.txt"


async def test_a_member_asks_watches_approves_and_sees_the_file(world: World) -> None:
    thinking, writing, running = world.gate(), world.gate(), world.gate()
    world.model.script(
        answer(
            thought("The file is not there yet. "),
            thinking,
            text("I shall **greet** you"),
            writing,
            text(" in a file."),
            call(0, "call_a", "Bash", f'{{"command": "{COMMAND}"}}'),
            reason="tool_calls",
        ),
        answer(text("Done: `greeting.txt`"), running, text(" says *bonjour*.")),
    )
    alice = await world.open("alice", world.room())
    await alice.say("Greet me in a file")

    await expect(alice.message("Greet me in a file")).to_be_visible()
    await expect(alice.log.get_by_text("Thinking…")).to_be_visible()
    await expect(alice.log.get_by_text("The file is not there yet.")).to_be_visible()
    await expect(alice.stop).to_be_visible()

    thinking.open()
    await writing.until_reached()
    await expect(alice.answer.locator("strong", has_text="greet")).to_be_visible()
    await expect(alice.answer).to_have_attribute("aria-busy", "true")
    await expect(alice.answer.get_by_text("in a file.")).to_have_count(0)
    await expect(alice.log.get_by_text("Thought for")).to_be_visible()
    await expect(alice.log.get_by_text("The file is not there yet.")).to_be_hidden()

    writing.open()
    request = alice.request("maia wants to run a command")
    await expect(request).to_contain_text(f"$ {COMMAND}")
    await expect(request).to_contain_text("In /workspace.")
    await expect(request).to_contain_text("No rule covers echo bonjour.")
    await expect(alice.file("greeting.txt")).to_have_count(0)
    await request.get_by_role("button", name="Allow once").click()

    await expect(request).to_have_count(0)
    await expect(alice.card("Bash")).to_contain_text("done")
    await expect(alice.answer).to_contain_text("Allowed once by you")
    await expect(alice.file("greeting.txt")).to_be_visible()
    await running.until_reached()
    await expect(alice.answer.get_by_text("Done: greeting.txt")).to_be_visible()
    running.open()
    await alice.idle()
    await expect(alice.answer).to_contain_text("says bonjour.")

    await alice.file("greeting.txt").click()
    content = alice.panel.get_by_role("textbox", name="Content of greeting.txt")
    await expect(content).to_have_text("bonjour")


# Presses Y the moment a request appears, and notes when that was.
EARLY_KEY = """() => {
  window.early = [];
  new MutationObserver(() => {
    const request = document.querySelector("section.perm");
    if (!request || window.early.at(-1)?.request === request) return;
    window.early.push({ request, at: performance.now() });
    request.dispatchEvent(new KeyboardEvent("keydown", { key: "y", code: "KeyY", bubbles: true }));
  }).observe(document.body, { childList: true, subtree: true });
}"""


async def test_keys_answer_only_for_the_one_who_means_it(world: World) -> None:
    world.model.script(
        tool_answer("Bash", {"command": "echo one > one.txt"}),
        tool_answer("Bash", {"command": "echo two > two.txt"}, "call_b"),
        answer(text("Both are written.")),
    )
    room = world.room()
    alice = await world.open("alice", room)
    await alice.page.evaluate(EARLY_KEY)

    async def old_enough(count: int) -> None:
        since = f"window.early.length == {count} && performance.now() - window.early.at(-1).at"
        await alice.until(f"{since} > 600")

    await alice.say("Write two files")
    request = alice.request()
    await expect(request).to_contain_text("echo one")
    await old_enough(1)
    await alice.composer.press("y")
    await expect(alice.composer).to_have_value("y")
    await alice.composer.fill("")
    await alice.composer.press("Shift+Tab")
    await expect(request).to_be_focused()
    await alice.leave_fields()
    await alice.page.keyboard.press("Enter")
    await alice.page.keyboard.press("Shift+Tab")
    await expect(request).to_contain_text("echo one")
    assert not (room.folder / "one.txt").exists()
    await alice.page.keyboard.press("y")

    await expect(request).to_contain_text("echo two")
    assert (room.folder / "one.txt").read_text() == "one\n"
    await old_enough(2)
    await expect(request.get_by_role("button", name="Allow once")).to_be_enabled()
    assert not (room.folder / "two.txt").exists()
    await alice.page.keyboard.press("o")
    await expect(alice.answer).to_contain_text("Both are written.")
    assert (room.folder / "two.txt").read_text() == "two\n"


async def test_a_card_with_a_long_output_is_opened_whole_after_a_reload(world: World) -> None:
    command = "seq 100000 103500; printf 'x%.0s' {1..500}"
    world.model.script(
        tool_answer("Bash", {"command": command}),
        answer(text("There they are.")),
    )
    alice = await world.open("alice", world.room())
    await alice.say("Count for me")
    await alice.request().get_by_role("button", name="Allow once").click()
    await alice.idle()
    await alice.page.reload()
    await expect(alice.answer).to_contain_text("There they are.")
    await alice.card("Bash").click()
    card = alice.answer.locator("maia-tool-call")
    await expect(card).to_contain_text("100001")
    await expect(card.get_by_text("101700")).to_have_count(0)
    await card.get_by_role("button", name="Show all").click()
    await expect(card).to_contain_text("101700")
    await expect(card).to_contain_text("103500")


async def test_a_message_that_is_too_long_stays_in_the_composer_with_the_reason(
    world: World,
) -> None:
    alice = await world.open("alice", world.room())
    await alice.composer.fill("x" * 200_001)
    await alice.composer.press("Enter")
    await expect(alice.page.get_by_text("This message has 200,001 characters")).to_be_visible()
    assert len(await alice.composer.input_value()) == 200_001
    await expect(alice.message("xxx")).to_have_count(0)
