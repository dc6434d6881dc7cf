"""What was read is what is kept: on the card, in the request, in the log; also from before."""

from __future__ import annotations

import json

import pytest

from agents.domain.content.parts import ToolPart
from agents.domain.rules.call_digest import call_digest
from agents.models import AuditEntry, Message, PermissionRequest, SessionMessage, ToolCall
from agents.runtime.host import Host
from agents.services.permissions.answers import Given, answer_permission
from agents.services.permissions.trials import try_call
from maia_web.lib.db import in_db
from tests.agents.runtime.talk import Talk
from tests.cast import Cast
from tests.support.listener import listening
from tests.support.openai_behaviours import answer, text, tool_answer
from tests.support.openai_server import ScriptedServer
from tests.support.typed import post_message
from workspaces.files.local import LocalFiles

pytestmark = pytest.mark.django_db(transaction=True)
RECEIVED = {"file_path": "/workspace/./n.txt", "text": ["a", "b"], "why": "asked"}
READ = {"path": "n.txt", "content": "a\nb"}


async def test_card_request_log_and_memory_hold_the_value_that_runs(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    model.script(tool_answer("Write", RECEIVED))
    model.script(answer(text("Done.")))
    async with listening(cast.alice.pk, direct) as listener:
        await in_db(post_message)(cast.alice.pk, direct, "write")
        state = await listener.until(lambda s: bool(s.permissions))
        request = state.permissions[0]
        assert json.loads(request.tool_call.input) == READ
        assert request.offers[0].rule == "Write(n.txt)"
        await in_db(answer_permission)(cast.alice.pk, request.id, Given("allow_once"))
        state = await listener.until_idle()

    (card,) = (part for part in state.messages[-1].parts if isinstance(part, ToolPart))
    assert (json.loads(card.input), card.status) == (READ, "completed")
    assert await in_db(_written)(cast) == "a\nb"
    assert (await in_db(AuditEntry.objects.get)(kind="decision")).input == READ
    sent = model.chats[-1].body["messages"][-2]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(sent) == READ


async def test_a_call_that_cannot_be_read_is_told_to_the_model_and_asks_nobody(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    model.script(tool_answer("Write", {"content": "x"}))
    model.script(answer(text("Well.")))
    async with listening(cast.alice.pk, direct) as listener:
        await in_db(post_message)(cast.alice.pk, direct, "write")
        state = await listener.until_idle()

    assert state.permissions == ()
    assert not await in_db(PermissionRequest.objects.exists)()
    told = model.chats[-1].body["messages"][-1]["content"]
    assert 'Parameter "path" is missing or invalid' in told
    assert "content (string)" in told


async def test_a_request_of_an_earlier_version_is_answered_and_runs(
    cast: Cast, talk: Talk, model: ScriptedServer
) -> None:
    model.script(tool_answer("Write", RECEIVED))
    model.script(answer(text("Done.")))
    await talk.is_asked("write")
    await talk.host.stop()
    await in_db(_as_an_earlier_version_kept_it)()
    state = await talk.answers_after_a_crash()

    (card,) = (part for part in state.messages[-1].parts if isinstance(part, ToolPart))
    assert (json.loads(card.input), card.status) == (READ, "completed")
    assert await in_db(_written)(cast) == "a\nb"


def test_the_tester_judges_what_would_run(transactional_db: None, cast: Cast) -> None:
    definition = {
        "description": "adds",
        "command": {
            "parameters": [{"name": "n", "type": "number", "default": 5}],
            "run": "add {{n}}",
        },
    }
    LocalFiles(cast.access(cast.alice).place).write(
        ".maia/tools/Addition/TOOL.json", json.dumps(definition)
    )
    place = LocalFiles(cast.access(cast.alice).place)
    place.write("~/.maia/settings.json", json.dumps({"permissions": {"deny": ["Addition(5)"]}}))
    for received in ({}, {"n": "5.0"}, {"n": 5.0}):
        assert try_call(cast.alice.pk, cast.atelier.id, "Addition", received).verdict == "deny"
    other = try_call(cast.alice.pk, cast.atelier.id, "Addition", {"n": 6, "m": "5"})
    assert other.verdict == "ask"


def _written(cast: Cast) -> str:
    return LocalFiles(cast.access(cast.alice).place).read("n.txt").text


def _as_an_earlier_version_kept_it() -> None:
    """Rows in which the call stands as it was received, and the request's digest of that."""
    call = ToolCall.objects.get()
    call.input = RECEIVED
    call.save()
    memory = SessionMessage.objects.order_by("-position").first()
    assert memory is not None
    memory.content["content"][-1]["input"] = RECEIVED
    memory.save()
    message = Message.objects.get(role="agent")
    message.parts[-1]["input"] = json.dumps(RECEIVED)
    message.save()
    request = PermissionRequest.objects.get()
    request.digest = call_digest(request.turn_id, "Write", RECEIVED)
    request.content["toolCall"]["input"] = json.dumps(RECEIVED)
    request.content["digest"] = request.digest
    request.save()
