"""The terminal is a real shell in the sandbox."""

from __future__ import annotations

import asyncio
import contextlib
import re

from playwright.async_api import Locator

from tests.e2e.app import App, expect
from tests.e2e.world import World


def screen(app: App) -> Locator:
    """What the shell that is shown has printed, as a screen reader finds it."""
    return app.panel.locator("maia-terminal:not([hidden]) .xterm-accessibility-tree")


async def shell(app: App) -> None:
    """Shows the terminal, readable for a test as for a screen reader, with the focus in it."""
    await app.show("Terminal")
    reader = app.panel.get_by_role("button", name="Screen reader mode")
    await expect(app.panel.get_by_text("Connected to the sandbox")).to_be_visible()
    if await reader.get_attribute("aria-pressed") == "false":
        await reader.click()
    await app.panel.get_by_role("textbox", name="Terminal input").focus()


async def new_shell(app: App) -> None:
    """Opens another terminal; it has the focus, and its shell waits for a command."""
    tabs = app.panel.get_by_role("tablist", name="Terminals").get_by_role("tab")
    before = await tabs.count()
    await app.panel.get_by_role("button", name="New terminal").click()
    await expect(tabs).to_have_count(before + 1)
    await shell(app)
    await expect(screen(app)).to_have_text(re.compile(r"^/workspace \$\s*$"))


async def run(app: App, command: str) -> None:
    await app.page.keyboard.type(command)
    await app.page.keyboard.press("Enter")


async def test_a_shell_prints_what_is_typed_and_survives_a_reload(world: World) -> None:
    room = world.room()
    alice = await world.open("alice", room)
    await shell(alice)
    await run(
        alice,
        r"printf 'h\303\251llo w\303\266rld \360\237\214\215 \346\227\245\n'; pwd; name=kept",
    )
    await expect(screen(alice)).to_contain_text("héllo wörld 🌍 日")
    await expect(screen(alice)).to_contain_text("/workspace")
    await run(alice, "echo made > made.txt; touch ~/mine")
    await alice.show("Files")
    await expect(alice.file("made.txt")).to_be_visible()
    assert (room.folder / "made.txt").read_text() == "made\n"

    await alice.page.reload()
    await shell(alice)
    await expect(screen(alice)).to_contain_text("héllo wörld 🌍 日")
    await run(alice, "echo the-same-$name")
    await expect(screen(alice)).to_contain_text("the-same-kept")


async def test_colours_are_drawn_and_the_shell_knows_its_size(world: World) -> None:
    alice = await world.open("alice", world.room())
    await shell(alice)
    await alice.page.reload()
    await shell(alice)
    await run(alice, "printf '\\033[31mr%s\\033[0m\\n' ed")
    rows = alice.panel.locator(".xterm-rows span").filter(has_text=re.compile("^red$"))
    await expect(rows).to_have_css("color", re.compile(r"rgb\((2\d\d|1[5-9]\d), \d+, \d+\)"))

    size = alice.panel.get_by_text(re.compile(r"^\d+ × \d+$"))
    columns, rows_ = await agreed_size(alice, size)
    divider = alice.page.get_by_role("separator", name="Width of the panel")
    await divider.focus()
    await divider.press("Shift+ArrowLeft")
    await expect(size).not_to_have_text(f"{columns} × {rows_}")
    await alice.panel.get_by_role("textbox", name="Terminal input").focus()
    wider, _rows = await agreed_size(alice, size)
    assert wider > columns


async def agreed_size(alice: App, size: Locator) -> tuple[int, int]:
    """Returns columns and rows once page and shell say the same: a font may still arrive."""
    async with asyncio.timeout(60):
        while True:
            columns, rows_ = (await size.inner_text()).split(" × ")
            await run(alice, "stty size")
            with contextlib.suppress(AssertionError):
                await expect(screen(alice)).to_contain_text(f"{rows_} {columns}", timeout=3_000)
                return int(columns), int(rows_)


