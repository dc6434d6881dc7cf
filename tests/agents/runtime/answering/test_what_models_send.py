"""What models and their servers attach, refuse and leave out, in whole conversations."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import pytest

from agents.domain.content.parts import TextPart, ThoughtPart, ToolPart
from agents.domain.model_servers.traits import Traits
from agents.models import ChannelAgent, KnownModel
from agents.protocol.frames import ChannelSnapshot
from agents.selectors.models.traits import read_traits
from agents.services.models.known import say_of_model
from maia_web.lib.db import in_db
from tests.agents.runtime.talk import Talk, last
from tests.support.openai_behaviours import (
    DONE,
    Answer,
    Hang,
    Pause,
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

pytestmark = pytest.mark.django_db(transaction=True)
SIGNED = {"extra_content": {"google": {"thought_signature": "c2ln"}}}
DETAILS = [{"type": "reasoning.encrypted", "data": "b3BhcXVl", "id": None, "index": 0}]


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
    talk: Talk, model: ScriptedServer
) -> None:
    model.script(thinking_answer(), answer(signed_call(), reason="tool_calls"), answer(text("ok")))
    model.script(answer(text("again")))
    await talk.hears("look", "and now?")

    for at in (-2, -1):
        first, second = assistants(model, at)[:2]
        assert (first["reasoning_content"], first["reasoning_details"]) == (
            "I must look.",
            DETAILS,
        )
        assert second["tool_calls"][0]["extra_content"] == SIGNED["extra_content"]
        assert not {"reasoning_content", "reasoning_details"} & {*second}


async def test_it_survives_another_host(talk: Talk, model: ScriptedServer) -> None:
    model.script(thinking_answer("Bash", {"command": "echo once"}), answer(text("Done.")))
    await talk.is_asked("run")

    assert said(await talk.answers_after_a_crash()) == "Done."
    assert assistants(model)[0]["reasoning_content"] == "I must look."


async def test_it_is_dropped_when_the_model_changes(talk: Talk, model: ScriptedServer) -> None:
    model.script(thinking_answer(), answer(text("ok")), answer(text("from another")))
    await talk.hears("look")
    await in_db(ChannelAgent.objects.update)(model="other")
    await talk.hears("and you?")

    assert model.chats[-1].body["model"] == "other"
    assert {*assistants(model)[0]} == {"role", "content", "tool_calls"}


async def test_a_field_that_is_refused_is_left_out_and_told_once(
    talk: Talk, model: ScriptedServer
) -> None:
    def strict(body: dict[str, Any]) -> Answer:
        if "stream_options" in body:
            return error(422, "[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options')}]")
        return answer(text("fine"))

    model.chooser = strict
    state = await talk.hears("one", "two")

    assert said(state) == "fine"
    assert ["stream_options" in one.body for one in model.chats] == [True, False, False]
    assert notices(state) == ["left-out"]
    kept = next(m for m in state.messages if m.code == "notice")
    assert kept.error is not None
    assert {*(kept.error.words or {})} == {"en", "fr"}


async def test_a_refusal_that_is_streamed_is_one_too(talk: Talk, model: ScriptedServer) -> None:
    words = {"error": {"message": "Unknown field: stream_options", "code": "400"}}
    model.chooser = lambda body: (
        Answer([event(words)]) if "stream_options" in body else answer(text("fine"))
    )
    state = await talk.hears("one")

    assert (said(state), notices(state)) == ("fine", ["left-out"])


async def test_without_tools_earlier_calls_are_told_in_words(
    talk: Talk, model: ScriptedServer
) -> None:
    def toolless(body: dict[str, Any]) -> Answer:
        if "tools" in body:
            return error(400, "gemma:2b does not support tools")
        if any(one["role"] == "system" for one in body["messages"]):
            return error(400, "System role not supported")
        return answer(text("fine"))

    model.script(answer(call(0, "a", "Glob", '{"pattern": "*.md"}')), answer(text("done")))
    await talk.hears("one")
    model.chooser = toolless
    state = await talk.hears("two")

    assert (said(state), notices(state)) == ("fine", ["left-out"])
    first, called, result, *_rest = model.chats[-1].body["messages"]
    assert first["content"].endswith("\n\none")
    assert called == {"role": "assistant", "content": '[Glob {"pattern":"*.md","path":"."}]'}
    assert (result["role"], result["content"][:2]) == ("user", "[→")


async def test_a_server_that_does_not_stream_is_asked_for_the_whole(
    talk: Talk, model: ScriptedServer
) -> None:
    def whole(body: dict[str, Any]) -> Answer:
        if "stream" in body:
            return error(400, "Your organization must be verified to stream.", param="stream")
        message = {"role": "assistant", "content": "whole"}
        return Answer.json({"choices": [{"message": message, "finish_reason": "stop"}]})

    model.chooser = whole
    assert said(await talk.hears("one")) == "whole"


async def test_a_history_without_reasoning_gets_an_empty_one_where_it_is_wanted(
    talk: Talk, model: ScriptedServer
) -> None:
    def deepseek(body: dict[str, Any]) -> Answer:
        calls = [one for one in body["messages"] if one.get("tool_calls")]
        if not all("reasoning_content" in one for one in calls):
            return error(400, "The `reasoning_content` must be passed back to the API.")
        return answer(text("fine"))

    model.script(answer(call(0, "a", "Glob", '{"pattern": "*.md"}')))
    model.chooser = deepseek
    state = await talk.hears("one")

    assert (said(state), notices(state)) == ("fine", [])
    assert assistants(model)[0]["reasoning_content"] == ""


async def test_a_summary_is_asked_by_the_name_the_server_takes(
    talk: Talk, model: ScriptedServer
) -> None:
    def newer(body: dict[str, Any]) -> Answer:
        if "max_tokens" in body:
            words = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            return error(400, words, param="max_tokens")
        return answer(text("## Goal"))

    model.chooser = newer
    await talk.hears("one")
    state = await talk.compacts()

    assert notices(state) == ["left-out"]
    assert model.chats[-1].body["max_completion_tokens"] == 4_000
    known = await in_db(KnownModel.objects.get)()
    assert (known.url, known.model, read_traits(known.traits)) == (
        model.url,
        "scripted",
        Traits(renamed=True),
    )


async def test_a_summary_that_was_cut_says_so_and_that_stays(
    talk: Talk, model: ScriptedServer
) -> None:
    model.script(answer(text("one")), answer(text("## Goal"), reason="length"))
    await talk.hears("one")
    state = await talk.compacts()

    kept = next(m for m in state.messages if m.code == "notice")
    assert kept.error is not None
    assert (kept.error.words or {})["en"].startswith("The summary may be incomplete")
    assert (kept.error.words or {})["fr"] != kept.error.message


async def test_a_refusal_that_leaving_out_does_not_mend_is_told_with_its_reason(
    talk: Talk, model: ScriptedServer
) -> None:
    model.chooser = lambda _body: error(400, "stream_options or something else is wrong")
    await talk.hears("one")
    state = await talk.compacts("compact-failed")

    failure = last(state).error
    assert failure is not None
    assert "something else is wrong" in failure.message
    compacting = next(m for m in state.messages if m.code == "compact-failed")
    assert compacting.error is not None
    assert "something else is wrong" in (compacting.error.words or {})["fr"]
    assert not await in_db(KnownModel.objects.exists)()


@pytest.mark.parametrize("ids", [["functions.Glob:0"], ["a:0", "a.0"], ["x" * 90]])
async def test_ids_are_safe_and_agree(talk: Talk, model: ScriptedServer, ids: list[str]) -> None:
    calls = [call(at, id, "Glob", '{"pattern": "*"}') for at, id in enumerate(ids)]
    model.script(answer(*calls, reason="tool_calls"), answer(text("ok")))
    state = await talk.hears("look")

    sent = [one["id"] for one in assistants(model)[0]["tool_calls"]]
    results = [m["tool_call_id"] for m in model.chats[-1].body["messages"] if m["role"] == "tool"]
    assert sent == results
    assert len({*sent}) == len(ids)
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,40}", one) for one in sent)
    assert [p.id for p in last(state).parts if isinstance(p, ToolPart)] == ids


async def test_a_signature_in_an_id_goes_back_whole(talk: Talk, model: ScriptedServer) -> None:
    long = "call_1__thought__" + "Q+/=" * 500
    model.script(
        answer(call(0, long, "Glob", '{"pattern": "*"}'), reason="tool_calls"), answer(text("ok"))
    )
    state = await talk.hears("look")

    assert assistants(model)[0]["tool_calls"][0]["id"] == long
    assert model.chats[-1].body["messages"][-1]["tool_call_id"] == long
    assert [p.id for p in last(state).parts if isinstance(p, ToolPart)] == ["call_1"]


@pytest.mark.parametrize("heartbeats", [False, True])
async def test_an_answer_that_is_over_is_over(
    talk: Talk, model: ScriptedServer, heartbeats: bool
) -> None:
    after: list[Any] = [Pause(0.3), b": keep-alive\n\n"] * 30 if heartbeats else [Hang()]
    model.script(
        Answer([call(0, "a", "Glob", '{"pattern": "*"}'), finish("tool_calls"), *after]),
        Answer([text("All done."), finish("stop"), *after]),
    )
    began = time.monotonic()
    state = await talk.hears("look")

    assert said(state) == "All done."
    assert time.monotonic() - began < 8  # the heartbeats alone take nine seconds, twice


async def test_a_thought_whose_beginning_was_not_marked_becomes_one(
    talk: Talk, model: ScriptedServer
) -> None:
    model.script(answer(text("They greet.\n"), text("I answer.\n</thi"), text("nk>\n\nHi")))
    state = await talk.hears("hi")
    await talk.hears("again")

    thoughts = [part.text for part in last(state).parts if isinstance(part, ThoughtPart)]
    assert (thoughts, said(state)) == (["They greet.\nI answer.\n"], "Hi")
    assert assistants(model)[0]["content"] == "Hi"


async def test_an_error_inside_the_choice_is_told_and_what_came_stays(
    talk: Talk, model: ScriptedServer
) -> None:
    broken = {"finish_reason": "error", "error": {"code": 502, "message": "Upstream died"}}
    model.script(
        Answer(
            [text("Half an ans"), b"data: " + json.dumps({"choices": [broken]}).encode() + b"\n\n"]
        )
    )
    state = await talk.hears("hi")

    assert said(state) == "Half an ans"
    failure = last(state).error
    assert failure is not None
    assert failure.details == "Upstream died · 502"


@pytest.mark.parametrize("kind", ["application/json", "application/json; charset=utf-8"])
async def test_a_stream_by_another_name_is_a_stream(
    talk: Talk, model: ScriptedServer, kind: str
) -> None:
    steps = [b": keep-alive\n\n", text("hel"), text("lo"), finish(), usage(), DONE]
    model.script(Answer([*steps], content_type=kind))
    state = await talk.hears("hi")

    assert said(state) == "hello"


WRITTEN = '<tool_call>{"name": "Glob", "arguments": {"pattern": "*"}}</tool_call>'


async def test_a_written_call_is_told_with_what_to_switch_on(
    talk: Talk, model: ScriptedServer
) -> None:
    model.script(answer(text(WRITTEN)))
    state = await talk.hears("look")

    assert said(state) == WRITTEN
    assert notices(state) == ["written-call"]


async def test_of_a_model_that_an_administrator_marked_it_is_made(
    talk: Talk, model: ScriptedServer
) -> None:
    await in_db(say_of_model)("scripted", context_size=None, written_calls=True)
    model.script(answer(text("I look."), text(WRITTEN)), answer(text("ok")))
    state = await talk.hears("look")

    assert said(state) == "I look.ok"
    assert model.chats[-1].body["messages"][-1]["role"] == "tool"
    assert notices(state) == []


async def test_a_thought_alone_is_no_answer(talk: Talk, model: ScriptedServer) -> None:
    model.script(
        answer(text("Let me see."), call(0, "a", "Glob", '{"pattern": "*"}')),
        answer(thought("Nothing to say.")),
    )
    state = await talk.hears("hi")

    failure = last(state).error
    assert failure is not None
    assert failure.code == "empty-answer"
    assert "thought" in failure.message


async def test_a_call_that_was_cut_is_marked_and_stays_so(
    talk: Talk, model: ScriptedServer
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
    state = await talk.hears("look")

    cards = [part for part in last(state).parts if isinstance(part, ToolPart)]
    assert [card.truncated for card in cards] == [False, True]


async def test_whoever_is_asked_about_a_cut_call_sees_that_it_is_cut(
    talk: Talk, model: ScriptedServer
) -> None:
    half = call(0, "a", "Write", '{"path": "a.txt", "content": "half"}')
    model.script(Answer([half, finish("length"), DONE]), answer(text("ok")))
    state = await talk.is_asked("write")

    assert state.permissions[0].tool_call.truncated
    await talk.answers("deny")


async def test_what_cannot_be_read_is_told_with_the_text_also_after_another_host(
    talk: Talk, model: ScriptedServer
) -> None:
    model.script(
        answer(
            call(0, "a", "Bash", '{"command": "echo hi"}'),
            call(1, "b", "Read", '{"path": "notes'),
            reason="tool_calls",
        ),
        answer(text("ok")),
    )
    await talk.is_asked("look")
    await talk.answers_after_a_crash()

    assert '{"path": "notes' in model.chats[-1].body["messages"][-1]["content"]


async def test_of_two_merged_calls_the_first_is_made_and_the_model_told(
    talk: Talk, model: ScriptedServer
) -> None:
    both = '{"pattern": "*.md"}{"pattern": "*.py"}'
    model.script(answer(call(0, "a", "Glob", both)), answer(text("ok")))
    await talk.hears("look")

    result = model.chats[-1].body["messages"][-1]["content"]
    assert result.startswith("(The arguments held 2 objects: only the first was used.")
