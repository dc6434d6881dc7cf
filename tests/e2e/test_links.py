"""A clone with links: what the rules say of a file holds for whatever leads to it."""

from __future__ import annotations

import os
from pathlib import Path

from tests.e2e.app import expect
from tests.e2e.world import Room, World
from tests.support.openai_behaviours import answer, text, tool_answer

SECRET = "canary-0123456789"


def _clone(room: Room) -> Path:
    """What bob brings: `docs/notes` and `docs/copy` are `.env`, `docs/config` is `site.toml`."""
    folder = room.folder
    for name in (".env", "site.toml", "build.toml", "docs/readme"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"token={SECRET}\n" if name == ".env" else f"{name} token\n")
        (folder / name).chmod(0o666)
    (folder / "docs").chmod(0o777)
    (folder / "docs/notes").symlink_to("../.env")
    (folder / "docs/config").symlink_to("../site.toml")
    os.link(folder / ".env", folder / "docs/copy")
    return folder


def _rule(world: World, room: Room, family: str, *texts: str) -> None:
    for one in texts:
        body = {"scope": "workspace", "workspace": room.workspace, "family": family, "text": one}
        assert world.site.client("alice").post("/api/rules", json=body).status_code == 201


async def test_two_people_see_that_a_link_gives_nothing_and_where_it_leads(world: World) -> None:
    room = world.room(channel="release", members={"bob": "editor"})
    folder = _clone(room)
    _rule(world, room, "deny", "Read(.env)", "Redirect(.env)")
    _rule(world, room, "allow", "Read(**)", "Grep(**)", "Bash(echo *)", "Redirect(**)")
    _rule(world, room, "ask", "Redirect(site.toml)")
    world.model.script(
        tool_answer("Read", {"path": "docs/notes"}),
        tool_answer("Grep", {"pattern": "token", "output_mode": "content"}, "call_b"),
        tool_answer("Bash", {"command": "echo mine > docs/copy"}, "call_c"),
        tool_answer("Bash", {"command": "echo ours > docs/config"}, "call_d"),
        answer(text("That is all.")),
    )
    alice, bob = [await world.open(name, room) for name in ("alice", "bob")]
    await bob.say("@maia Look at the notes, then set the token")
    for each in (alice, bob):
        request = each.request()
        await expect(request).to_contain_text("echo ours > docs/config")
        await expect(request).to_contain_text("docs/config → site.toml")
        await expect(request.locator("pre mark")).to_have_text("docs/config")
        await expect(each.card("docs/notes")).to_contain_text("failed", ignore_case=True)

    (folder / "docs/config").unlink()
    (folder / "docs/config").symlink_to("../build.toml")
    await alice.request().get_by_role("button", name="Allow once").click()
    for each in (alice, bob):
        await each.idle()
        await expect(each.answer).to_contain_text("That is all.")
        await expect(each.answer).to_contain_text("Allowed once by")
        await expect(each.log).not_to_contain_text(SECRET)
    results = [
        one["content"] for one in world.model.chats[-1].body["messages"] if one["role"] == "tool"
    ]
    assert "Read(.env)" in results[0]
    assert "docs/readme:1:docs/readme token" in results[1]
    assert "Redirect(.env)" in results[2]
    assert "leads to another file" in results[3]
    assert SECRET not in str(world.model.chats[-1].body)
    assert (folder / ".env").read_text() == f"token={SECRET}\n"
    assert (folder / "build.toml").read_text() == "build.toml token\n"
    await alice.shows_what(bob)
