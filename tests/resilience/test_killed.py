"""kill -9 of the server, at the worst moments: nothing that arrived is lost, nothing runs twice."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from agents.domain.content.parts import TextPart
from agents.protocol.frames import ChannelSnapshot
from tests.resilience.story import Story, eventually
from tests.support.openai_behaviours import Gate, answer, text, tool_answer
from tests.support.processes import ROOT
from tests.support.reader import essence, fresh, idle, last_said, pending, tools

pytestmark = pytest.mark.timeout(300)  # several starts each, on a machine that may be busy
ONE_LINE = "echo line >> ran.txt"
STOPPED = "Interrupted: the server stopped"
NOT_AGAIN = "[interrupted: the server stopped while this ran; it was not run again]"
ANSWER = """
import sys, django
django.setup()
from agents.services.permissions.answers import Given, answer_permission
answer_permission(int(sys.argv[1]), sys.argv[2], Given("allow_once"))
"""


def shown_alike(story: Story, state: ChannelSnapshot) -> None:
    """The tab and REST show the same."""
    assert essence(state) == essence(fresh(story.alice, story.channel))


async def test_in_the_middle_of_an_answer_what_had_arrived_stays_and_the_answer_goes_on(
    story: Story,
) -> None:
    story.model.script(answer(text("one "), text("two 🙂"), Gate()))
    story.model.script(answer(text("three")))
    async with story.tab() as tab:
        await tab.send("count")
        await tab.until(lambda state: last_said(state) == "one two 🙂")
        story.kept("one two 🙂")
        story.server.kill()

    story.server.start()
    async with story.tab() as tab:
        state = await tab.until_idle()
        shown_alike(story, state)

    parts = state.messages[-1].parts
    assert [part for part in parts if isinstance(part, TextPart)] == [
        TextPart(text="one two 🙂", interrupted=True),
        TextPart(text="three"),
    ]
    assert state.messages[-1].stop_reason == "end_turn"
    assert len(state.messages) == 2
    first, second = (one.body["messages"] for one in story.model.chats)
    assert first == second


@pytest.mark.promise("I10-late")
async def test_a_turn_is_taken_up_although_nobody_comes(story: Story) -> None:
    story.model.script(answer(text("one "), Gate()))
    story.model.script(answer(text("two")))
    async with story.tab() as tab:
        await tab.send("count")
        await tab.until(lambda state: last_said(state) == "one ")
        story.server.kill()

    story.server.start()
    eventually(lambda: len(story.model.chats) == 2, "its model is asked again")
    async with story.tab() as tab:
        await tab.until_idle()


async def test_a_command_that_ran_is_reported_as_interrupted_and_not_run_again(
    story: Story,
) -> None:
    command = f"{ONE_LINE}; echo begun; sleep 607"
    story.model.script(tool_answer("Bash", {"command": command}))
    story.model.script(answer(text("I see.")))
    async with story.tab() as tab:
        await tab.send("run it")
        state = await tab.until(pending)
        await tab.answer(state.permissions[0], "allow_once")
        await tab.until(lambda state: "begun" in tools(state.messages[-1])[0].output)
        story.server.kill()

    eventually(lambda: not running("sleep 607"), "the command dies with the server")
    story.server.start()
    async with story.tab() as tab:
        state = await tab.until_idle()
        shown_alike(story, state)

    assert story.lines("ran.txt") == ["line"]
    assert len(story.model.chats) == 2
    assert story.results(1)[0].startswith(STOPPED)
    card = tools(state.messages[-1])[0]
    assert card.status == "failed"
    assert card.output.startswith(STOPPED)
    assert last_said(state) == "I see."
    assert [one.state for one in state.permissions] == ["answered"]


async def test_a_persons_own_command_dies_with_the_server_and_is_told_to_everybody(
    story: Story,
) -> None:
    story.model.script(answer(text("I see.")))
    async with story.tab() as tab:
        await tab.send(f"!{ONE_LINE}; echo begun; sleep 609")
        await tab.until(lambda state: any(card.output for card in tools(state.messages[-1])))
        eventually(
            lambda: tools(fresh(story.alice, story.channel).messages[-1])[0].output,
            "what was put out is kept",
        )
        story.server.kill()

    eventually(lambda: not running("sleep 609"), "the command dies with the server")
    story.server.start()
    async with story.tab() as tab:
        state = await tab.until(lambda state: not state.busy and state.messages[-1].done)
        shown_alike(story, state)
        card = tools(state.messages[-1])[0]
        assert (card.status, card.output) == ("failed", f"begun\n{NOT_AGAIN}")
        await tab.socket.command("channel:read", channel=story.channel, position=1)
        await tab.send("what was that?")  # by another number than the first tab's message
        state = await tab.until_idle()

    assert story.lines("ran.txt") == ["line"]
    assert last_said(state) == "I see."
    asked = story.model.chats[0].body["messages"][-1]["content"]
    assert f"begun\n{NOT_AGAIN}\n\nwhat was that?" in str(asked)


async def test_a_request_that_waits_can_still_be_answered_and_the_turn_goes_on(
    story: Story,
) -> None:
    story.model.script(tool_answer("Bash", {"command": ONE_LINE}))
    story.model.script(answer(text("Done.")))
    async with story.tab() as tab:
        await tab.send("run it")
        before = (await tab.until(pending)).permissions
        story.server.kill()

    story.server.start()
    async with story.tab() as tab:
        state = await tab.until(lambda state: state.busy and pending(state))
        assert state.permissions == before
        assert state.answering is not None
        assert state.answering.waits_for == "permission"
        await tab.answer(before[0], "allow_once")
        state = await tab.until_idle()
        shown_alike(story, state)

    assert story.lines("ran.txt") == ["line"]
    assert [card.status for card in tools(state.messages[-1])] == ["completed"]
    assert last_said(state) == "Done."


def give_answer(story: Story, user: int, request: str) -> None:
    """Answers in the database while no server runs, as one that dies right afterwards would."""
    subprocess.run(
        [sys.executable, "-c", ANSWER, str(user), request],
        env={**story.server.env, "DJANGO_SETTINGS_MODULE": "maia_web.settings"},
        cwd=ROOT,
        check=True,
    )


async def test_an_answer_given_just_before_counts_and_the_command_runs_once(story: Story) -> None:
    story.model.script(tool_answer("Bash", {"command": ONE_LINE}))
    story.model.script(answer(text("Done.")))
    async with story.tab() as tab:
        await tab.send("run it")
        request = (await tab.until(pending)).permissions[0]
        user = request.starter.id
        story.server.kill()
    give_answer(story, user, request.id)
    assert story.lines("ran.txt") == []

    story.server.start()
    async with story.tab() as tab:
        state = await tab.until_idle()
        shown_alike(story, state)

    assert story.lines("ran.txt") == ["line"]
    assert [card.status for card in tools(state.messages[-1])] == ["completed"]


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
async def test_stopping_the_server_in_mid_turn_keeps_the_turn(
    story: Story, sign: signal.Signals
) -> None:
    story.model.script(answer(text("one "), Gate()))
    story.model.script(answer(text("two")))
    async with story.tab() as tab:
        await tab.send("count")
        await tab.until(lambda state: last_said(state) == "one ")
        assert story.server.stop(sign) == 0
    assert story.model.chats[0].hung_up.wait(60)

    story.server.start()
    async with story.tab() as tab:
        state = await tab.until_idle()
        shown_alike(story, state)
    assert last_said(state) == "one two"


async def test_after_three_more_attempts_it_gives_up_and_a_person_can_let_it_go_on(
    story: Story,
) -> None:
    for _ in range(4):
        story.model.script(answer(text("half "), Gate()))
    story.model.script(answer(text("whole")))
    async with story.tab() as tab:
        await tab.send("try")
        await tab.until(lambda state: last_said(state) == "half ")
    for attempt in range(2, 5):
        story.server.kill()
        story.server.start()
        story.model.wait_for_chats(attempt)
    story.server.kill()
    story.server.start()
    async with story.tab() as tab:
        state = await tab.until_idle()
        failed = state.messages[-1]
        assert failed.error is not None
        assert failed.error.code == "interrupted"
        assert len(story.model.chats) == 4
        await tab.socket.command("turn:resume", channel=story.channel, message=failed.id)
        state = await tab.until(lambda state: idle(state) and len(state.messages) == 3)
        shown_alike(story, state)
    assert last_said(state) == "whole"


def running(words: str) -> bool:
    """Whether a process with these words in its command line is alive."""
    return subprocess.run(["pgrep", "-f", words], capture_output=True, check=False).returncode == 0
