"""Token numbers are written shortly and read from whatever a model answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.memory.tokens import format_tokens, parse_token_count


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0"),
        (950, "950"),
        (999, "999"),
        (1_000, "1k"),
        (12_345, "12.3k"),
        (123_456, "123.5k"),
        (200_000, "200k"),
        (999_949, "999.9k"),
        (999_950, "1M"),
        (1_048_576, "1.049M"),
        (2_000_000, "2M"),
    ],
)
def test_a_count_is_shown_as_the_seed_shows_it(count: int, shown: str) -> None:
    assert format_tokens(count) == shown


@pytest.mark.parametrize(
    ("answer", "count"),
    [
        ("128000", 128_000),
        ("128 000 tokens", 128_000),
        ("128\u202f000 tokens", 128_000),
        ("131,072", 131_072),
        ("1.000.000", 1_000_000),
        ("200k", 200_000),
        ("200 K tokens.", 200_000),
        ("1M", 1_000_000),
        ("1,5 million", 1_500_000),
        ("1.5M", 1_500_000),
        ("2 millions", 2_000_000),
        ("200 mille tokens", 200_000),
        ("131.072k", 131_072),
        ("128k (131072 tokens exactly)", 128_000),
        ("The 2024 model takes 200000 tokens", 200_000),
        ("**128,000**", 128_000),
        ("about 32-64k", 64_000),
        ("gpt-4 has 8192", None),
        ("gpt-4 has 8192 tokens", 8_192),
        ("My knowledge goes up to 2024.", None),
        ("Llama 3 8B, released in 2024, version 20240806", None),
        ("I can read about 15000 words", None),
        ("Up to 2024 tokens? My training ended then.", None),
        ("`131072`", 131_072),
        ("131072.", 131_072),
        ("≈ 200 000", 200_000),
        ("**200,000** tokens", 200_000),
        ("200 mille jetons", 200_000),
        ("2 millions de tokens", 2_000_000),
        ("a 32,768-token window", 32_768),
        ("Tokens: 131072", 131_072),
        ("**Maximum context, in tokens:** 131072", 131_072),
        ("I count tokens. In 2024 there were 8192 of us", None),
        ("4000", 4_000),
        ("3999", None),
        ("999", None),
        ("1000000001", None),
        ("I do not know", None),
        ("", None),
        ("1 model", None),
        ("v1.2.3", None),
    ],
)
def test_the_size_is_read_from_the_answer(answer: str, count: int | None) -> None:
    assert parse_token_count(answer) == count


@given(st.integers(4_000, 100_000_000), st.sampled_from([",", ".", " ", "\u00a0", "'"]))
def test_any_grouping_is_read_back(count: int, mark: str) -> None:
    assert parse_token_count(f"{count:,}".replace(",", mark)) == count
    assert parse_token_count(f"Answer: {count} tokens") == count


@given(st.integers(4_000, 100_000_000))
def test_what_is_shown_is_read_back_to_its_precision(count: int) -> None:
    read = parse_token_count(format_tokens(count))
    assert read is not None
    assert abs(read - count) <= (500 if count >= 999_950 else 50)


@given(st.text(max_size=300))
def test_no_text_breaks_the_reader(answer: str) -> None:
    read = parse_token_count(answer)
    assert read is None or 4_000 <= read <= 100_000_000
