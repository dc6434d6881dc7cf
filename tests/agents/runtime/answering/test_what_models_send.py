"""What models and their servers attach, refuse and leave out, in whole conversations."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import pytest

from agents.domain.content.messages import Message as Said
from agents.domain.content.parts import TextPart, ThoughtPart, ToolPart
from agents.domain.model_servers.traits import Traits
from agents.models import ChannelAgent, KnownModel, Turn
from agents.protocol.frames import ChannelSnapshot
from agents.runtime.host import Host
from agents.selectors.models.traits import read_traits
from agents.services.models.known import say_of_model
from agents.services.permissions.answers import Given, answer_permission
from maia_web.lib.db import in_db
from tests.agents.runtime.test_host import same_as_fresh
from tests.cast import Cast
from tests.support.listener import Listener, listening
from tests.support.openai_behaviours import (
    DONE,
    Answer,
    Hang,
    answer,
    call,
    chunk,
    error,
    event,
    finish,
    text,
    thought,
    usage,
)
from tests.support.openai_server import ScriptedServer
from tests.support.typed import post_message, reply_to

pytestmark = pytest.mark.django_db(transaction=True)
SIGNED = {"extra_content": {"google": {"thought_signature": "c2ln"}}}
DETAILS = [{"type": "reasoning.encrypted", "data": "b3BhcXVl", "id": None, "index": 0}]


async def say(cast: Cast, channel: str, words: str) -> None:
    await in_db(post_message)(cast.alice.pk, channel, words)


async def over(listener: Listener, answers: int = 1) -> ChannelSnapshot:
    return await listener.until(
        lambda s: (
            not s.busy
            and not s.queued
            and sum(m.role == "agent" and m.done for m in s.messages) == answers
        )
    )


def last(state: ChannelSnapshot) -> Said:
    return next(m for m in reversed(state.messages) if m.role == "agent")


def said(state: ChannelSnapshot) -> str:
    return "".join(part.text for part in last(state).parts if isinstance(part, TextPart))


def notices(state: ChannelSnapshot) -> list[str]:
    return [m.error.code for m in state.messages if m.code == "notice" and m.error]


def assistants(model: ScriptedServer, at: int = -1) -> list[dict[str, Any]]:
    return [one for one in model.chats[at].body["messages"] if one["role"] == "assistant"]


def signed_call() -> bytes:
    fragment = {"index": 0, "id": "a", "function": {"name": "Glob", "arguments": "{}"}, **SIGNED}
    return chunk({"tool_calls": [fragment]})


def thinking_answer(name: str = "Glob", arguments: dict[str, Any] | None = None) -> Answer:
    raw = json.dumps({"pattern": "*"} if arguments is None else arguments)
    return answer(
        thought("I must "),
        thought("look."),
        chunk({"reasoning_details": DETAILS}),
        call(0, "a", name, raw),
        reason="tool_calls",
    )


async def test_what_a_provider_attaches_comes_back_unchanged(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    model.script(thinking_answer(), answer(signed_call(), reason="tool_calls"), answer(text("ok")))
    model.script(answer(text("again")))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "look")
        await over(listener)
        await say(cast, direct, "and now?")
        await over(listener, 2)

    for at in (-2, -1):
        first, second = assistants(model, at)[:2]
        assert (first["reasoning_content"], first["reasoning_details"]) == (
            "I must look.",
            DETAILS,
        )
        assert second["tool_calls"][0]["extra_content"] == SIGNED["extra_content"]
        assert not {"reasoning_content", "reasoning_details"} & {*second}


async def test_it_survives_another_host(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    model.script(thinking_answer("Bash", {"command": "echo once"}), answer(text("Done.")))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "run")
        state = await listener.until(lambda s: bool(s.permissions))
        await host.stop()
        await in_db(answer_permission)(cast.alice.pk, state.permissions[0].id, Given("allow_once"))
        await in_db(Turn.objects.update)(host="elsewhere:1:x", lease_until=None)
        other = Host()
        await other.start()
        try:
            state = await listener.until_idle()
        finally:
            await other.stop()

    assert said(state) == "Done."
    assert assistants(model)[0]["reasoning_content"] == "I must look."


async def test_it_is_dropped_when_the_model_changes(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    model.script(thinking_answer(), answer(text("ok")), answer(text("from another")))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "look")
        await over(listener)
        await in_db(ChannelAgent.objects.update)(model="other")
        await say(cast, direct, "and you?")
        await over(listener, 2)

    assert model.chats[-1].body["model"] == "other"
    assert {*assistants(model)[0]} == {"role", "content", "tool_calls"}


async def test_a_field_that_is_refused_is_left_out_and_told_once(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    def strict(body: dict[str, Any]) -> Answer:
        if "stream_options" in body:
            return error(422, "[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options')}]")
        return answer(text("fine"))

    model.chooser = strict
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "one")
        await over(listener)
        await say(cast, direct, "two")
        state = await over(listener, 2)

    assert said(state) == "fine"
    assert ["stream_options" in one.body for one in model.chats] == [True, False, False]
    assert notices(state) == ["left-out"]
    kept = next(m for m in state.messages if m.code == "notice")
    assert kept.error is not None
    assert {*(kept.error.words or {})} == {"en", "fr"}


async def test_a_refusal_that_is_streamed_is_one_too(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    words = {"error": {"message": "Unknown field: stream_options", "code": "400"}}
    model.chooser = lambda body: (
        Answer([event(words)]) if "stream_options" in body else answer(text("fine"))
    )
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "one")
        state = await over(listener)

    assert (said(state), notices(state)) == ("fine", ["left-out"])


async def test_without_tools_earlier_calls_are_told_in_words(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    def toolless(body: dict[str, Any]) -> Answer:
        if "tools" in body:
            return error(400, "gemma:2b does not support tools")
        if any(one["role"] == "system" for one in body["messages"]):
            return error(400, "System role not supported")
        return answer(text("fine"))

    model.script(answer(call(0, "a", "Glob", '{"pattern": "*.md"}')), answer(text("done")))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "one")
        await over(listener)
        model.chooser = toolless
        await say(cast, direct, "two")
        state = await over(listener, 2)

    assert (said(state), notices(state)) == ("fine", ["left-out"])
    first, called, result, *_rest = model.chats[-1].body["messages"]
    assert first["content"].endswith("\n\none")
    assert called == {"role": "assistant", "content": '[Glob {"pattern":"*.md","path":"."}]'}
    assert (result["role"], result["content"][:2]) == ("user", "[→")


async def test_a_server_that_does_not_stream_is_asked_for_the_whole(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    def whole(body: dict[str, Any]) -> Answer:
        if "stream" in body:
            return error(400, "Your organization must be verified to stream.", param="stream")
        message = {"role": "assistant", "content": "whole"}
        return Answer.json({"choices": [{"message": message, "finish_reason": "stop"}]})

    model.chooser = whole
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "one")
        assert said(await over(listener)) == "whole"


async def test_a_history_without_reasoning_gets_an_empty_one_where_it_is_wanted(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    def deepseek(body: dict[str, Any]) -> Answer:
        calls = [one for one in body["messages"] if one.get("tool_calls")]
        if not all("reasoning_content" in one for one in calls):
            return error(400, "The `reasoning_content` must be passed back to the API.")
        return answer(text("fine"))

    model.script(answer(call(0, "a", "Glob", '{"pattern": "*.md"}')))
    model.chooser = deepseek
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "one")
        state = await over(listener)

    assert (said(state), notices(state)) == ("fine", [])
    assert assistants(model)[0]["reasoning_content"] == ""


async def test_a_summary_is_asked_by_the_name_the_server_takes(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    def newer(body: dict[str, Any]) -> Answer:
        if "max_tokens" in body:
            words = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            return error(400, words, param="max_tokens")
        return answer(text("## Goal"))

    model.chooser = newer
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "one")
        await over(listener)
        await reply_to(cast.alice.pk, direct, "/compact")
        state = await listener.until(
            lambda s: not s.busy and any(m.code == "compacted" for m in s.messages)
        )

    assert notices(state) == ["left-out"]
    assert model.chats[-1].body["max_completion_tokens"] == 4_000
    known = await in_db(KnownModel.objects.get)()
    assert (known.url, known.model, read_traits(known.traits)) == (
        model.url,
        "scripted",
        Traits(renamed=True),
    )


async def test_a_summary_that_was_cut_says_so_and_that_stays(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    model.script(answer(text("one")), answer(text("## Goal"), reason="length"))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "one")
        await over(listener)
        await reply_to(cast.alice.pk, direct, "/compact")
        state = await listener.until(
            lambda s: not s.busy and any(m.code == "compacted" for m in s.messages)
        )
        await same_as_fresh(listener, cast, direct)

    kept = next(m for m in state.messages if m.code == "notice")
    assert kept.error is not None
    assert (kept.error.words or {})["en"].startswith("The summary may be incomplete")
    assert (kept.error.words or {})["fr"] != kept.error.message


async def test_a_refusal_that_leaving_out_does_not_mend_is_told_with_its_reason(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    model.chooser = lambda _body: error(400, "stream_options or something else is wrong")
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "one")
        state = await over(listener)
        await reply_to(cast.alice.pk, direct, "/compact")
        state = await listener.until(
            lambda s: not s.busy and any(m.code == "compact-failed" for m in s.messages)
        )

    failure = last(state).error
    assert failure is not None
    assert "something else is wrong" in failure.message
    compacting = next(m for m in state.messages if m.code == "compact-failed")
    assert compacting.error is not None
    assert "something else is wrong" in (compacting.error.words or {})["fr"]
    assert not await in_db(KnownModel.objects.exists)()


@pytest.mark.parametrize("ids", [["functions.Glob:0"], ["a:0", "a.0"], ["x" * 90]])
async def test_ids_are_safe_and_agree(
    cast: Cast, direct: str, host: Host, model: ScriptedServer, ids: list[str]
) -> None:
    calls = [call(at, id, "Glob", '{"pattern": "*"}') for at, id in enumerate(ids)]
    model.script(answer(*calls, reason="tool_calls"), answer(text("ok")))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "look")
        state = await over(listener)

    sent = [one["id"] for one in assistants(model)[0]["tool_calls"]]
    results = [m["tool_call_id"] for m in model.chats[-1].body["messages"] if m["role"] == "tool"]
    assert sent == results
    assert len({*sent}) == len(ids)
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,40}", one) for one in sent)
    assert [p.id for p in last(state).parts if isinstance(p, ToolPart)] == ids


async def test_a_signature_in_an_id_goes_back_whole(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    long = "call_1__thought__" + "Q+/=" * 500
    model.script(
        answer(call(0, long, "Glob", '{"pattern": "*"}'), reason="tool_calls"), answer(text("ok"))
    )
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "look")
        state = await over(listener)

    assert assistants(model)[0]["tool_calls"][0]["id"] == long
    assert model.chats[-1].body["messages"][-1]["tool_call_id"] == long
    assert [p.id for p in last(state).parts if isinstance(p, ToolPart)] == ["call_1"]


@pytest.mark.parametrize("heartbeats", [False, True])
async def test_an_answer_that_is_over_is_over(
    cast: Cast, direct: str, host: Host, model: ScriptedServer, heartbeats: bool
) -> None:
    from tests.support.openai_behaviours import Pause

    after: list[Any] = [Pause(0.3), b": keep-alive\n\n"] * 30 if heartbeats else [Hang()]
    model.script(
        Answer([call(0, "a", "Glob", '{"pattern": "*"}'), finish("tool_calls"), *after]),
        Answer([text("All done."), finish("stop"), *after]),
    )
    began = time.monotonic()
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "look")
        state = await over(listener)

    assert said(state) == "All done."
    assert time.monotonic() - began < 8  # the heartbeats alone take nine seconds, twice


async def test_a_thought_whose_beginning_was_not_marked_becomes_one(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    model.script(answer(text("They greet.\n"), text("I answer.\n</thi"), text("nk>\n\nHi")))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "hi")
        state = await over(listener)
        await same_as_fresh(listener, cast, direct)
        await say(cast, direct, "again")
        await over(listener, 2)

    thoughts = [part.text for part in last(state).parts if isinstance(part, ThoughtPart)]
    assert (thoughts, said(state)) == (["They greet.\nI answer.\n"], "Hi")
    assert assistants(model)[0]["content"] == "Hi"


async def test_an_error_inside_the_choice_is_told_and_what_came_stays(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    broken = {"finish_reason": "error", "error": {"code": 502, "message": "Upstream died"}}
    model.script(
        Answer(
            [text("Half an ans"), b"data: " + json.dumps({"choices": [broken]}).encode() + b"\n\n"]
        )
    )
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "hi")
        state = await over(listener)

    assert said(state) == "Half an ans"
    failure = last(state).error
    assert failure is not None
    assert failure.details == "Upstream died · 502"


@pytest.mark.parametrize("kind", ["application/json", "application/json; charset=utf-8"])
async def test_a_stream_by_another_name_is_a_stream(
    cast: Cast, direct: str, host: Host, model: ScriptedServer, kind: str
) -> None:
    steps = [b": keep-alive\n\n", text("hel"), text("lo"), finish(), usage(), DONE]
    model.script(Answer([*steps], content_type=kind))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "hi")
        state = await over(listener)

    assert said(state) == "hello"


WRITTEN = '<tool_call>{"name": "Glob", "arguments": {"pattern": "*"}}</tool_call>'


async def test_a_written_call_is_told_with_what_to_switch_on(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    model.script(answer(text(WRITTEN)))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "look")
        state = await over(listener)

    assert said(state) == WRITTEN
    assert notices(state) == ["written-call"]


async def test_of_a_model_that_an_administrator_marked_it_is_made(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    await in_db(say_of_model)("scripted", context_size=None, written_calls=True)
    model.script(answer(text("I look."), text(WRITTEN)), answer(text("ok")))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "look")
        state = await over(listener)

    assert said(state) == "I look.ok"
    assert model.chats[-1].body["messages"][-1]["role"] == "tool"
    assert notices(state) == []


async def test_a_thought_alone_is_no_answer(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    model.script(
        answer(text("Let me see."), call(0, "a", "Glob", '{"pattern": "*"}')),
        answer(thought("Nothing to say.")),
    )
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "hi")
        state = await over(listener)

    failure = last(state).error
    assert failure is not None
    assert failure.code == "empty-answer"
    assert "thought" in failure.message


async def test_a_call_that_was_cut_is_marked_and_stays_so(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    model.script(
        Answer(
            [
                call(0, "a", "Glob", '{"pattern": "*"}'),
                call(1, "b", "Glob", '{"pattern": "*.py"}'),
                finish("tool_calls"),
                usage({"prompt_tokens": 5, "completion_tokens": 4096}),
                DONE,
            ]
        ),
        answer(text("ok")),
    )
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "look")
        state = await over(listener)
        await same_as_fresh(listener, cast, direct)

    cards = [part for part in last(state).parts if isinstance(part, ToolPart)]
    assert [card.truncated for card in cards] == [False, True]


async def test_whoever_is_asked_about_a_cut_call_sees_that_it_is_cut(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    half = call(0, "a", "Write", '{"path": "a.txt", "content": "half"}')
    model.script(Answer([half, finish("length"), DONE]), answer(text("ok")))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "write")
        state = await listener.until(lambda s: bool(s.permissions))
        assert state.permissions[0].tool_call.truncated
        await in_db(answer_permission)(cast.alice.pk, state.permissions[0].id, Given("deny"))
        await over(listener)


async def test_what_cannot_be_read_is_told_with_the_text_also_after_another_host(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    model.script(
        answer(
            call(0, "a", "Bash", '{"command": "echo hi"}'),
            call(1, "b", "Read", '{"path": "notes'),
            reason="tool_calls",
        ),
        answer(text("ok")),
    )
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "look")
        state = await listener.until(lambda s: bool(s.permissions))
        await host.stop()
        await in_db(answer_permission)(cast.alice.pk, state.permissions[0].id, Given("allow_once"))
        await in_db(Turn.objects.update)(host="elsewhere:1:x", lease_until=None)
        other = Host()
        await other.start()
        try:
            await over(listener)
        finally:
            await other.stop()

    assert '{"path": "notes' in model.chats[-1].body["messages"][-1]["content"]


async def test_of_two_merged_calls_the_first_is_made_and_the_model_told(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    both = '{"pattern": "*.md"}{"pattern": "*.py"}'
    model.script(answer(call(0, "a", "Glob", both)), answer(text("ok")))
    async with listening(cast.alice.pk, direct) as listener:
        await say(cast, direct, "look")
        await over(listener)

    result = model.chats[-1].body["messages"][-1]["content"]
    assert result.startswith("(The arguments held 2 objects: only the first was used.")
