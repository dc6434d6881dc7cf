"""The host: from a message to the last event, whatever happens in between."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from agents.domain.content.parts import TextPart, ToolPart
from agents.domain.content.turns import ClaimedTurn
from agents.models import AgentSession, AuditEntry, Message, Rule, ToolCall, Turn
from agents.protocol.frames import ChannelSnapshot, NoticeGiven
from agents.runtime.host import Host
from agents.services.permissions.answers import Given, answer_permission
from agents.services.turns import hosts
from agents.services.turns.people import cancel_channel
from maia_web.lib.db import in_db
from maia_web.lib.errors import Conflict, NotAllowed, NotFound
from tests.agents.runtime.talk import essence
from tests.cast import Cast
from tests.support.listener import Listener, fresh_snapshot, listening
from tests.support.openai_behaviours import Gate, answer, error, text, tool_answer
from tests.support.openai_server import ScriptedServer
from tests.support.typed import post_message

pytestmark = pytest.mark.django_db(transaction=True)


async def say(cast: Cast, channel: str, words: str) -> str:
    return await in_db(post_message)(cast.alice.pk, channel, words)


async def same_as_fresh(listener: Listener, cast: Cast, channel: str) -> None:
    fresh = await in_db(fresh_snapshot)(cast.alice.pk, channel)

    assert essence(listener.state) == essence(fresh)


def last_text(state: ChannelSnapshot) -> str:
    return "".join(p.text for p in state.messages[-1].parts if isinstance(p, TextPart))


async def test_an_answer_streams_and_is_kept(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    model.script(answer(text("Hello "), text("**Alice**, wie geht's? 🙂")))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "hi")
        state = await listener.until_idle()

        assert last_text(state) == "Hello **Alice**, wie geht's? 🙂"
        assert "".join(listener.text_deltas()) == last_text(state)
        await same_as_fresh(listener, cast, direct)
    assert model.requests[0].body["messages"][-1] == {"role": "user", "content": "hi"}


async def test_the_session_knows_which_model_it_talked_to(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    model.script(answer(text("Hello")))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "hi")
        await listener.until_idle()

    assert await in_db(AgentSession.objects.values_list("model", flat=True).get)() == "scripted"


@pytest.mark.promise("I10.4-claims")
async def test_a_host_looks_for_a_turn_only_where_one_may_wait(
    cast: Cast, direct: str, host: Host, model: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    claimed: list[str] = []
    claim = hosts.claim_turn

    def noted(channel_id: str, *of: Any) -> ClaimedTurn | None:
        claimed.append(channel_id)
        return claim(channel_id, *of)

    monkeypatch.setattr(hosts, "claim_turn", noted)
    gate = Gate()
    for words in (answer(text("alone")), answer(text("first"), gate), answer(text("second"))):
        model.script(words)
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "one")
        await listener.until_idle()
        await say(cast, direct, "two")
        await listener.until(lambda state: last_text(state) == "first")
        assert claimed == []  # the first began with its post, and left nothing behind it
        await say(cast, direct, "three")
        gate.open()
        await listener.until(lambda state: last_text(state) == "second" and not state.busy)
    assert set(claimed) == {direct}


async def test_a_reader_who_joins_in_mid_answer_sees_the_same_text(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    gate = Gate()
    model.script(answer(text("one "), text("two "), gate, text("three")))
    async with listening(cast.alice.pk, direct) as first:
        await say(cast, direct, "hi")
        await first.until(lambda s: last_text(s) == "one two ")
        async with listening(cast.alice.pk, direct) as second:
            gate.open()
            await first.until_idle()
            await second.until_idle()
            assert second.state.messages == first.state.messages


async def test_a_command_waits_for_an_answer_and_runs_in_the_sandbox(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    model.script(tool_answer("Bash", {"command": "echo made > made.txt && cat made.txt"}))
    model.script(answer(text("Done.")))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "make a file")
        state = await listener.until(lambda s: bool(s.permissions))
        request = state.permissions[0]
        assert request.tool_call.title == "echo made > made.txt && cat made.txt"
        assert not await in_db(ToolCall.objects.filter(state="finished").exists)()

        await in_db(answer_permission)(cast.alice.pk, request.id, Given("allow_once"))
        state = await listener.until_idle()
        await same_as_fresh(listener, cast, direct)

    tool = next(p for p in state.messages[-1].parts if isinstance(p, ToolPart))
    assert (tool.status, tool.output.splitlines()[0]) == ("completed", "made")
    assert last_text(state) == "Done."
    result = model.requests[1].body["messages"][-1]
    assert (result["role"], result["content"].splitlines()[0]) == ("tool", "made")
    assert state.messages[-1].counters is not None
    assert state.messages[-1].counters.commands == 1


async def test_a_refusal_with_a_word_reaches_the_model(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    model.script(tool_answer("Bash", {"command": "rm -rf build"}))
    model.script(answer(text("Understood.")))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "clean up")
        state = await listener.until(lambda s: bool(s.permissions))
        given = Given("deny", instruction="use make clean")
        await in_db(answer_permission)(cast.alice.pk, state.permissions[0].id, given)
        state = await listener.until_idle()

    assert "use make clean" in model.requests[1].body["messages"][-1]["content"]
    tool = next(p for p in state.messages[-1].parts if isinstance(p, ToolPart))
    assert tool.status == "failed"


async def test_stop_ends_the_turn_without_asking_the_model_again(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    model.script(tool_answer("Bash", {"command": "make"}))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "build")
        state = await listener.until(lambda s: bool(s.permissions))
        await in_db(answer_permission)(cast.alice.pk, state.permissions[0].id, Given("stop"))
        state = await listener.until_idle()

    assert state.messages[-1].stop_reason == "stopped"
    assert len(model.requests) == 1


async def test_always_writes_the_rule_and_the_next_call_is_not_asked(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    for _ in range(2):
        model.script(tool_answer("Bash", {"command": "echo hi"}))
    model.script(answer(text("Done.")))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "twice please")
        state = await listener.until(lambda s: bool(s.permissions))
        given = Given("allow_always", rule="Bash(echo hi)")
        await in_db(answer_permission)(cast.alice.pk, state.permissions[0].id, given)
        state = await listener.until_idle()

    assert len(state.permissions) == 1
    rule = await in_db(Rule.objects.get)(scope="person")
    assert (rule.family, rule.text, rule.user_id) == ("allow", "Bash(echo hi)", cast.alice.pk)
    outcomes = await in_db(_outcomes)()
    assert outcomes == ["allow_always", "rule"]


def _outcomes() -> list[str]:
    rows = AuditEntry.objects.filter(kind="decision").order_by("id")
    return list(rows.values_list("outcome", flat=True))


async def test_the_first_answer_wins_and_the_second_learns_whose_it_was(
    cast: Cast, channel: str, host: Host, model: ScriptedServer
) -> None:
    model.script(tool_answer("Bash", {"command": "make"}))
    model.script(answer(text("Done.")))
    async with listening(cast.alice.pk, channel) as listener:
        await in_db(post_message)(cast.bob.pk, channel, "build")
        state = await listener.until(lambda s: bool(s.permissions))
        request = state.permissions[0].id
        for person, refusal in ((cast.vera, NotAllowed), (cast.charlie, NotFound)):
            with pytest.raises(refusal):
                await in_db(answer_permission)(person.pk, request, Given("allow_once"))
        await in_db(answer_permission)(cast.alice.pk, request, Given("deny"))
        with pytest.raises(Conflict) as late:
            await in_db(answer_permission)(cast.bob.pk, request, Given("allow_once"))
        await listener.until_idle()

    assert late.value.data["answer"]["by"]["username"] == "alice"


async def test_cancelling_ends_a_streaming_answer_and_hangs_up_on_the_model(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    gate = Gate()
    model.script(answer(text("half an "), gate, text("answer")))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "hi")
        await listener.until(lambda s: last_text(s) == "half an ")
        await in_db(cancel_channel)(cast.alice.pk, direct)
        state = await listener.until_idle()
        await same_as_fresh(listener, cast, direct)

    assert (state.messages[-1].stop_reason, last_text(state)) == ("cancelled", "half an ")
    assert await asyncio.to_thread(model.requests[0].hung_up.wait, 60)


async def test_cancelling_closes_the_open_request(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    model.script(tool_answer("Bash", {"command": "make"}))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "build")
        await listener.until(lambda s: bool(s.permissions))
        await in_db(cancel_channel)(cast.alice.pk, direct)
        state = await listener.until_idle()

    assert state.permissions[0].state == "cancelled"
    assert state.messages[-1].stop_reason == "cancelled"


async def test_a_running_command_is_killed_by_stop(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    await in_db(Rule.objects.create)(scope="site", family="allow", text="Bash(sleep *)")
    model.script(tool_answer("Bash", {"command": "sleep 600"}))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "wait")
        await listener.until(
            lambda s: any(
                isinstance(p, ToolPart) and p.status == "in_progress"
                for m in s.messages
                for p in m.parts
            )
        )
        async with asyncio.timeout(60):
            await in_db(cancel_channel)(cast.alice.pk, direct)
            state = await listener.until_idle()

    tool = next(p for p in state.messages[-1].parts if isinstance(p, ToolPart))
    assert tool.status == "failed"


async def test_a_queued_message_is_answered_next(
    cast: Cast, channel: str, host: Host, model: ScriptedServer
) -> None:
    gate = Gate()
    model.script(answer(text("first"), gate))
    model.script(answer(text("second")))
    async with listening(cast.alice.pk, channel) as listener:
        await say(cast, channel, "one")
        await listener.until(lambda s: last_text(s) == "first")
        await in_db(post_message)(cast.bob.pk, channel, "two")
        await listener.until(lambda s: s.queued == 1)
        gate.open()
        state = await listener.until_idle()
        await same_as_fresh(listener, cast, channel)

    assert [m.done for m in state.messages] == [True] * 4
    assert last_text(state) == "second"


@pytest.mark.parametrize(
    ("status", "code"), [(401, "unauthorized"), (400, "bad-request"), (404, "bad-request")]
)
async def test_a_model_that_refuses_is_explained_and_the_next_message_works(
    cast: Cast, direct: str, host: Host, model: ScriptedServer, status: int, code: str
) -> None:
    model.script(error(status, "no"))
    model.script(answer(text("back again")))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "hi")
        state = await listener.until_idle()
        failed = state.messages[-1]
        assert failed.error is not None
        assert failed.error.message
        await say(cast, direct, "again")
        state = await listener.until(
            lambda s: len(s.messages) == 4 and s.messages[-1].done and not s.busy
        )

    assert last_text(state) == "back again"


async def test_a_busy_model_is_tried_again_and_people_are_told(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    model.script(error(429, "slow down"))
    model.script(answer(text("now")))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "hi")
        state = await listener.until_idle()

    assert last_text(state) == "now"
    assert any(isinstance(frame, NoticeGiven) for frame in listener.frames)


async def test_a_new_host_goes_on_where_a_dead_one_stopped(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    model.script(tool_answer("Bash", {"command": "echo once"}))
    model.script(answer(text("Done.")))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "run")
        state = await listener.until(lambda s: bool(s.permissions))
        await host.stop()
        await in_db(answer_permission)(cast.alice.pk, state.permissions[0].id, Given("allow_once"))
        turn = await in_db(Turn.objects.get)()
        assert turn.state == "running"

        await in_db(Turn.objects.update)(host="elsewhere:1:x", lease_until=None)
        other = Host()
        await other.start()
        try:
            state = await listener.until_idle()
            await same_as_fresh(listener, cast, direct)
        finally:
            await other.stop()

    assert last_text(state) == "Done."
    tools = [p for p in state.messages[-1].parts if isinstance(p, ToolPart)]
    assert [tool.status for tool in tools] == ["completed"]
    assert await in_db(Message.objects.filter(role="agent").count)() == 1
