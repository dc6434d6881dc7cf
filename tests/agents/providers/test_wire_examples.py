"""Examples of what models and their servers really send, each the kind of a fault met elsewhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.content.model_messages import Attached, ModelMessage, ToolUseBlock, user_text
from agents.domain.model_servers.traits import Traits
from agents.engine.ports.model import (
    ChatRequest,
    Done,
    StreamEvent,
    TextDelta,
    TextWasThought,
    ThoughtDelta,
    ToolSpec,
    ToolUse,
)
from agents.providers.arguments import read_arguments
from agents.providers.chat_chunks import ChatChunks
from agents.providers.errors import from_response
from agents.providers.refusals import learn
from agents.providers.request_body import build_body
from agents.providers.tool_call_fragments import ToolCallFragments

EXAMPLES = [
    json.loads(line)
    for line in (Path(__file__).parent / "wire_examples.jsonl").read_text().splitlines()
]
SOURCE = "http://x m"
SENT = ChatRequest(
    "Be brief.",
    (
        user_text("hi"),
        ModelMessage(
            role="assistant",
            content=(ToolUseBlock(id="a", name="Read", input={}),),
            attached=Attached(source=SOURCE, fields={"reasoning_details": [{"text": "hm"}]}),
        ),
    ),
    (ToolSpec("Read", "Reads.", {}),),
    max_tokens=4_000,
)


def of_kind(kind: str) -> pytest.MarkDecorator:
    rows = [one for one in EXAMPLES if one["kind"] == kind]
    return pytest.mark.parametrize("example", rows, ids=[one["id"] for one in rows])


def told(events: list[StreamEvent]) -> dict[str, str]:
    text = thought = ""
    for event in events:
        match event:
            case TextDelta(text=more):
                text += more
            case ThoughtDelta(text=more):
                thought += more
            case TextWasThought():
                thought, text = thought + text, ""
    return {"text": text, "thought": thought}


def read(deltas: list[str]) -> dict[str, str]:
    chunks = ChatChunks()
    events = [
        event
        for delta in deltas
        for event in chunks.take({"choices": [{"delta": {"content": delta}}]})
    ]
    chunks.done = True
    return told(events + chunks.finish())


@of_kind("calls")
def test_arguments_that_hold_one_object_are_read(example: dict[str, Any]) -> None:
    fragments = ToolCallFragments()
    for fragment in example["input"]:
        fragments.add(fragment)
    calls = fragments.calls()
    assert [[call.name, call.input] for call in calls] == example["expect"]
    assert [bool(call.unreadable) for call in calls] == [example.get("unreadable", False)]


@of_kind("text")
def test_a_thought_is_told_from_the_answer(example: dict[str, Any]) -> None:
    assert read(example["input"]) == example["expect"]


@given(st.data(), st.sampled_from([one for one in EXAMPLES if one["kind"] == "text"]))
def test_so_it_is_however_it_is_cut(data: st.DataObject, example: dict[str, Any]) -> None:
    text = "".join(example["input"])
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert read(pieces) == example["expect"]


def answered(text: str, *, written_calls: bool) -> list[StreamEvent]:
    chunks = ChatChunks(tools=frozenset({"Glob"}), written_calls=written_calls)
    events = [
        event
        for at in range(0, len(text), 3)
        for event in chunks.take({"choices": [{"delta": {"content": text[at : at + 3]}}]})
    ]
    chunks.done = True
    return events + chunks.finish()


@of_kind("written")
def test_a_written_call_is_told_and_counts_for_a_marked_model_alone(
    example: dict[str, Any],
) -> None:
    plain = answered(example["input"], written_calls=False)
    assert not any(isinstance(event, ToolUse) for event in plain)
    assert told(plain)["text"] == example["input"]
    assert isinstance(plain[-1], Done)
    assert plain[-1].written_call == example["told"]

    marked = answered(example["input"], written_calls=True)
    calls = [[one.name, one.input] for one in marked if isinstance(one, ToolUse)]
    assert calls == example["expect"]
    shown = told(marked)["text"]
    assert shown == example["input"] if not calls else example["input"].startswith(shown)


@of_kind("refusal")
def test_a_refusal_names_the_field_that_is_left_out(example: dict[str, Any]) -> None:
    given, expected = example["input"], example["expect"]
    raw = json.dumps(given["body"]).encode()
    failure = from_response(given["status"], {}, raw, url="http://x")
    learned = learn(Traits(), failure, build_body("m", SENT, None, source=SOURCE))
    if expected is None:
        assert learned is None
        return
    assert learned is not None
    assert learned.lasting == expected.pop("lasting", True)
    assert learned.traits == Traits.model_validate(expected)


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**50), 2**50) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)
clean = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=8)


@given(st.dictionaries(clean, st.integers() | clean, min_size=1), st.integers(0, 2), clean)
def test_an_object_is_read_whatever_stands_around_it(
    wanted: dict[str, Any], times: int, behind: str
) -> None:
    text = json.dumps(wanted)
    for _ in range(times):
        text = json.dumps(text)
    assert read_arguments(["{}", text, behind]).value == wanted


@given(st.lists(st.text(max_size=12) | values.map(json.dumps), max_size=4))
def test_nothing_breaks_the_reading(fragments: list[str]) -> None:
    read = read_arguments(fragments)
    assert read.value is None or json.loads(json.dumps(read.value, allow_nan=False)) == read.value


@given(st.dictionaries(clean, clean, min_size=1), st.data())
def test_half_an_object_is_never_completed(wanted: dict[str, str], data: st.DataObject) -> None:
    text = json.dumps(wanted)
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    assert read_arguments([cut]).value is None
