"""Parameters: lenient where models are sloppy, clear where something is wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.content.parts import PlanEntry
from agents.domain.tools.input import BadInput, BadPath, Declared, Parameter
from agents.domain.tools.kinds import Flag, Text, Whole
from agents.domain.tools.parameters import DECLARED
from agents.domain.tools.searches import Search, read_matches, ripgrep_arguments, search_of
from agents.domain.tools.todos import render_todos, todos_of

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=10,
)
NAMES = st.sampled_from(
    sorted(
        {
            name
            for declared in DECLARED.values()
            for one in declared.parameters
            for name in (one.name, *one.aliases)
        }
    )
)


def failure(received: dict[str, Any], language: str = "en") -> str:
    declared = Declared((Parameter("content", Text(), required=True),))
    with pytest.raises(BadInput) as caught:
        declared.read(received)
    return caught.value.sentence(language)


def searched(received: dict[str, Any]) -> Search:
    return search_of(DECLARED["Grep"].read(received))


def planned(todos: object) -> tuple[PlanEntry, ...]:
    return todos_of(DECLARED["TodoWrite"].read({"todos": todos}))


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
    assert (Whole().read("12"), Whole().read(3.0), Flag().read("true")) == (12, 3, True)


@pytest.mark.parametrize("value", [True, 1.5, "x", "", "²", -1, [], "-", "9" * 30])
def test_what_is_no_integer_is_refused(value: object) -> None:
    with pytest.raises(BadInput):
        Whole().read(value)


def test_an_array_may_come_as_json_in_a_string() -> None:
    assert planned('[{"content": "x"}]')[0].content == "x"
    assert planned(['{"content": "x"}']) == planned({"content": "x"}) == planned([{"content": "x"}])


@pytest.mark.parametrize(
    ("tool", "received", "expected"),
    [
        ("Read", {"offset": "2.0", "limit": " 3 "}, {"offset": 2, "limit": 3}),
        ("Read", {"offset": "", "limit": ""}, {}),
        (
            "Grep",
            {"pattern": "a", "-i": "True", "-n": 0},
            {"pattern": "a", "-i": True, "-n": False},
        ),
        (
            "Grep",
            {"pattern": "a", "output_mode": "Content"},
            {"pattern": "a", "output_mode": "content"},
        ),
        ("Grep", {"pattern": "a", "output_mode": "", "-C": ""}, {"pattern": "a"}),
        (
            "Edit",
            {"edits": json.dumps(json.dumps([{"old_string": "a", "new_string": "b"}]))},
            {"edits": [{"old_string": "a", "new_string": "b"}]},
        ),
        (
            "Edit",
            {"old_string": "a", "new_string": "", "edits": ""},
            {"old_string": "a", "new_string": ""},
        ),
    ],
)
def test_values_are_read_as_models_write_them(
    tool: str, received: dict[str, Any], expected: dict[str, Any]
) -> None:
    read = DECLARED[tool].read({"path": "a.txt", **received})
    assert json.dumps(read, sort_keys=True) == json.dumps(
        {"path": "a.txt", **expected}, sort_keys=True
    )


@pytest.mark.parametrize("tool", DECLARED)
@given(received=st.dictionaries(NAMES | st.text(max_size=5), JSON, max_size=6))
def test_any_json_is_read_or_refused_in_words(tool: str, received: dict[str, Any]) -> None:
    read = refused_or_read(DECLARED[tool], received)
    if isinstance(read, BadInput):
        assert isinstance(read, BadPath) or "Paramètres reçus" in read.sentence("fr")
    else:
        assert DECLARED[tool].read(read) == read


def refused_or_read(declared: Declared, received: dict[str, Any]) -> BadInput | dict[str, Any]:
    try:
        return declared.read(received)
    except BadInput as error:
        return error


@given(st.text(min_size=1), st.text(), st.sampled_from(["files_with_matches", "content", "count"]))
def test_nothing_the_model_writes_becomes_an_option_of_ripgrep(
    pattern: str, glob: str, mode: str
) -> None:
    received = {"pattern": pattern, "glob": glob, "output_mode": mode}
    try:
        search = searched(received)
    except BadInput:
        return
    known = ("--regexp=", "--glob=", "--type-add=asked:")
    for argument in ripgrep_arguments(search):
        if pattern in argument or (glob and glob in argument):
            assert argument.startswith("--")
        assert argument.startswith(known) or not argument.startswith(("--pre", "--file=", "-f"))


@given(st.text("a:-\0\n1./", max_size=80), st.sampled_from(["content", "count"]))
def test_any_output_of_a_search_is_read(output: str, mode: str) -> None:
    search = searched({"pattern": "x", "output_mode": mode})
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
    entries = planned(todos)
    assert render_todos(entries) == "☑ Read\n▶ Writing\n☐ Check"


def test_several_tasks_in_progress_carry_a_warning() -> None:
    todos = [{"content": "a", "status": "in_progress"}, {"content": "b", "status": "in_progress"}]
    entries = planned(todos)
    assert render_todos(entries, "fr").endswith(
        "Avertissement : 2 tâches sont en cours ; n'en garde qu'une à la fois."
    )


@pytest.mark.parametrize(
    "todos", [None, "x", [1], [{}], [{"content": ""}], [{"content": "a", "status": "done"}]]
)
def test_bad_todos_are_refused(todos: object) -> None:
    with pytest.raises(BadInput):
        planned(todos)
