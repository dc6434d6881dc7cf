"""The first start, in the browser: the link, the administrator, the demo model, the app."""

from __future__ import annotations

from playwright.async_api import Page

from tests.e2e.app import App, expect
from tests.support.browser import Browsers
from tests.support.fixtures import StartServer

PASSWORD = "correct horse battery staple"


async def test_the_link_alone_leads_to_an_answer_of_the_demo_model_and_is_spent(
    start_server: StartServer, browsers: Browsers
) -> None:
    server = start_server(empty=True)
    link = server.setup_link().removeprefix(server.url)
    await _nobody_sets_up_without_the_link(await browsers.page(server, path="/"), browsers)
    page = await browsers.page(server, path=link)

    await page.get_by_label("Your name").fill("Camille")
    await page.get_by_label("Username").fill("camille")
    await page.get_by_label("Password", exact=True).fill("12345678")
    await page.get_by_role("button", name="Continue").click()
    await expect(page.get_by_text("This password is too common.")).to_be_visible()
    await page.get_by_label("Password", exact=True).fill(PASSWORD)
    await page.get_by_role("button", name="Continue").click()

    await expect(page.get_by_role("heading", name="Where do your models run?")).to_be_visible()
    await page.get_by_text("Offline demo").click()
    await page.get_by_role("button", name="Continue").click()
    await expect(page.get_by_role("heading", name="Where do commands run?")).to_be_visible()
    await expect(page.get_by_text("The sandbox works.")).to_be_visible()
    await page.get_by_role("button", name="Open MAIA").click()

    await expect(page.get_by_role("heading", name="Welcome, Camille")).to_be_visible()
    await page.get_by_role("button", name="Talk to maia").click()
    app = App(page)
    await app.say("Hello")
    await app.idle()
    await expect(app.answer).to_contain_text("demo")

    answer = await page.goto(link)
    assert answer is not None
    assert answer.status == 404
    await _sign_out_and_in(page)
    stranger = await browsers.page(server, path=link)
    await expect(stranger.get_by_role("textbox")).to_have_count(0)


async def _nobody_sets_up_without_the_link(page: Page, browsers: Browsers) -> None:
    await expect(page.get_by_text("Nobody has set up this server yet.")).to_be_visible()
    browsers.problems.allow("status of (404|422)")
    for step in ("", "/model", "/sandbox"):
        answer = await page.goto(f"/setup/not-the-token{step}")
        assert answer is not None
        assert answer.status == 404
        await expect(page.get_by_role("textbox")).to_have_count(0)


async def _sign_out_and_in(page: Page) -> None:
    await page.goto("/account")
    await page.get_by_role("button", name="Sign out").click()
    await expect(page.get_by_role("heading", name="Welcome back")).to_be_visible()
    await page.goto("/")
    await expect(page.get_by_role("heading", name="Welcome back")).to_be_visible()
    await page.get_by_label("Username").fill("camille")
    await page.get_by_label("Password", exact=True).fill("wrong")
    await page.get_by_role("button", name="Sign in").click()
    await expect(page.get_by_text("The username or the password is wrong.")).to_be_visible()
    await page.get_by_label("Password", exact=True).fill(PASSWORD)
    await page.get_by_role("button", name="Sign in").click()
    await expect(App(page).message("Hello").first).to_be_visible()