async def test_shells_are_apart_and_end(world: World) -> None:
    alice = await world.open("alice", world.room())
    await shell(alice)
    await run(alice, "echo in-the-first")
    await expect(screen(alice)).to_contain_text("in-the-first")
    await new_shell(alice)
    tabs = alice.panel.get_by_role("tablist", name="Terminals").get_by_role("tab")
    await expect(tabs).to_have_count(2)
    await expect(screen(alice)).not_to_contain_text("in-the-first")
    # Esc and Ctrl+K are the shell's while it has the focus.
    # Keys are for a program that says that it runs: in the moment in which bash starts it the
    # terminal itself changes hands, and loses what is typed at a machine's speed.
    await run(alice, "sh -c 'echo runs-$((4)); exec cat'")
    await expect(screen(alice)).to_contain_text("runs-4")
    await alice.page.keyboard.press("Escape")
    await alice.page.keyboard.press("Control+k")
    await expect(alice.dialog).to_have_count(0)
    await alice.page.keyboard.press("Control+c")
    # What is typed before the shell is back goes to whom it ends.
    await expect(screen(alice)).to_contain_text(re.compile(r"runs-4.*/workspace \$\s*$", re.DOTALL))
    await run(alice, "exit 3")
    await expect(alice.panel.get_by_text("exit 3 · press Enter to close")).to_be_visible()
    await alice.panel.get_by_role("textbox", name="Terminal input").last.focus()
    await alice.page.keyboard.press("Enter")
    await expect(tabs).to_have_count(1)
    await expect(screen(alice)).to_contain_text("in-the-first")
    await expect(alice.panel.get_by_role("textbox", name="Terminal input")).to_be_focused()
    await alice.page.keyboard.press("Control+Shift+Escape")
    await expect(alice.panel.get_by_role("tab", name="Terminal", exact=True)).to_be_focused()


async def paste(app: App, text: str) -> None:
    """Pastes into the terminal what a page, or a malicious one, left in the clipboard."""
    await app.panel.locator("maia-terminal:not([hidden]) textarea").evaluate(
        """(field, text) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData("text/plain", text);
          const init = { clipboardData, bubbles: true, cancelable: true };
          field.dispatchEvent(new ClipboardEvent("paste", init));
        }""",
        text,
    )


async def test_nothing_that_is_pasted_runs_before_enter(world: World) -> None:
    alice = await world.open("alice", world.room())
    await new_shell_first(alice)
    await paste(alice, "echo A\x1b[201~\necho EVIL-$((3+3))\n")
    await expect(screen(alice)).to_contain_text("echo EVIL-$((3+3))")
    await expect(alice.panel.get_by_text("Control characters were left out")).to_be_visible()
    for keys in ("\x03", "\x04", "\x1b", "\x1bOA\r\n", "\x9b201~\r\n", "\x00\x7f"):
        await paste(alice, f"x{keys}y")
    await paste(alice, "\r\n: END-$((4+4))\n")
    await expect(screen(alice)).to_contain_text(": END-$((4+4))")
    await alice.page.keyboard.press("Enter")
    # Now all of it runs, and what ran before would stand above the first `A`.
    await expect(screen(alice)).to_contain_text(re.compile(r"\$\(\(4\+4\)\)\s*A\s*EVIL-6"))


async def test_a_full_screen_program_survives_a_reload_after_a_megabyte(world: World) -> None:
    room = world.room()
    (room.folder / "full.sh").write_text(FULL_SCREEN)
    alice = await world.open("alice", room)
    await new_shell_first(alice)
    await run(alice, "echo in-the-shell; bash full.sh")
    await expect(screen(alice)).to_contain_text("drawn-16")
    await alice.page.reload()
    await shell(alice)
    await expect(screen(alice)).to_contain_text("TITLE-9")
    await expect(screen(alice)).to_contain_text("drawn-16")
    await expect(screen(alice)).not_to_contain_text("in-the-shell")
    await alice.page.keyboard.press("ArrowUp")
    await expect(screen(alice)).to_contain_text("keys 1b4f41.")  # as the program wants it
    box = await alice.panel.locator("maia-terminal:not([hidden]) .xterm-screen").bounding_box()
    assert box
    await alice.page.mouse.click(box["x"] + 30, box["y"] + 30)
    await expect(screen(alice)).to_contain_text("keys 1b4f411b5b3c")  # the mouse, in its form
    await alice.page.keyboard.press("q")
    await expect(screen(alice)).to_contain_text("in-the-shell")
    await expect(screen(alice)).to_contain_text("left-25")
    await expect(screen(alice)).not_to_contain_text("TITLE-9")


