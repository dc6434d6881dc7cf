"""A person's `!command`: in its place in the queue, live for everybody, in the next request."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from agents.domain.content.parts import ToolPart
from agents.models import AgentSession, AuditEntry, Message, Turn
from agents.protocol.frames import ChannelSnapshot
from agents.runtime.answering.context_meter import context_parts
from agents.runtime.host import Host
from agents.services.channels.messages import remove_queued
from agents.services.turns import hosts
from agents.services.turns.people import cancel_channel
from agents.services.typed.user_commands import start_command
from maia_web.lib.db import in_db
from maia_web.lib.errors import InvalidInput, NotAllowed, NotFound
from tests.cast import Cast
from tests.support.listener import Listener, fresh_snapshot, listening
from tests.support.openai_behaviours import Gate, answer, text
from tests.support.openai_server import ScriptedServer
from tests.support.typed import post_message, post_typed
from workspaces.sandboxes.base import probed
from workspaces.sandboxes.folders import folders_of
from workspaces.services import remove_member

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
async def _sandbox() -> None:
    found = await probed()
    if found.bwrap is None:
        pytest.skip(found.problem)


async def type_line(person: Any, channel: str, line: str, ref: str = "") -> Any:
    return await in_db(post_typed)(person.pk, channel, line, ref)


def cards(state: ChannelSnapshot) -> list[ToolPart]:
    return [p for m in state.messages for p in m.parts if isinstance(p, ToolPart)]


async def ended(listener: Listener, count: int = 1) -> ChannelSnapshot:
    def is_over(state: ChannelSnapshot) -> bool:
        over = [card for card in cards(state) if card.status in ("completed", "failed")]
        return len(over) >= count and not state.busy and all(m.done for m in state.messages)

    return await listener.until(is_over)


async def test_the_output_is_in_the_persons_message_and_in_the_next_request(
    cast: Cast, channel: str, host: Host, model: ScriptedServer
) -> None:
    model.script(answer(text("I saw it.")))
    async with listening(cast.bob.pk, channel) as listener:
        await type_line(cast.alice, channel, "!echo hi; echo err >&2; pwd; exit 3")
        state = await ended(listener)
        said = state.messages[-1]
        assert (said.role, said.author and said.author.username) == ("user", "alice")
        (card,) = cards(state)
        assert (card.kind, card.status) == ("execute", "failed")
        assert card.output == "hi\nerr\n/workspace\n[exit code: 3]"
        assert said.counters is None

        await in_db(post_message)(cast.bob.pk, channel, "what was that?")
        await listener.until(lambda s: s.messages[-1].role == "agent" and s.messages[-1].done)
        fresh = await in_db(fresh_snapshot)(cast.bob.pk, channel)
        assert fresh.messages == listener.state.messages

    (request,) = model.requests
    (asked,) = [m for m in request.body["messages"] if m["role"] == "user"]
    assert "$ echo hi; echo err >&2; pwd; exit 3\nhi\nerr\n/workspace\n[exit code: 3]" in str(
        asked["content"]
    ).replace("\\n", "\n")
    assert str(asked["content"]).count("exit 3") == 1
    session = await in_db(AgentSession.objects.get)(current=True)
    assert session.pending_context == []


async def test_the_context_bar_moves_with_each_command_and_back_at_stop(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    gate = Gate()
    model.script(answer(text("so"), gate))
    async with listening(cast.alice.pk, direct) as listener:
        await type_line(cast.alice, direct, "!echo hi")
        state = await listener.until(lambda s: "maia" in s.usage)
        first = state.usage["maia"].used
        await type_line(cast.alice, direct, "!seq 1000")
        await listener.until(lambda s: s.usage["maia"].used > first + 1_000)
        with_commands = await context_parts(cast.alice.pk, direct)
        await in_db(post_message)(cast.alice.pk, direct, "and " * 500)
        await listener.until(
            lambda s: bool(s.messages[-1].parts) and s.messages[-1].role == "agent"
        )
        assert listener.state.usage["maia"].used > with_commands.used
        await in_db(cancel_channel)(cast.alice.pk, direct)
        await listener.until(lambda s: not s.busy and s.usage["maia"].used == with_commands.used)
        gate.open()


async def test_it_is_audited_as_the_persons_own_deed(cast: Cast, direct: str, host: Host) -> None:
    async with listening(cast.alice.pk, direct) as listener:
        await type_line(cast.alice, direct, "!true")
        await ended(listener)

    entry = await in_db(AuditEntry.objects.get)(outcome="person")
    assert (entry.user_id, entry.tool, entry.input) == (cast.alice.pk, "Bash", {"command": "true"})


async def test_it_streams_while_it_runs_and_stop_kills_it(
    cast: Cast, direct: str, host: Host
) -> None:
    async with listening(cast.alice.pk, direct) as listener:
        await type_line(cast.alice, direct, "!echo begun; sleep 600")
        state = await listener.until(lambda s: any("begun" in card.output for card in cards(s)))
        assert state.answering is not None
        assert state.answering.command == "echo begun; sleep 600"
        assert not state.messages[-1].done
        fresh = await in_db(fresh_snapshot)(cast.alice.pk, direct)
        assert fresh.messages[-1].parts
        async with asyncio.timeout(60):
            await in_db(cancel_channel)(cast.alice.pk, direct)
            state = await ended(listener)

    (card,) = cards(state)
    assert (card.status, card.output) == ("failed", "begun\n[stopped]")
    session = await in_db(AgentSession.objects.get)(current=True)
    assert "begun\n[stopped]" in session.pending_context[0]


async def test_it_keeps_its_place_among_answers(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    gate = Gate()
    model.script(answer(text("first"), gate))
    model.script(answer(text("third")))
    async with listening(cast.alice.pk, direct) as listener:
        await in_db(post_message)(cast.alice.pk, direct, "one")
        await listener.until(lambda s: s.busy)
        await type_line(cast.alice, direct, "!echo second")
        await in_db(post_message)(cast.alice.pk, direct, "three")
        await listener.until(lambda s: s.queued == 2)
        gate.open()
        state = await listener.until(
            lambda s: (
                not s.busy and not s.queued and sum(m.role == "agent" for m in s.messages) == 2
            )
        )

    assert cards(state)[0].output == "second\n[exit code: 0]"
    assert "second" in str(model.requests[1].body["messages"][-1])


async def test_a_waiting_command_can_be_taken_back_and_never_runs(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    gate = Gate()
    model.script(answer(text("first"), gate))
    async with listening(cast.alice.pk, direct) as listener:
        await in_db(post_message)(cast.alice.pk, direct, "one")
        await listener.until(lambda s: s.busy)
        posted = await type_line(cast.alice, direct, "!touch ran")
        assert await in_db(remove_queued)(cast.alice.pk, direct, posted) == "!touch ran"
        gate.open()
        await listener.until_idle()

    assert not (folders_of(cast.atelier.place).workspace / "ran").exists()


async def test_a_command_whose_server_died_is_shown_as_interrupted_and_never_run_again(
    cast: Cast, direct: str
) -> None:
    await type_line(cast.alice, direct, "!touch ran-twice")
    claimed = await in_db(hosts.claim_turn)(direct, "elsewhere:1:x")
    assert claimed is not None
    card = claimed.parts[-1].model_copy(update={"status": "in_progress", "output": "half"})
    await in_db(start_command)(claimed.lease, (claimed.parts[0], card))
    await in_db(Turn.objects.update)(lease_until=None)

    host = Host()
    await host.start()
    try:
        async with listening(cast.alice.pk, direct) as listener:
            state = await ended(listener)
    finally:
        await host.stop()

    (shown,) = cards(state)
    assert shown.status == "failed"
    assert shown.output.startswith("half\n[interrupted: the server stopped")
    assert not (folders_of(cast.atelier.place).workspace / "ran-twice").exists()
    session = await in_db(AgentSession.objects.get)(current=True)
    assert len(session.pending_context) == 1


async def test_who_lost_the_right_meanwhile_runs_nothing(
    cast: Cast, channel: str, host: Host, model: ScriptedServer
) -> None:
    gate = Gate()
    model.script(answer(text("first"), gate))
    async with listening(cast.alice.pk, channel) as listener:
        await in_db(post_message)(cast.alice.pk, channel, "one")
        await listener.until(lambda s: s.busy)
        await type_line(cast.bob, channel, "!touch ran")
        await in_db(remove_member)(cast.alice.pk, cast.atelier.id, cast.bob.pk)
        gate.open()
        state = await listener.until(
            lambda s: not s.busy and all(m.done and not m.queued for m in s.messages)
        )

    typed = next(m for m in state.messages if m.author and m.author.username == "bob")
    assert typed.error is not None
    assert typed.error.code == "access-lost"
    assert cards(state) == []
    assert not (folders_of(cast.atelier.place).workspace / "ran").exists()


async def test_viewers_and_strangers_run_nothing(cast: Cast, channel: str) -> None:
    for person, refusal in ((cast.vera, NotAllowed), (cast.charlie, NotFound)):
        with pytest.raises(refusal):
            await type_line(person, channel, "!ls")

    assert await in_db(Turn.objects.count)() == 0


async def test_help_an_open_quote_and_a_repeated_line_run_nothing(cast: Cast, direct: str) -> None:
    reply = await type_line(cast.alice, direct, "!")
    with pytest.raises(InvalidInput, match="never closed"):
        await type_line(cast.alice, direct, "!'ls -la")
    first = await type_line(cast.alice, direct, "!ls", "ref-1")

    assert "sandbox" in reply.wire()["blocks"][0]["text"]
    assert await type_line(cast.alice, direct, "!ls", "ref-1") == first
    assert await in_db(Turn.objects.count)() == 1
    assert await in_db(Message.objects.count)() == 1
