"""Any split of the fragments gives the same calls; nothing a server sends breaks the assembly."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.engine.ports.model import ToolUse
from agents.providers.tool_call_fragments import NAMELESS, ToolCallFragments

NAMES = ("Read", "Write", "TodoWrite", "mcp__git__log")
word = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=8)
value = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | word,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(word, inner, max_size=3),
    max_leaves=6,
)
arguments = st.dictionaries(word, value, max_size=4)


def assemble(fragments: list[Any], **options: Any) -> list[ToolUse]:
    collected = ToolCallFragments()
    for fragment in fragments:
        collected.add(fragment)
    return collected.calls(**options)


def fragment(
    index: int | None, id: str | None = None, name: str | None = None, arguments: Any = None
) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    whole = {
        "index": index,
        "id": id,
        "type": "function",
        "function": {key: one for key, one in function.items() if one is not None},
    }
    return {key: one for key, one in whole.items() if one is not None}


@st.composite
def pieces(draw: st.DrawFn, text: str) -> list[str]:
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=5)))
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


@given(st.data(), st.lists(st.tuples(st.sampled_from(NAMES), arguments), max_size=4), st.booleans())
def test_any_split_gives_the_same_calls(
    data: st.DataObject, wanted: list[tuple[str, dict[str, Any]]], repeat_heads: bool
) -> None:
    streams: list[list[dict[str, Any]]] = []
    for index, (name, given_arguments) in enumerate(wanted):
        raw = json.dumps(given_arguments, ensure_ascii=data.draw(st.booleans()))
        head = [fragment(index, f"c{index}", name, "")]
        rest = [
            fragment(index, f"c{index}" if repeat_heads else None, None, piece)
            for piece in data.draw(pieces(raw))
        ]
        streams.append(head + rest)
    mixed: list[dict[str, Any]] = []
    while any(streams):
        stream = data.draw(st.sampled_from([one for one in streams if one]))
        mixed.append(stream.pop(0))
    assert assemble(mixed) == [
        ToolUse(f"c{index}", name, given_arguments)
        for index, (name, given_arguments) in enumerate(wanted)
    ]


@given(st.data(), st.sampled_from(NAMES), arguments)
def test_a_split_name_is_put_together(
    data: st.DataObject, name: str, given_arguments: dict[str, Any]
) -> None:
    names = [piece for piece in data.draw(pieces(name)) if piece]
    fragments = [fragment(0, "c1", piece) for piece in names[:1]]
    fragments += [fragment(0, None, piece) for piece in names[1:]]
    fragments.append(fragment(0, None, None, json.dumps(given_arguments)))
    assert assemble(fragments) == [ToolUse("c1", name, given_arguments)]


@given(st.lists(st.tuples(st.sampled_from(NAMES), arguments), min_size=1, max_size=4))
def test_calls_in_sequence_without_any_index_stay_apart(
    wanted: list[tuple[str, dict[str, Any]]],
) -> None:
    fragments: list[dict[str, Any]] = []
    for number, (name, given_arguments) in enumerate(wanted):
        raw = json.dumps(given_arguments)
        fragments += [fragment(None, f"c{number}", name), fragment(None, None, None, raw)]
    for index in (None, 0):
        anywhere = [{**one, **({} if index is None else {"index": 0})} for one in fragments]
        assert assemble(anywhere) == [
            ToolUse(f"c{number}", name, given_arguments)
            for number, (name, given_arguments) in enumerate(wanted)
        ]


def test_the_same_id_on_two_indexes_is_two_calls_with_ids_of_their_own() -> None:
    uses = assemble([fragment(0, "c", "Read", "{}"), fragment(1, "c", "Glob", "{}")])
    assert [(use.id, use.name) for use in uses] == [("c", "Read"), ("c_2", "Glob")]


def test_ids_of_the_conversation_are_not_given_again() -> None:
    fragments = [fragment(0, "c", "Read", "{}"), fragment(1, None, "Glob", "{}")]
    uses = assemble(fragments, taken=frozenset({"c", "call_2"}), first_number=1)
    assert [use.id for use in uses] == ["c_2", "call_2_2"]


def test_a_late_name_is_taken() -> None:
    uses = assemble([fragment(0, "c", None, '{"a":'), fragment(0, None, "Read", "1}")])
    assert uses == [ToolUse("c", "Read", {"a": 1})]


def test_empty_fragments_are_no_call() -> None:
    assert assemble([{}, None, "x", {"index": 0}, fragment(0, "", "", "")]) == []


def test_surrogates_split_between_fragments_are_joined() -> None:
    uses = assemble(
        [fragment(0, "c", "Write", '{"text": "\ud83c'), fragment(0, None, None, '\udf0d"}')]
    )
    assert uses[0].input == {"text": "🌍"}


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["index", "id", "function", "name", "arguments", "type"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.lists(anything, max_size=6))
def test_nothing_a_server_sends_breaks_the_assembly(fragments: list[Any]) -> None:
    uses = assemble(fragments)
    assert len({use.id for use in uses}) == len(uses)
    for use in uses:
        assert use.id
        assert use.name or use.name == NAMELESS
        assert json.dumps(use.input).encode()


@pytest.mark.parametrize(
    ("sent", "unreadable"),
    [
        ('{"path": "a', '{"path": "a'),
        ("[1]", "[1]"),
        ("rm -rf x", "rm -rf x"),
        ("{}", ""),
        ("", ""),
        (" ", ""),
        ("null", ""),
        ('""', ""),
    ],
)
def test_arguments_that_are_no_object_are_an_empty_one_and_kept_to_be_told(
    sent: str, unreadable: str
) -> None:
    (use,) = assemble([fragment(0, "c", "Read", sent)])
    assert (use.input, use.unreadable) == ({}, unreadable)