FULL_SCREEN = r"""
stty -echo -icanon min 1
printf '\e[?1049h\e[?1h\e[?1000h\e[?1006h\e[?2004h\e[2J\e[1;1HTITLE-%s' $((3 * 3))
for i in {1..300}; do printf "\e[$((i % 10 + 3));1H%4000s" "" | tr ' ' . | cut -c1-3990; done
printf '\e[2J\e[1;1HTITLE-%s\e[2;1Hdrawn-%s' $((3 * 3)) $((4 * 4))
for i in {1..300}; do printf "\e[5;1H%4000s\r" "" | tr ' ' '\b' ; done
while IFS= read -rsn1 one && [ "$one" != q ]; do
  all+=$one
  printf '\e[3;1Hkeys %s.' "$(printf %s "$all" | od -An -v -tx1 | tr -d ' \n')"
done
printf '\e[?1000l\e[?2004l\e[?1l\e[?1049l'; stty sane; echo left-$((5 * 5))
"""


async def new_shell_first(app: App) -> None:
    """Shows the terminal; its shell waits for a command."""
    await shell(app)
    await expect(screen(app)).to_have_text(re.compile(r"/workspace \$\s*$"))


QUERIES = r"""
stty -echo
printf '\e[c\e[>c\e[=c\e[5n\e[6n\e[?6n\e[$p\e[?1$p\e[>q\eP$qm\e\\\e]10;?\a\e]11;?\a\e]4;1;?\a'
answer=; while IFS= read -rsn1 -t 3 one; do answer+=$one; [ ${#answer} -gt 400 ] && break; done
stty sane
printf '%s' "$answer" | od -An -c | tr -d ' \n' | grep -o '\[?1;2c\|\[0n\|rgb' | sort | uniq -c
echo twice-$(tr '\033' '\n' <<< "$answer" | grep -v '^\\*$' | sort | uniq -d | wc -l)
echo asked-$(($1 * 6))
"""


async def test_of_two_tabs_one_answers_and_a_reload_answers_nothing(world: World) -> None:
    room = world.room()
    (room.folder / "ask.sh").write_text(QUERIES)
    first = await world.open("alice", room)
    await new_shell_first(first)
    second = await world.open("alice", room)
    await new_shell_first(second)
    for number, app in enumerate((first, second), 1):
        await app.panel.get_by_role("textbox", name="Terminal input").focus()
        await ask_once(number, app, first, second)
    await first.page.reload()
    await shell(first)
    await run(first, "echo nothing-$((7 * 7))")
    asked = re.compile(r"asked-12\s*/workspace \$ echo nothing-\$\(\(7 \* 7\)\)\s*nothing-49")
    for shown in (first, second):
        await expect(screen(shown)).to_contain_text(asked)
    await second.page.close()
    await ask_once(3, first, first)


async def ask_once(number: int, app: App, *shown: App) -> None:
    """Runs a program that asks, and looks whether each question was answered once."""
    await run(app, f"clear; bash ask.sh {number}")
    answers = r"1 \[0n\s*1 \[\?1;2c\s*3 rgb\s*twice-0\s*"
    expected = rf"{answers}asked-{number * 6}\s*/workspace \$\s*$"
    for one in shown:
        await expect(screen(one)).to_have_text(re.compile(expected))


async def test_an_input_method_keeps_its_keys_in_the_name_of_a_terminal(world: World) -> None:
    alice = await world.open("alice", world.room())
    await new_shell_first(alice)
    tabs = alice.panel.get_by_role("tablist", name="Terminals")
    await tabs.get_by_role("tab").first.dblclick()
    field = tabs.get_by_role("textbox")
    await field.fill("ねこ")
    for key in ("Escape", "Enter"):
        await field.evaluate(
            "(one, key) => one.dispatchEvent(new KeyboardEvent('keydown',"
            " {key, keyCode: 229, bubbles: true, cancelable: true}))",
            key,
        )
    await expect(field).to_have_value("ねこ")
    await expect(field).to_be_focused()
    await field.press("Enter")
    await expect(tabs.get_by_role("tab").first).to_have_text("ねこ")
