"""A channel that is deleted takes its answer with it: at once, in one transaction."""

from __future__ import annotations

import asyncio

import pytest

from agents.domain.content.parts import ToolPart
from agents.models import Channel, Message, PermissionRequest, Rule, Turn
from agents.protocol.frames import ChannelSnapshot
from agents.runtime.host import Host
from agents.services.leases import LostTurn, renew_lease
from agents.services.turns import hosts, journal
from agents.services.turns.people import delete_channel
from maia_web.lib.db import in_db
from tests.agents.runtime.test_host import last_text, say
from tests.cast import Cast
from tests.support.listener import listening
from tests.support.openai_behaviours import Gate, answer, text, tool_answer
from tests.support.openai_server import ScriptedServer
from tests.support.typed import post_message, reply_to

pytestmark = pytest.mark.django_db(transaction=True)


def nothing_left(channel: str) -> bool:
    rows = (Channel.objects.filter(id=channel), *(
        model.objects.filter(channel=channel) for model in (Message, Turn, PermissionRequest)
    ))  # fmt: skip
    return not any(one.exists() for one in rows)


def runs(state: ChannelSnapshot) -> bool:
    parts = [part for message in state.messages for part in message.parts]
    return any(isinstance(part, ToolPart) and part.status == "in_progress" for part in parts)


async def deleted(cast: Cast, channel: str, host: Host) -> None:
    """Deletes it; returns once its host has nothing to do there any more."""
    async with asyncio.timeout(60):
        await in_db(delete_channel)(cast.alice.pk, channel)
        assert await in_db(nothing_left)(channel)
        await host.serve(channel)
    assert await in_db(nothing_left)(channel)


async def test_a_streaming_answer_hangs_up_on_the_model_and_what_waits_is_gone(
    cast: Cast, channel: str, host: Host, model: ScriptedServer
) -> None:
    model.script(answer(text("half an "), Gate(), text("answer")))
    async with listening(cast.alice.pk, channel) as listener:
        await say(cast, channel, "hi")
        await listener.until(lambda s: last_text(s) == "half an ")
        await in_db(post_message)(cast.bob.pk, channel, "and this")
        await deleted(cast, channel, host)
    assert await asyncio.to_thread(model.requests[0].hung_up.wait, 60)
    assert len(model.requests) == 1


async def test_a_running_command_is_killed(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    await in_db(Rule.objects.create)(scope="site", family="allow", text="Bash(sleep *)")
    model.script(tool_answer("Bash", {"command": "sleep 600"}))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "wait")
        await listener.until(runs)
        await deleted(cast, direct, host)


async def test_a_persons_own_command_is_killed(cast: Cast, direct: str, host: Host) -> None:
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "!sleep 600")
        await listener.until(runs)
        await deleted(cast, direct, host)


async def test_a_request_that_waits_is_closed(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    model.script(tool_answer("Bash", {"command": "make"}))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "build")
        await listener.until(lambda s: bool(s.permissions))
        await deleted(cast, direct, host)
        await listener.until(lambda s: s.permissions[0].state == "cancelled")


async def test_a_compaction_ends(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    gate = Gate()
    model.script(answer(text("hello")), answer(text("## Pro"), gate))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "hi")
        await listener.until_idle()
        await reply_to(cast.alice.pk, direct, "/compact")
        await listener.until(
            lambda s: s.answering is not None and s.answering.waits_for == "summary"
        )
        await asyncio.to_thread(gate.reached)
        await deleted(cast, direct, host)


def test_a_host_that_did_not_hear_of_it_finds_its_turn_gone(cast: Cast, direct: str) -> None:
    post_message(cast.alice.pk, direct, "hi")
    turn = hosts.claim_turn(direct, "another:1")
    assert turn is not None

    delete_channel(cast.alice.pk, direct)

    with pytest.raises(LostTurn):
        renew_lease(turn.lease)
    with pytest.raises(LostTurn):
        journal.start_call(turn.lease, "a", ())
    journal.save_progress(turn.lease, (), used=5)
    hosts.release_turn(turn.lease, ())
    assert nothing_left(direct)
