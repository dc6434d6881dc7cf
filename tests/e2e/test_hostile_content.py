"""What others write is text: nothing of it runs, loads, or draws as part of the page."""

from __future__ import annotations

from playwright.async_api import Request

from tests.e2e.app import App, expect
from tests.e2e.test_terminal import run, screen, shell
from tests.e2e.world import World
from tests.support.openai_behaviours import answer, text, thought, tool_answer

IMAGE = "<img src=x onerror=pwned=1>"
SCRIPT = "<script>pwned=1</script>"
ELSEWHERE = "http://127.0.0.1:9"
MARKDOWN = f"""{IMAGE} {SCRIPT}

[click](javascript:pwned=1) [data](data:text/html,{SCRIPT}) [vb](vbscript:pwned)
[good](https://example.org/) ![picture]({ELSEWHERE}/a.png) ![own](//127.0.0.1:9/b.png)

<a href="javascript:pwned=1">raw</a> <iframe src="{ELSEWHERE}/c"></iframe>
<form action="{ELSEWHERE}/d"><input name="app" autofocus onfocus="pwned=1"></form>
<style>body {{ display: none }}</style><svg onload="pwned=1"><use href="{ELSEWHERE}/e#x"/></svg>
<div id="app" style="position:fixed;inset:0;background:url({ELSEWHERE}/f)">over everything</div>
<base href="{ELSEWHERE}/"><meta http-equiv="refresh" content="0;url={ELSEWHERE}/g">

```html
{SCRIPT}{IMAGE}
```

| {IMAGE} | `{SCRIPT}` |
| --- | --- |
| <object data="{ELSEWHERE}/h"></object> | <math><mtext><style><img src=x onerror=pwned=1> |
"""


def watch(app: App, server: str) -> list[str]:
    """Collects the addresses elsewhere that the page asks for."""
    asked: list[str] = []

    def look(request: Request) -> None:
        if not request.url.startswith((server, "data:", "blob:")):
            asked.append(request.url)

    app.page.on("request", look)
    return asked


async def harmless(app: App) -> None:
    """Checks that nothing ran and that nothing foreign is part of the page."""
    state = await app.page.evaluate(
        """() => ({
          ran: window.pwned ?? null,
          bad: [...document.querySelectorAll("a[href], area[href]")].map((a) => a.href)
            .filter((href) => !/^https?:/.test(href)),
          foreign: document.querySelectorAll(
            "img[src=x], iframe, object, embed, base, #timeline form, #timeline style, [onerror]"
          ).length,
          apps: document.querySelectorAll("#app").length,
          at: location.pathname,
        })"""
    )
    assert state["ran"] is None
    assert state["bad"] == []
    assert state["foreign"] == 0
    assert state["apps"] == 1
    assert state["at"].startswith("/w/")


async def test_an_answer_full_of_html_is_an_answer(world: World) -> None:
    half = len(MARKDOWN) // 2
    world.model.script(
        answer(thought(IMAGE + SCRIPT), text(MARKDOWN[:half]), text(MARKDOWN[half:]), text("End."))
    )
    alice = await world.open("alice", world.room())
    asked = watch(alice, world.site.server.url)
    await alice.say(f"{IMAGE}{SCRIPT} `{IMAGE}` javascript:pwned=1")
    await expect(alice.answer).to_contain_text("End.")
    await alice.idle()
    await expect(alice.message("javascript:pwned=1").first).to_contain_text(IMAGE + SCRIPT)
    await expect(alice.answer.locator("pre")).to_contain_text(SCRIPT + IMAGE)
    await alice.answer.get_by_text("Thought for").click()
    await expect(alice.answer.get_by_text(IMAGE + SCRIPT).first).to_be_visible()
    good = alice.answer.get_by_role("link", name="good")
    await expect(good).to_have_attribute("rel", "noopener noreferrer")
    await expect(alice.answer.get_by_role("link", name="click")).to_have_count(0)
    # A picture elsewhere is a link; nobody learns that the answer was read.
    picture = alice.answer.get_by_role("link", name="picture")
    await expect(picture).to_have_attribute("href", f"{ELSEWHERE}/a.png")
    await harmless(alice)
    await alice.page.reload()
    await expect(alice.answer).to_contain_text("End.")
    await harmless(alice)
    assert asked == []


