"""Counting is exact, offline, additive and bounded in time."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.domain.content.model_messages import (
    ModelMessage,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    user_text,
)
from agents.domain.memory import tokens

text = st.text(alphabet=st.characters(exclude_categories=()), max_size=200)


@dataclass(frozen=True)
class Described:
    name: str
    description: str
    input_schema: dict[str, Any] = field(default_factory=dict)


@pytest.fixture(scope="module", autouse=True)
def _vocabulary() -> None:
    tokens.load()


@pytest.mark.parametrize(
    ("said", "count"),
    [
        ("", 0),
        ("hello world", 2),
        ("tiktoken is great!", 6),
        ("antidisestablishmentarianism", 6),
        ("2 + 2 = 4", 7),
        ("お誕生日おめでとう", 8),
    ],
)
def test_counts_are_those_published_for_o200k_base(said: str, count: int) -> None:
    assert tokens.count_text(said) == count


@pytest.mark.parametrize("special", ["<|endoftext|>", "<|endofprompt|>", "a<|endoftext|>b"])
def test_special_tokens_are_counted_as_text(special: str) -> None:
    assert tokens.count_text(special) > 3


@pytest.mark.parametrize("unit", ["a", " ", "\n", "^", "中", "\t \n", "😀", "́", "0"])
def test_a_megabyte_of_one_letter_is_counted_in_bounded_time(unit: str) -> None:
    started = time.process_time()
    count = tokens.count_text(unit * (1_000_000 // len(unit)))
    assert 0 < count <= 1_000_000
    assert time.process_time() - started < 10


def test_a_long_text_is_cut_only_where_a_token_ends() -> None:
    line = "    def naïve(self): return 'x' // 2  # été\n\n\t\n"
    whole = line * 3_000
    assert len(whole) > 2 * tokens.LONGEST_PIECE
    assert tokens.count_text(whole) == len(tokens._encoding().encode_ordinary(whole))


@given(text)
def test_any_text_counts_the_same_twice(said: str) -> None:
    assert tokens.count_text(said) == tokens.count_text(said) >= (1 if said else 0)


block = st.one_of(
    st.text(max_size=200).map(lambda said: TextBlock(text=said)),
    st.dictionaries(st.text(max_size=5), st.text(max_size=30), max_size=3).map(
        lambda given: ToolUseBlock(id="c", name="Read", input=given)
    ),
    st.text(max_size=200).map(lambda said: ToolResultBlock(tool_use_id="c", content=said)),
)
message = st.lists(block, max_size=3).map(
    lambda blocks: ModelMessage(role="assistant", content=tuple(blocks))
)


@settings(max_examples=60)
@given(text, st.lists(message, max_size=4), st.lists(text, max_size=3))
def test_the_count_is_the_sum_of_its_parts(
    system: str, messages: list[ModelMessage], pending: list[str]
) -> None:
    whole = tokens.count_context(system, messages, (), pending)
    assert whole == (
        tokens.count_text(system)
        + sum(tokens.count_context("", [one]) for one in messages)
        + sum(tokens.count_text(one) for one in pending)
    )
    assert tokens.count_context(system, [*messages, user_text("x")], (), pending) == whole + 5


def test_tools_count_with_their_whole_description() -> None:
    tool = Described("Read", "Reads a file.", {"type": "object"})
    alone = tokens.count_context("", (), (tool,))
    assert alone > 10
    longer = Described("Read", "Reads a file. Lines are numbered.", {"type": "object"})
    assert tokens.count_context("", (), (longer,)) > alone


def test_a_structure_costs_four_tokens() -> None:
    assert tokens.count_context("", [user_text("hello world")]) == 4 + 2


def test_memory_of_counts_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "REMEMBERED", 10)
    for number in range(50):
        tokens.count_text(f"text {number}")
    assert len(tokens._counts) <= 10
