"""What a model's server refuses, cuts or marks badly: people see it where it happened."""

from __future__ import annotations

from typing import Any

from tests.e2e.app import expect
from tests.e2e.world import World
from tests.support.openai_behaviours import (
    DONE,
    Answer,
    Gate,
    answer,
    call,
    error,
    finish,
    text,
    thought,
    usage,
)


async def test_what_was_cut_refused_or_thought_alone_is_seen_and_stays(world: World) -> None:
    def strict(body: dict[str, Any]) -> Answer | None:
        return error(422, "stream_options: extra_forbidden") if "stream_options" in body else None

    room = world.room()
    alice = await world.open("alice", room)
    world.model.chooser = strict
    await alice.say("Is it strict?")
    await expect(alice.answer).to_contain_text("You said: Is it strict?")
    await expect(alice.log).to_contain_text("does not take “stream_options”")

    cut = {"prompt_tokens": 5, "completion_tokens": 4096}
    look = call(0, "a", "Glob", '{"pattern": "*.md"}')
    world.model.script(
        Answer([look, finish("tool_calls"), usage(cut), DONE]), answer(thought("Hm, so it is."))
    )
    await alice.say("Cut it")
    await expect(alice.answer).to_contain_text("cut off")
    await expect(alice.answer).to_contain_text("The model thought, but gave no answer.")
    await expect(alice.answer.get_by_role("button", name="Try again")).to_be_visible()
    await alice.idle()

    reader = await world.open("alice", room, language="fr-FR")
    await expect(reader.log).to_contain_text("ne prend pas « stream_options »")
    await expect(reader.answer).to_contain_text("coupé")
    await expect(reader.answer).to_contain_text("Le modèle a réfléchi, mais n'a pas répondu.")


async def test_a_text_becomes_a_thought_when_its_end_comes(world: World) -> None:
    gate = Gate()
    alice = await world.open("alice", world.room())
    world.model.script(answer(text("They greet me.\n"), gate, text("</think>\n\nGood day!")))
    await alice.say("hi")
    await expect(alice.answer.locator("maia-markdown")).to_contain_text("They greet me.")
    gate.open()
    await expect(alice.answer.locator("maia-markdown")).to_have_text("Good day!")
    await expect(alice.answer.locator("maia-thought")).to_have_count(1)


async def test_that_the_server_did_not_answer_is_over_when_it_does(world: World) -> None:
    gate = Gate()
    alice = await world.open("alice", world.room())
    world.model.script(error(503, "busy"), answer(text("Here."), gate, text(" Done.")))
    await alice.say("hi")
    await expect(alice.page.get_by_text("trying again in")).to_be_visible()
    await expect(alice.answer).to_contain_text("Here.")
    await expect(alice.page.get_by_text("trying again in")).to_have_count(0)
    gate.open()
    await alice.idle()