async def test_names_of_things_and_people_are_names(world: World) -> None:
    mallory = world.site.client("mallory")
    name = f"{IMAGE}{SCRIPT}"
    profile = {"display_name": name[:60], "language": "", "theme": ""}
    token = {"csrfmiddlewaretoken": mallory.cookies["maia-csrf"]}
    assert mallory.post("/account", data=profile | token).status_code == 302
    world.model.script(tool_answer("Write", {"path": f"{IMAGE}.md", "content": SCRIPT}))
    room = world.room(owner="mallory", channel=IMAGE, name=f"{IMAGE}ws", members={"alice": "owner"})
    alice = await world.open("alice", room)
    asked = watch(alice, world.site.server.url)
    await expect(alice.page.get_by_role("heading", level=1)).to_have_text(IMAGE)
    await expect(alice.page.get_by_role("button", name=f"Workspace {IMAGE}ws")).to_be_visible()
    other = await world.open("mallory", room)
    await other.say(f"@maia {IMAGE}")
    await expect(alice.message(f"@maia {IMAGE}")).to_contain_text(name[:60])
    await expect(alice.request()).to_contain_text(f"{IMAGE}.md")
    await expect(alice.request()).to_contain_text(SCRIPT)
    await alice.request().get_by_role("button", name="Allow once").click()
    await expect(alice.file(f"{IMAGE}.md")).to_be_visible()
    await alice.file(f"{IMAGE}.md").click()
    content = alice.panel.get_by_role("textbox", name=f"Content of {IMAGE}.md")
    await expect(content).to_have_text(SCRIPT)
    await alice.page.keyboard.press("Control+k")
    await expect(alice.dialog.get_by_role("option").filter(has_text=IMAGE).first).to_be_visible()
    for each in (alice, other):
        await harmless(each)
    for path in (f"/w/{room.workspace}/settings", "/admin/people"):
        await alice.page.goto(path)
        await expect(alice.page.get_by_text(name[:60]).first).to_be_visible()
        assert await alice.page.evaluate("window.pwned ?? null") is None
    assert asked == []


async def test_a_command_shows_what_it_hides(world: World) -> None:
    command = "echo safe \u202e\u2066# mr\u2069\u2066 ; rm -r /workspace\u200b \r ls"
    world.model.script(tool_answer("Bash", {"command": command}), answer(text("As you wish.")))
    room = world.room()
    (room.folder / "x\u202egpj.exe").write_text("")
    alice = await world.open("alice", room)
    await expect(alice.file("x⟨U+202E⟩gpj.exe")).to_be_visible()
    await alice.say("Trick me")
    shown = "echo safe ⟨U+202E⟩⟨U+2066⟩# mr⟨U+2069⟩⟨U+2066⟩ ; rm -r /workspace⟨U+200B⟩ ⟨U+000D⟩ ls"
    await expect(alice.request()).to_contain_text(shown)
    await alice.request().get_by_role("button", name="Deny", exact=False).first.click()
    await alice.idle()
    await expect(alice.card("rm -r")).to_contain_text("⟨U+202E⟩")


async def test_what_a_command_prints_is_only_printed(world: World) -> None:
    printed = r"\033[31mred\033[0m \033]0;stolen\007\033]52;c;c3RvbGVu\007"
    link = r"\033]8;;javascript:pwned=1\033\\\\link\033]8;;\033\\\\"
    command = f"printf '{printed}{link} {SCRIPT}{IMAGE}\\n'; true"
    world.model.script(tool_answer("Bash", {"command": command}), answer(text("Printed.")))
    alice = await world.open("alice", world.room(), permissions=["clipboard-read"])
    asked = watch(alice, world.site.server.url)
    await alice.say("Print it")
    await alice.request().get_by_role("button", name="Allow once").click()
    await expect(alice.answer).to_contain_text("Printed.")
    output = alice.answer.get_by_role("region", name="Output")
    await expect(output).to_have_count(0)
    await alice.card("printf").click()
    await expect(output).to_contain_text(f"{SCRIPT}{IMAGE}")
    await expect(output.get_by_text("red", exact=True)).to_be_visible()
    assert "\x1b" not in await output.inner_text()

    await shell(alice)
    await run(alice, command)
    await expect(screen(alice)).to_contain_text(f"{SCRIPT}{IMAGE}")
    assert "stolen" not in await alice.page.title()
    assert await alice.page.evaluate("navigator.clipboard.readText()") == ""
    await harmless(alice)
    assert asked == []
