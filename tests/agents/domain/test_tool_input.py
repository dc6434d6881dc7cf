"""Parameters: lenient where models are sloppy, clear where something is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.searches import parse_search, read_matches, ripgrep_arguments
from agents.domain.todos import parse_todos, render_todos
from agents.domain.tool_input import BadInput, ToolInput

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=10,
)
NAMES = st.sampled_from(
    ["pattern", "path", "glob", "output_mode", "-i", "-n", "-A", "-C", "head_limit", "todos"]
)


def failure(received: dict[str, Any], language: str = "en") -> str:
    with pytest.raises(BadInput) as caught:
        ToolInput(received, language).text("content")
    return str(caught.value)


def test_a_missing_parameter_lists_what_was_received() -> None:
    assert failure({"path": "a", "n": 1, "x": None, "y": [], "z": {}, "b": True}) == (
        'Parameter "content" is missing or invalid (a string is expected). '
        "Received parameters: path (string), n (number), x (null), y (array), z (object), "
        "b (boolean)."
    )


def test_the_french_wording_is_the_seeds() -> None:
    assert failure({"path": "a"}, "fr") == (
        'Paramètre "content" manquant ou invalide (chaîne attendue). '
        "Paramètres reçus : path (string)."
    )


def test_no_parameters_at_all_are_told() -> None:
    assert failure({}).endswith("Received parameters: none.")


def test_numbers_and_booleans_may_come_as_text() -> None:
    given = ToolInput({"n": "12", "f": 3.0, "b": "true"})
    assert (given.whole("n", 1), given.whole("f", 1), given.flag("b")) == (12, 3, True)


@pytest.mark.parametrize("value", [True, 1.5, "x", "", "²", -1, [], "-", "9" * 30])
def test_what_is_no_integer_is_refused(value: object) -> None:
    with pytest.raises(BadInput):
        ToolInput({"n": value}).whole("n", 1)


def test_an_array_may_come_as_json_in_a_string() -> None:
    given = ToolInput({"todos": '[{"content": "x"}]'})
    assert parse_todos(given)[0].content == "x"


@given(st.dictionaries(NAMES | st.text(max_size=5), JSON, max_size=6))
def test_any_json_is_read_or_refused_in_words(received: dict[str, Any]) -> None:
    for read in (parse_search, parse_todos):
        refused = refusal(read, ToolInput(received, "fr"))
        assert refused is None or "Paramètres reçus" in refused


def refusal(read: Callable[[ToolInput], object], input: ToolInput) -> str | None:
    try:
        read(input)
    except BadInput as error:
        return str(error)
    return None


@given(st.text(min_size=1), st.text(), st.sampled_from(["files_with_matches", "content", "count"]))
def test_nothing_the_model_writes_becomes_an_option_of_ripgrep(
    pattern: str, glob: str, mode: str
) -> None:
    received = {"pattern": pattern, "glob": glob, "output_mode": mode}
    try:
        search = parse_search(ToolInput(received))
    except BadInput:
        return
    known = ("--regexp=", "--glob=", "--type-add=asked:")
    for argument in ripgrep_arguments(search):
        if pattern in argument or (glob and glob in argument):
            assert argument.startswith("--")
        assert argument.startswith(known) or not argument.startswith(("--pre", "--file=", "-f"))


@given(st.text("a:-\0\n1./", max_size=80), st.sampled_from(["content", "count"]))
def test_any_output_of_a_search_is_read(output: str, mode: str) -> None:
    search = parse_search(ToolInput({"pattern": "x", "output_mode": mode}))
    assert all(
        "\0" not in line or line.count("\0") < output.count("\0")
        for lines in read_matches(output, search).values()
        for line in lines
    )


def test_todos_are_drawn_with_signs_and_the_active_form() -> None:
    todos = [
        {"content": "Read", "status": "completed", "activeForm": "Reading"},
        {"content": "Write", "status": "in_progress", "activeForm": "Writing"},
        {"content": "Check", "status": "pending"},
    ]
    entries = parse_todos(ToolInput({"todos": todos}))
    assert render_todos(entries) == "☑ Read\n▶ Writing\n☐ Check"


def test_several_tasks_in_progress_carry_a_warning() -> None:
    todos = [{"content": "a", "status": "in_progress"}, {"content": "b", "status": "in_progress"}]
    entries = parse_todos(ToolInput({"todos": todos}))
    assert render_todos(entries, "fr").endswith(
        "Avertissement : 2 tâches sont en cours ; n'en garde qu'une à la fois."
    )


@pytest.mark.parametrize(
    "todos", [None, "x", [1], [{}], [{"content": ""}], [{"content": "a", "status": "done"}]]
)
def test_bad_todos_are_refused(todos: object) -> None:
    with pytest.raises(BadInput):
        parse_todos(ToolInput({"todos": todos}))
