"""Chunks of an answer: the same events for any split, and nothing but `ProviderError` comes out."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.engine.ports.model import Done, ProviderError, StreamEvent, TextDelta, ThoughtDelta
from agents.providers.chat_chunks import ChatChunks
from agents.providers.clean import TextJoiner, clean_text
from agents.providers.think_tags import ThinkSplitter


def read(deltas: list[dict[str, Any]]) -> list[StreamEvent]:
    chunks = ChatChunks()
    events = [
        event
        for delta in deltas
        for event in chunks.read(json.dumps({"choices": [{"delta": delta}]}).encode())
    ]
    chunks.read(b"[DONE]")
    return events + chunks.finish()


def told(events: list[StreamEvent]) -> tuple[str, str]:
    thought = "".join(event.text for event in events if isinstance(event, ThoughtDelta))
    said = "".join(event.text for event in events if isinstance(event, TextDelta))
    return thought, said


@st.composite
def pieces(draw: st.DrawFn, text: str) -> list[str]:
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


parts = st.lists(
    st.sampled_from(
        ["<think>", "</think>", "<", "think", " ", "\n", "a", "</thin", "é🌍", "\ud83c"]
    ),
    max_size=8,
).map("".join)


@given(st.data(), parts)
def test_any_split_of_the_text_tells_the_same(data: st.DataObject, text: str) -> None:
    whole = told(read([{"content": text}]))
    assert told(read([{"content": piece} for piece in data.draw(pieces(text))])) == whole


@given(st.text(max_size=40), st.text(st.characters(exclude_characters="<"), max_size=40))
def test_thought_and_answer_are_told_apart(answer: str, thought: str) -> None:
    splitter = ThinkSplitter()
    out = splitter.feed(f"<think>{thought}</think>{answer}") + splitter.finish()
    assert "".join(text for kind, text in out if kind == "thought") == thought
    assert "".join(text for kind, text in out if kind == "text") == answer.lstrip()


@given(st.text(max_size=40).filter(lambda text: not text.lstrip().startswith("<")))
def test_a_text_without_the_tag_at_its_start_is_untouched(text: str) -> None:
    splitter = ThinkSplitter()
    assert "".join(piece for _, piece in splitter.feed(text) + splitter.finish()) == text


@given(st.data(), st.text(st.characters(exclude_categories=()), max_size=40))
def test_joined_text_is_clean_and_complete(data: st.DataObject, text: str) -> None:
    joiner = TextJoiner()
    units = data.draw(pieces(text))
    joined = "".join(joiner.feed(piece) for piece in units) + joiner.finish()
    assert joined == clean_text(text)
    assert "\x00" not in joined
    joined.encode()


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "choices",
                    "delta",
                    "message",
                    "content",
                    "text",
                    "finish_reason",
                    "usage",
                    "completion_tokens",
                    "prompt_tokens",
                    "completion_tokens_details",
                    "tool_calls",
                    "function_call",
                    "reasoning",
                    "error",
                    "object",
                    "refusal",
                    "thinking",
                    "code",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)


@given(st.lists(anything, max_size=4))
def test_any_json_ends_in_done_or_a_provider_error(values: list[Any]) -> None:
    chunks = ChatChunks()
    with suppress(ProviderError):
        for value in values:
            chunks.read(json.dumps(value).encode())
        chunks.read(b"[DONE]")
        assert isinstance(chunks.finish()[-1], Done)


@given(st.binary(max_size=100))
def test_any_bytes_are_survived(data: bytes) -> None:
    chunks = ChatChunks()
    with suppress(ProviderError):
        chunks.read(data)


def test_json_nested_without_end_is_skipped() -> None:
    assert ChatChunks().read(b"[" * 200_000) == []


def test_our_own_limit_marks_a_cut() -> None:
    chunks = ChatChunks(limit=77)
    call = {
        "tool_calls": [{"index": 0, "id": "c", "function": {"name": "Read", "arguments": "{}"}}]
    }
    chunks.take({"choices": [{"delta": call, "finish_reason": "tool_calls"}]})
    chunks.take({"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 77}})
    assert chunks.finish()[-1] == Done("tool_use", cut=True)


def test_what_another_answer_says_beside_the_first_is_none_of_it() -> None:
    chunks = ChatChunks()
    events = [
        event
        for index, said in ((0, "one "), (1, "other "), (0, "answer"))
        for event in chunks.take({"choices": [{"index": index, "delta": {"content": said}}]})
    ]
    chunks.done = True
    assert told(events + chunks.finish()) == ("", "one answer")


@pytest.mark.parametrize(
    "chunk",
    [
        {"choices": [{"delta": {"error": {"message": "It died"}}, "finish_reason": "error"}]},
        {"detail": "It died"},
        {"type": "api_error", "message": "It died"},
    ],
    ids=["in a delta", "as a detail", "as itself"],
)
def test_an_error_is_told_with_its_words_wherever_it_stands(chunk: dict[str, Any]) -> None:
    with pytest.raises(ProviderError) as caught:
        _read_whole({"choices": [{"delta": {"content": "Half an"}}]}, chunk)
    assert "It died" in caught.value.details


def _read_whole(*given: dict[str, Any]) -> None:
    chunks = ChatChunks()
    for chunk in given:
        chunks.take(chunk)
    chunks.done = True
    chunks.finish()
