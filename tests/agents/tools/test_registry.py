"""The registry: order, permissions, descriptions in both languages."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.library.custom_tools import RESERVED
from agents.engine.ports.tools import ToolFailure
from agents.tools.registry import builtin_tools
from tests.agents.domain.tools.test_input import JSON
from tests.fakes import tool_context

ALL = builtin_tools()


def test_the_tools_come_in_the_order_of_the_seed_with_its_permissions() -> None:
    assert [(tool.spec.name, tool.default_permission) for tool in ALL] == [
        ("Read", "auto"),
        ("Glob", "auto"),
        ("Grep", "auto"),
        ("Write", "ask"),
        ("Edit", "ask"),
        ("Bash", "ask"),
        ("TodoWrite", "auto"),
        ("WebFetch", "ask"),
        ("CurrentModel", "auto"),
        ("ListModels", "auto"),
    ]


def test_no_tool_of_a_file_may_take_the_name_of_one_of_these() -> None:
    assert {tool.spec.name for tool in ALL} < RESERVED


@pytest.mark.parametrize("language", ["en", "fr"])
def test_every_parameter_is_described(language: str) -> None:
    for tool in builtin_tools(language):
        assert len(tool.spec.description) > 40
        for name, schema in tool.spec.input_schema["properties"].items():
            assert len(schema.get("description", "")) > 5, (tool.spec.name, name)


def test_both_languages_declare_the_same_parameters() -> None:
    english, french = (
        [(t.spec.name, list(t.spec.input_schema["properties"])) for t in builtin_tools(language)]
        for language in ("en", "fr")
    )
    assert english == french


NAMES = st.sampled_from(
    sorted({name for tool in ALL for name in tool.spec.input_schema["properties"]})
)


@pytest.mark.parametrize("tool", ALL, ids=lambda tool: tool.spec.name)
@given(input=st.dictionaries(NAMES | st.text(max_size=4), JSON, max_size=5))
async def test_whatever_the_model_sends_a_tool_answers_or_fails_in_words(
    tool: Any, input: dict[str, Any]
) -> None:
    context = tool_context()
    assert isinstance(tool.title(input), str)
    try:
        read = tool.read_input(input)
    except ToolFailure:  # anything else fails the test
        return
    assert tool.read_input(read) == read
    assert isinstance(tool.title(read), str)
    tool.lock_key(read, context)
    for act in (tool.preview, tool.execute):
        with suppress(ToolFailure):
            await act(read, context)
