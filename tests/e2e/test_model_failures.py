"""A model that fails: the conversation says what to do, and goes on."""

from __future__ import annotations

import pytest

from tests.e2e.app import expect
from tests.e2e.world import World
from tests.support.openai_behaviours import answer, text, tool_answer
from tests.support.processes import free_port

FAILURES = {
    "401": "The model server refused the key. An administrator can correct it in the settings.",
    "cut": "The model server stopped in the middle of the answer. Send the message again.",
    "error-object": "The model server reported an error while it answered.",
    "404": "has nothing at this path. Check the paths in the settings.",
    "400-context": "The conversation is too long for this model.",
}


@pytest.mark.parametrize("behaviour", FAILURES)
async def test_a_failed_answer_says_what_to_do_and_can_be_tried_again(
    world: World, behaviour: str
) -> None:
    alice = await world.open("alice", world.room())
    await alice.say(f"Please [[{behaviour}]]")
    await expect(alice.answer.get_by_text("FAIL")).to_be_visible()
    await expect(alice.answer).to_contain_text(FAILURES[behaviour])
    await alice.idle()
    if behaviour in ("cut", "error-object"):
        await expect(alice.answer).to_contain_text("Hel")
    if behaviour == "401":
        await alice.answer.get_by_text("Details").click()
        await expect(alice.answer).not_to_contain_text("sk-verysecretkey123")

    world.model.script(answer(text("Here I am again.")))
    await alice.answer.get_by_role("button", name="Try again").click()
    await expect(alice.answer).to_contain_text("Here I am again.")
    await alice.say("And now?")
    await expect(alice.answer).to_contain_text("You said: And now?")


def choose(world: World, **fields: str) -> None:
    """Chooses the site's model server anew, as an administrator does."""
    admin = world.site.client("alice")
    form = {
        "kind": "openai",
        "url": world.model.url,
        "model": "scripted",
        "chat_path": "/v1/chat/completions",
        "models_path": "/v1/models",
        "max_steps": "50",
        "context_size": "100000",
        "csrfmiddlewaretoken": admin.cookies["maia-csrf"],
    }
    assert admin.post("/admin/models", data=form | fields).status_code == 302


async def test_a_server_that_is_away_is_named_and_its_return_noticed(world: World) -> None:
    away = f"http://127.0.0.1:{free_port()}"
    alice = await world.open("alice", world.room())
    choose(world, url=away)
    try:
        await alice.say("Is anybody there?")
        await expect(alice.answer).to_contain_text(
            f"The model server at {away} cannot be reached. Check that it runs"
        )
        await alice.idle()
    finally:
        choose(world)
    await alice.answer.get_by_role("button", name="Try again").click()
    await expect(alice.answer).to_contain_text("You said: Is anybody there?")


async def test_an_answer_cut_by_the_limit_continues(world: World) -> None:
    alice = await world.open("alice", world.room())
    await alice.say("Please [[length]]")
    await expect(alice.answer).to_contain_text("The answer was cut by the output limit.")
    world.model.script(answer(text("wer, whole now.")))
    await alice.answer.get_by_role("button", name="Continue").click()
    await expect(alice.answer).to_contain_text("wer, whole now.")
    await alice.idle()
    await expect(alice.message("half an ans")).to_have_count(1)


async def test_a_series_of_steps_ends_with_the_question_whether_to_go_on(world: World) -> None:
    looks = [tool_answer("Glob", {"pattern": f"{n}*"}, id=f"call_{n}") for n in range(3)]
    world.model.script(*looks, answer(text("Nothing there.")))
    alice = await world.open("alice", world.room())
    choose(world, max_steps="2")
    try:
        await alice.say("Look around")
        await expect(alice.answer).to_contain_text("Stopped: 2 iterations. Continue?")
        await alice.idle()
        await alice.answer.get_by_role("button", name="Continue 2 more").click()
        await expect(alice.answer).to_contain_text("Nothing there.")
        await alice.idle()
    finally:
        choose(world)
    await expect(alice.card("Glob")).to_have_count(3)
