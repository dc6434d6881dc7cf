"""While an answer streams, what the reader looks at stays where it is."""

from __future__ import annotations

from tests.e2e.app import App, expect
from tests.e2e.world import World
from tests.support.openai_behaviours import answer, call, text, tool_answer

LONG = "\n\n".join(f"Paragraph {number} of a long answer, in a line." for number in range(60))
TOP = "document.querySelector('#timeline').scrollTop"
AT_END = """(() => { const { scrollTop, scrollHeight, clientHeight } =
  document.querySelector('#timeline'); return scrollHeight - scrollTop - clientHeight < 2; })()"""


async def scroll_up(app: App) -> None:
    """Turns the wheel over the conversation."""
    await app.log.hover()
    await app.page.mouse.wheel(0, -600)
    await expect(app.page.get_by_role("button", name="To the end")).to_be_visible()
    await app.rests()


async def test_who_scrolled_up_is_left_there_until_the_pill_brings_them_back(
    world: World,
) -> None:
    first, second = world.gate(), world.gate()
    world.model.script(
        answer(text(LONG), first, text(f"\n\n{LONG}\n\nHalf"), second, text(" End."))
    )
    room = world.room(channel="release", members={"bob": "editor"})
    alice, bob = [await world.open(name, room) for name in ("alice", "bob")]
    await alice.say("@maia Write a lot")
    await expect(alice.answer).to_contain_text("Paragraph 59")
    await alice.until(AT_END)
    await scroll_up(alice)
    top = await alice.page.evaluate(TOP)

    first.open()
    await expect(alice.answer).to_contain_text("Half")
    assert await alice.page.evaluate(TOP) == top
    await expect(bob.answer).to_contain_text("Half")
    await bob.until(AT_END)
    await bob.say("Two things")
    await expect(alice.page.get_by_role("button", name="1 new")).to_be_visible()
    assert await alice.page.evaluate(TOP) == top

    await alice.page.get_by_role("button", name="1 new").click()
    await alice.until(AT_END)
    second.open()
    await expect(alice.log).to_contain_text("Half End.")
    await alice.until(AT_END)
    await expect(alice.page.get_by_role("button", name="To the end")).to_have_count(0)


async def test_a_request_that_waits_below_is_told_and_sending_goes_to_the_end(
    world: World,
) -> None:
    first = world.gate()
    command = '{"command": "make"}'
    world.model.script(
        answer(text(LONG), first, call(0, "a", "Bash", command), reason="tool_calls")
    )
    alice = await world.open("alice", world.room())
    await alice.say("Make it")
    await expect(alice.answer).to_contain_text("Paragraph 59")
    await scroll_up(alice)
    first.open()
    await expect(alice.page.get_by_role("button", name="1 request waits")).to_be_visible()
    await alice.say("Wait")
    await alice.until(AT_END)


async def test_sending_stays_at_the_end_while_the_page_is_drawn_anew(world: World) -> None:
    world.model.script(*(answer(text(f"{LONG}\n\nEnd {number}.")) for number in (1, 2)))
    alice = await world.open("alice", world.room())
    for number in (1, 2):
        await alice.say("Write a lot")
        await expect(alice.log).to_contain_text(f"End {number}.")
        await alice.idle()
        await alice.until(AT_END)
    await scroll_up(alice)
    await alice.say("/help")
    await expect(alice.log).to_contain_text("only you see this")
    await alice.until(AT_END)
    await alice.say("[[echo]]")
    await expect(alice.answer).to_contain_text("You said")
    await alice.until(AT_END)
    await expect(alice.page.locator(".to-latest")).to_have_count(0)


async def test_a_selection_survives_while_the_answer_grows(world: World) -> None:
    held = world.gate()
    more = "\n\n".join(f"More {number}" for number in range(30))
    start = "The chosen words stay.\n\n- one\n- two\n\nA third block\n\nand **st"
    world.model.script(answer(text(start), held, text(f"ill** more\n\n{more}\n\nEnd.")))
    alice = await world.open("alice", world.room())
    await alice.say("Write")
    chosen = alice.answer.get_by_text("The chosen words stay.")
    await expect(alice.answer).to_contain_text("A third block")
    await chosen.evaluate("element => getSelection().selectAllChildren(element)")
    held.open()
    await expect(alice.answer).to_contain_text("End.")
    await alice.idle()
    assert await alice.page.evaluate("getSelection().toString()") == "The chosen words stay."
    await expect(alice.answer.locator("strong")).to_have_text("still")


async def test_a_card_that_the_reader_opened_stays_open(world: World) -> None:
    held, end = world.gate(), world.gate()
    world.model.script(
        tool_answer("Read", {"path": "notes.txt"}),
        answer(text("I read it."), held, text(f"\n\n{LONG}\n\nHalf"), end, text(" End.")),
    )
    room = world.room()
    (room.folder / "notes.txt").write_text("first line\nsecond line\n")
    alice = await world.open("alice", room)
    await alice.say("Read my notes")
    await expect(alice.answer).to_contain_text("I read it.")
    card = alice.card("notes.txt")
    await expect(alice.answer.get_by_text("second line")).to_have_count(0)
    await card.click()
    await expect(alice.answer.get_by_text("second line")).to_be_visible()
    held.open()
    await expect(alice.answer).to_contain_text("Half")
    end.open()
    await alice.idle()
    await expect(alice.answer).to_contain_text("End.")
    await card.scroll_into_view_if_needed()
    await expect(alice.answer.get_by_text("second line")).to_be_visible()
    await card.click()
    await expect(alice.answer.get_by_text("second line")).to_have_count(0)


async def test_code_that_streams_shows_as_code_and_unfinished_marks_as_text(
    world: World,
) -> None:
    first, second = world.gate(), world.gate()
    world.model.script(
        answer(
            text("A **bold"),
            first,
            text(" word** and\n\n```python\nprint(1"),
            second,
            text(")\n```"),
        )
    )
    alice = await world.open("alice", world.room())
    await alice.say("Write code")
    await expect(alice.answer.locator("maia-markdown")).to_have_text("A bold")
    first.open()
    code = alice.answer.locator("pre")
    await expect(code).to_contain_text("print(1")
    await expect(alice.answer.get_by_text("```")).to_have_count(0)
    box = await code.bounding_box()
    assert box is not None
    assert box["height"] >= 60
    second.open()
    await alice.idle()
    await expect(code.locator("[class^=hljs]").first).to_be_visible()
    await expect(alice.answer.get_by_role("button", name="Copy").first).to_be_attached()
