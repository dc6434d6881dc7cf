"""Where rules count in a turn, and where they do not (seed M §9.2 and §9.4)."""

from __future__ import annotations

import json

import pytest

from agents.domain.content.parts import ToolPart
from agents.models import Agent, Rule
from agents.runtime.host import Host
from agents.services.turns.people import cancel_channel
from maia_web.lib.db import in_db
from tests.cast import Cast
from tests.support.listener import listening
from tests.support.openai_behaviours import Gate, answer, call, text, tool_answer
from tests.support.openai_server import ScriptedServer
from tests.support.typed import post_message, post_typed
from workspaces.files.local import LocalFiles
from workspaces.sandboxes.base import probed

pytestmark = pytest.mark.django_db(transaction=True)


async def test_a_tool_that_asks_nobody_by_default_asks_without_a_rule(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    await in_db(Rule.objects.all().delete)()
    model.script(tool_answer("Read", {"path": "a.py"}))
    async with listening(cast.alice.pk, direct) as listener:
        await in_db(post_message)(cast.alice.pk, direct, "look")
        state = await listener.until(lambda s: bool(s.permissions))
        assert [request.tool_call.name for request in state.permissions] == ["Read"]
        await in_db(cancel_channel)(cast.alice.pk, direct)
        await listener.until_idle()


async def test_what_a_person_types_passes_no_rule(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    if (await probed()).bwrap is None:
        pytest.skip("no sandbox")
    for rule in ("Bash", "Read"):
        await in_db(Rule.objects.create)(scope="site", family="deny", text=rule)
    await in_db(LocalFiles(cast.atelier.place).write)("a.py", "print('hi')")
    model.script(answer(text("I see.")))
    async with listening(cast.alice.pk, direct) as listener:
        await in_db(post_typed)(cast.alice.pk, direct, "!echo typed")
        await in_db(post_typed)(cast.alice.pk, direct, "what is @a.py?")
        state = await listener.until_idle()

    cards = [part for m in state.messages for part in m.parts if isinstance(part, ToolPart)]
    assert [(card.status, card.output.splitlines()[0]) for card in cards] == [
        ("completed", "typed")
    ]
    assert [(each.path, each.problem) for each in state.messages[-2].attachments] == [
        ("a.py", None)
    ]
    asked = str(model.requests[-1].body["messages"][-1]["content"])
    assert "print('hi')" in asked
    assert not state.permissions


async def test_an_agent_that_is_renamed_in_mid_turn_keeps_its_rules(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    agent = await in_db(Agent.objects.get)(name="maia")
    await in_db(Rule.objects.create)(scope="agent", agent=agent, family="deny", text="Read(b.py)")
    gate = Gate()
    asked = call(0, "a", "Read", json.dumps({"path": "b.py"}))
    model.script(answer(text("Wait"), gate, asked, reason="tool_calls"), answer(text("Denied.")))
    async with listening(cast.alice.pk, direct) as listener:
        await in_db(post_message)(cast.alice.pk, direct, "look")
        await listener.until(
            lambda s: s.messages[-1].role == "agent" and bool(s.messages[-1].parts)
        )
        await in_db(Agent.objects.filter(pk=agent.pk).update)(name="mia")
        gate.open()
        state = await listener.until_idle()

    (card,) = [part for m in state.messages for part in m.parts if isinstance(part, ToolPart)]
    assert "Read(b.py)" in card.output
    assert not state.permissions
