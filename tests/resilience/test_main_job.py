"""The main job, the same on one process with SQLite and on many with PostgreSQL and Redis."""

from __future__ import annotations

import asyncio
import time

import pytest

from tests.resilience.story import Story
from tests.support.openai_behaviours import Gate, answer, text, tool_answer
from tests.support.reader import essence, fresh, idle, last_said, pending, said, tools

pytestmark = pytest.mark.timeout(300)  # several programs to start, on a machine that may be busy


async def test_from_a_message_to_a_changed_file(site: Story) -> None:
    site.model.script(tool_answer("Bash", {"command": "echo made > made.txt && cat made.txt"}))
    site.model.script(answer(text("It is "), text("**made** 🙂.")))
    async with site.tab() as tab, site.tab() as other:
        await tab.send("make a file")
        request = (await tab.until(pending)).permissions[0]
        assert request.tool_call.title == "echo made > made.txt && cat made.txt"
        assert site.lines("made.txt") == []

        await other.until(pending)
        await other.answer(request, "allow_once")
        state = await tab.until_idle()
        assert essence(state) == essence(await other.until_idle())
        assert essence(state) == essence(fresh(site.alice, site.channel))

    assert site.lines("made.txt") == ["made"]
    assert [(card.status, card.output.split()[0]) for card in tools(state.messages[-1])] == [
        ("completed", "made")
    ]
    assert last_said(state) == "It is **made** 🙂."
    assert state.permissions[0].answer is not None
    assert state.permissions[0].answer.by is not None
    assert state.permissions[0].answer.by.username == "alice"


async def test_text_streams_while_the_model_still_speaks(site: Story) -> None:
    gate = Gate()
    site.model.script(answer(text("one "), text("two "), gate, text("three")))
    async with site.tab() as tab:
        await tab.send("count")
        state = await tab.until(lambda state: last_said(state) == "one two ")
        assert state.busy
        async with site.tab() as late:
            await late.until(lambda state: last_said(state) == "one two ")
            gate.open()
            assert essence(await late.until_idle()) == essence(await tab.until_idle())
        assert last_said(tab.state) == "one two three"


async def test_stop_ends_an_answer_within_a_second(site: Story) -> None:
    site.model.script(answer(text("half an "), Gate()))
    async with site.tab() as tab:
        await tab.send("talk")
        await tab.until(lambda state: last_said(state) == "half an ")
        began = time.monotonic()
        await tab.socket.command("channel:cancel", channel=site.channel)
        state = await tab.until_idle(seconds=60)
        took = time.monotonic() - began
        assert (state.messages[-1].stop_reason, last_said(state)) == ("cancelled", "half an ")
        assert took < 1.0 + site.slowness()
    assert await asyncio.to_thread(site.model.chats[0].hung_up.wait, 60)


async def test_stop_ends_a_command_within_a_second(site: Story) -> None:
    site.model.script(tool_answer("Bash", {"command": "echo begun; sleep 600"}))
    async with site.tab() as tab:
        await tab.send("wait")
        await tab.answer((await tab.until(pending)).permissions[0], "allow_once")
        await tab.until(lambda state: "begun" in tools(state.messages[-1])[0].output)
        began = time.monotonic()
        await tab.socket.command("channel:cancel", channel=site.channel)
        state = await tab.until_idle(seconds=60)
        took = time.monotonic() - began
        assert tools(state.messages[-1])[0].status == "failed"
        assert took < 1.0 + site.slowness()


async def test_a_message_sent_meanwhile_waits_and_is_answered_next(site: Story) -> None:
    gate = Gate()
    site.model.script(answer(text("first"), gate))
    site.model.script(answer(text("second")))
    async with site.tab() as tab:
        await tab.send("one")
        await tab.until(lambda state: last_said(state) == "first")
        await tab.send("two")
        await tab.send("three")
        state = await tab.until(lambda state: state.queued == 2)
        assert [one.queued for one in state.messages if one.role == "user"] == [False, True, True]
        taken = await tab.socket.command(
            "message:remove", channel=site.channel, message=state.messages[-1].id
        )
        assert taken == {"text": "three"}
        await tab.until(lambda state: state.queued == 1)
        gate.open()
        state = await tab.until(lambda state: idle(state) and len(state.messages) == 4)
        assert [said(one) for one in state.messages if one.role == "agent"] == ["first", "second"]
        assert essence(state) == essence(fresh(site.alice, site.channel))
