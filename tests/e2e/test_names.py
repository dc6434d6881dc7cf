"""Names as they are, in the browser: what is no UTF-8 is opened and deleted as any other."""

from __future__ import annotations

import os

from playwright.async_api import expect

from tests.e2e.world import World


async def test_a_name_that_is_no_utf8_is_opened_completed_and_deleted(world: World) -> None:
    room = world.room()
    (room.folder / os.fsdecode(b"Sal\xe9.txt")).write_text("latin")
    (room.folder / r"Sal\xe9.txt").write_text("looks so")
    app = await world.open("alice", room)
    await app.show("Files")
    latin, looking = app.file(r"Sal\xe9.txt"), app.file(r"Sal\x5cxe9.txt")
    for file, content in ((latin, "latin"), (looking, "looks so")):
        await file.click()
        await expect(app.panel.locator(".cm-content:visible")).to_have_text(content)
    await app.composer.press_sequentially("@Sal")
    option = app.page.get_by_role("option").filter(has_text=r"Sal\xe9.txt")
    await option.click()
    await expect(app.composer).to_have_value("@'Sal\\xe9.txt' ")
    await app.composer.fill("")
    await latin.click(button="right")
    async with app.page.expect_download() as waiting:
        await app.page.get_by_role("menuitem", name="Download").click()
    downloaded = await waiting.value
    assert (await downloaded.path()).read_text() == "latin"
    await latin.click(button="right")
    await app.page.get_by_role("menuitem", name="Rename").click()
    name = app.dialog.get_by_label("Name")
    await name.fill("a/b")
    await name.press("Enter")
    await expect(app.dialog).to_contain_text("Give a name without “/”")
    await name.fill("Salé.txt")
    await app.dialog.get_by_role("button", name="Rename").click()
    renamed = app.file("Salé.txt")
    await expect(renamed).to_be_visible()
    tab = app.panel.get_by_role("tab", name="Salé.txt")
    await tab.click()
    await expect(app.panel.locator(".cm-content:visible")).to_have_text("latin")
    await renamed.click(button="right")
    await app.page.get_by_role("menuitem", name="Rename").click()
    await app.page.keyboard.type("Café")  # what is selected is the name without its ending
    await app.page.keyboard.press("Enter")
    renamed = app.file("Café.txt")
    await expect(renamed).to_be_visible()
    assert (room.folder / "Café.txt").read_text() == "latin"
    await renamed.click(button="right")
    await app.page.get_by_role("menuitem", name="Delete").click()
    await app.dialog.get_by_role("button", name="Delete").click()
    await expect(renamed).to_have_count(0)
    await expect(latin).to_have_count(0)
    assert [one.name for one in room.folder.iterdir() if one.is_file()] == [r"Sal\xe9.txt"]


async def test_an_owner_has_agents_named_as_committers(world: World) -> None:
    room = world.room(members={"bob": "editor"})
    page = (await world.open("alice", room, path=f"/w/{room.workspace}/settings")).page
    box = page.get_by_role("checkbox", name="The agent is named as the committer")
    await expect(box).not_to_be_checked()
    await box.check()
    await page.get_by_role("region", name="git").get_by_role("button", name="Save").click()
    await expect(page.get_by_role("status")).to_have_text("Saved.")
    await expect(box).to_be_checked()
    theirs = (await world.open("bob", room, path=f"/w/{room.workspace}/settings")).page
    shown = theirs.get_by_role("checkbox", name="The agent is named as the committer")
    await expect(shown).to_be_checked()
    await expect(shown).to_be_disabled()
    if os.environ.get("MAIA_SHOTS"):
        await page.screenshot(path=f"{os.environ['MAIA_SHOTS']}/git.png", full_page=True)
