"""config.json: the model a workspace or a person begins with (seed M §5.3)."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.library.model_config import parse_model_config
from agents.domain.library.problems import LibraryProblem


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{"model": "litellm:gpt-5"}', "gpt-5"),
        ('{"model": "ollama/qwen3:8b"}', "ollama/qwen3:8b"),
        ('{"model": " a "}', "a"),
        ('\ufeff{"other": 1}', ""),
        ('{"model": null}', ""),
    ],
)
def test_the_name_is_read(text: str, name: str) -> None:
    assert parse_model_config(text) == name


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{", "broken-json"),
        ("[]", "no-object"),
        ('{"model": 7}', "model"),
        ('{"model": "litellm:"}', "model"),
        ('{"model": "a\\nb"}', "model"),
    ],
)
def test_what_is_wrong_is_said(text: str, code: str) -> None:
    with pytest.raises(LibraryProblem) as problem:
        parse_model_config(text)
    assert problem.value.code == code
    assert problem.value.sentence("fr") != problem.value.sentence("en")


@given(st.text(max_size=100))
def test_any_text_is_a_name_or_a_problem(text: str) -> None:
    with suppress(LibraryProblem):
        assert len(parse_model_config(text)) <= 200
