"""The scripted model plays what a test wrote, holds where it says, and notes a cancel."""

from __future__ import annotations

import asyncio

import pytest

from agents.domain.content.model_messages import user_text
from agents.engine.ports.model import ChatRequest, Done, Provider, ProviderError, TextDelta, ToolUse
from agents.providers.scripted import Hold, ScriptedModel, calls, says

ASK = ChatRequest("", (user_text("hi"),))


async def test_scripts_are_played_in_order_and_requests_are_kept() -> None:
    model: Provider = ScriptedModel(calls("Read", path="a.txt"), says("Hello", " world"))
    first = [event async for event in model.stream(ASK)]
    second = [event async for event in model.stream(ASK)]
    assert first[0] == ToolUse("call_1", "Read", {"path": "a.txt"})
    assert first[-1] == Done("tool_use")
    assert second[:2] == [TextDelta("Hello"), TextDelta(" world")]
    assert isinstance(model, ScriptedModel)
    assert (model.requests, model.left) == ([ASK, ASK], 0)


async def test_an_error_comes_where_it_stands() -> None:
    model = ScriptedModel([TextDelta("Hel"), ProviderError("cut-off", "Cut.")])
    events = model.stream(ASK)
    assert await anext(events) == TextDelta("Hel")
    with pytest.raises(ProviderError, match="Cut"):
        await anext(events)


async def test_a_script_too_short_is_an_error() -> None:
    with pytest.raises(ProviderError, match="no answer left"):
        [event async for event in ScriptedModel().stream(ASK)]


async def test_a_hold_waits_and_a_cancel_there_is_noted() -> None:
    hold = Hold()
    model = ScriptedModel([TextDelta("a"), hold, TextDelta("b"), Done("end_turn")])

    async def consume() -> list[object]:
        return [event async for event in model.stream(ASK)]

    async with asyncio.timeout(5):
        task = asyncio.create_task(consume())
        await hold.reached.wait()
        assert not task.done()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert model.cancelled == 1
