"""Answerers: what this version does not know is not answered by somebody else in its name."""

from __future__ import annotations

import pytest
from django.test import Client

from agents.domain.content.messages import Message, MessageError, SystemCode
from agents.domain.content.parts import ToolPart
from agents.models import Agent, Turn
from agents.protocol.frames import ChannelSnapshot
from agents.runtime.host import Host
from agents.services.channels.channels import create_channel
from agents.services.typed.user_commands import post_command
from maia_web.lib.db import in_db
from tests.cast import Cast
from tests.support.listener import listening
from tests.support.openai_behaviours import answer, text
from tests.support.openai_server import ScriptedServer
from tests.support.typed import post_message

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(params=["acp", "flow"])
def forge(cast: Cast, request: pytest.FixtureRequest) -> str:
    """A channel with `maia`, and with an agent of a kind that nothing here answers for."""
    Agent.objects.create(name="forge", kind=request.param)
    return create_channel(cast.alice.pk, cast.atelier.id, "release", members=("forge", "maia"))


def last_answer(state: ChannelSnapshot) -> Message:
    return [message for message in state.messages if message.role == "agent"][-1]


def card_is_over(message: Message) -> bool:
    cards = [part for part in message.parts if isinstance(part, ToolPart)]
    return any(card.ended_at for card in cards)


def words_of(error: MessageError | None) -> tuple[str, str]:
    assert error is not None
    assert error.words is not None
    return error.words["en"], error.words["fr"].replace("\u202f", " ")


async def test_an_agent_of_another_kind_is_not_answered_by_the_built_in_loop(
    cast: Cast, forge: str, host: Host, model: ScriptedServer
) -> None:
    kind = (await in_db(Agent.objects.get)(name="forge")).kind
    async with listening(cast.alice.pk, forge) as listener:
        await in_db(post_message)(cast.alice.pk, forge, "@forge hello")
        state = await listener.until_idle()
        told = last_answer(state)
        assert (told.agent, told.done, told.parts) == ("forge", True, ())
        assert told.error is not None
        assert told.error.code == "unknown-agent"
        english, french = words_of(told.error)
        assert english.startswith("forge cannot answer: ")
        assert f"does not run agents of the kind “{kind}”" in english
        assert french.startswith("forge ne peut pas répondre")
        assert f"« {kind} »" in french
        assert model.chats == []

        model.script(answer(text("Hello")))
        await in_db(post_message)(cast.alice.pk, forge, "@maia hello")
        state = await listener.until(lambda now: len(now.messages) == 4 and now.messages[-1].done)
    assert (last_answer(state).agent, last_answer(state).error) == ("maia", None)


@pytest.mark.parametrize(
    ("changed", "english", "french"),
    [
        (
            {"toolset": "all"},
            "has a toolset that this version of MAIA does not know: “all”",
            "« all »",
        ),
        ({"kind": "flow"}, "does not run agents of the kind “flow”", "« flow »"),
    ],
)
async def test_what_the_definition_names_is_not_guessed(
    cast: Cast,
    direct: str,
    host: Host,
    model: ScriptedServer,
    changed: dict[str, str],
    english: str,
    french: str,
) -> None:
    await in_db(Agent.objects.filter(name="maia").update)(**changed)
    async with listening(cast.alice.pk, direct) as listener:
        await in_db(post_message)(cast.alice.pk, direct, "hello")
        error = last_answer(await listener.until_idle()).error
    told = words_of(error)
    assert english in told[0]
    assert french in told[1]
    assert model.chats == []


async def test_a_compaction_that_nobody_makes_says_so_in_the_channel(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    async with listening(cast.alice.pk, direct) as listener:
        await in_db(_queue)(direct, kind="compact", agent_kind="flow")
        await host.serve(direct)
        state = await listener.until(lambda now: bool(now.messages) and not now.busy)
    (note,) = state.messages
    assert note.code == SystemCode.COMPACT_FAILED
    english, french = words_of(note.error)
    assert "agents of the kind “flow”" in english
    assert "« flow »" in french
    assert model.chats == []


async def test_work_of_an_unknown_kind_ends_with_words(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    async with listening(cast.alice.pk, direct) as listener:
        await in_db(_queue)(direct, kind="step", agent_kind="maia")
        await host.serve(direct)
        told = last_answer(await listener.until_idle())
    english, french = words_of(told.error)
    assert "does not know work of the kind “step”" in english
    assert "« step »" in french
    assert model.chats == []


async def test_a_command_runs_whatever_the_agent_is_that_hears_of_it(
    cast: Cast, forge: str, host: Host
) -> None:
    async with listening(cast.alice.pk, forge) as listener:
        await in_db(post_command)(cast.alice.pk, forge, "!echo made", "echo made")
        state = await listener.until(lambda now: any(map(card_is_over, now.messages)))
    (card,) = [part for part in state.messages[-1].parts if isinstance(part, ToolPart)]
    assert (card.status, card.output) == ("completed", "made\n[exit code: 0]")


def _queue(channel: str, kind: str, agent_kind: str) -> None:
    Agent.objects.filter(name="maia").update(kind=agent_kind)
    Turn.objects.create(channel_id=channel, agent=Agent.objects.get(name="maia"), kind=kind)


def test_lists_and_pages_show_an_agent_of_any_kind(cast: Cast) -> None:
    Agent.objects.create(name="forge", kind="flow", toolset="all")
    Agent.objects.filter(name="maia").update(toolset="all")
    channel = create_channel(cast.alice.pk, cast.atelier.id, "release", members=("forge", "maia"))
    client = Client()
    client.force_login(cast.administrator)

    listed = {one["name"]: one for one in client.get("/api/agents").json()}
    assert (listed["forge"]["kind"], listed["forge"]["toolset"]) == ("flow", "all")
    page = client.get("/admin/agents")
    assert page.status_code == 200
    assert "does not know agents of the kind “flow”" in page.content.decode()
    client.force_login(cast.alice)
    assert client.get(f"/api/channels/{channel}").status_code == 200


async def test_an_agent_that_is_switched_off_says_so(
    cast: Cast, forge: str, host: Host, model: ScriptedServer
) -> None:
    async with listening(cast.alice.pk, forge) as listener:
        await in_db(Agent.objects.filter(name="maia").update)(enabled=False)
        await in_db(post_message)(cast.alice.pk, forge, "@maia hello")
        state = await listener.until_idle()
        told = last_answer(state).error
        assert told is not None
        assert told.code == "agent-off"
        english, french = words_of(told)
        assert english.startswith("maia is switched off.")
        assert french.startswith("maia est désactivé")

        await in_db(Agent.objects.filter(name="maia").update)(enabled=True)
        model.script(answer(text("Here.")))
        await in_db(post_message)(cast.alice.pk, forge, "@maia hello again")
        assert last_answer(await listener.until_idle()).error is None
    assert len(model.requests) == 1
