"""TOOL.json: every rule of seed M §10.2, and arguments that stay arguments."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.library.custom_tools import CustomTool, fill, parse_tool, without_trailing_commas
from agents.domain.library.problems import LibraryProblem
from agents.domain.tools.input import BadInput

ADDITION = """{ "name": "Addition", "description": "Adds",
  "command": { "parameters": [
      { "name": "a", "type": "number", "default": "0", "description": "first", },
      { "name": "b", "type": "string" }, ],
    "run": "node ./test.js {{a}} '--to={{ b }} end' \\"{{b}}\\"", }, }"""


def tool(parameters: list[Any], run: Any, **more: Any) -> CustomTool:
    definition = {"description": "x", "command": {"parameters": parameters, "run": run}, **more}
    return parse_tool("folder", json.dumps(definition), frozenset({"Read", "Skill"}))


def test_a_definition_with_trailing_commas_is_read() -> None:
    found = parse_tool("addition", ADDITION)

    assert (found.name, found.description) == ("Addition", "Adds")
    assert found.run == ("node", "./test.js", "{{a}}", "--to={{b}} end", "{{b}}")
    assert found.schema == {
        "type": "object",
        "properties": {"a": {"type": "number", "description": "first"}, "b": {"type": "string"}},
        "required": ["b"],
    }


def test_the_folder_names_a_tool_without_a_name() -> None:
    assert tool([], "true").name == "folder"


@pytest.mark.parametrize(
    ("parameters", "run", "more", "code"),
    [
        ([], "true", {"description": " "}, "no-description"),
        ([], "true", {"name": "Read"}, "reserved"),
        ([], "true", {"name": "Skill"}, "reserved"),
        ([], "true", {"name": "mcp__x"}, "reserved"),
        ([], "true", {"name": "a b"}, "tool-name"),
        ([], "true", {"name": "x" * 65}, "tool-name"),
        ([], "true", {"name": 3}, "tool-name"),
        ([], "true", {"command": "true"}, "no-command"),
        ({}, "true", {}, "no-list"),
        (["a"], "true", {}, "parameter"),
        ([{"name": "1a", "type": "string"}], "true", {}, "parameter-name"),
        ([{"name": "a", "type": "string"}] * 2, "true", {}, "parameter-twice"),
        ([{"name": "a", "type": "bool"}], "true", {}, "parameter-type"),
        ([{"name": "a", "type": []}], "true", {}, "parameter-type"),
        ([{"name": "a", "type": "string", "description": 1}], "true", {}, "parameter-description"),
        ([{"name": "a", "type": "number", "default": "x"}], "true", {}, "default"),
        ([{"name": "a", "type": "string", "default": []}], "true", {}, "default"),
        ([], "", {}, "no-run"),
        ([], None, {}, "no-run"),
        ([], "a\0b", {}, "nul"),
        ([], "echo 'x", {}, "quote"),
        ([], "echo {{b}}", {}, "undeclared"),
        ([], "echo {{ }}", {}, "undeclared"),
        ([], f"echo {'x' * 40_000}", {}, "run-long"),
        ([{"name": "a", "type": "string"}], "{{a}} x", {}, "program"),
        ([{"name": "a", "type": "string"}], "./{{a}}", {}, "program"),
        ([], "'' x", {}, "program"),
    ],
)
def test_each_rule_has_its_reason(
    parameters: Any, run: Any, more: dict[str, Any], code: str
) -> None:
    with pytest.raises(LibraryProblem) as caught:
        tool(parameters, run, **more)

    assert caught.value.code == code
    assert caught.value.sentence("fr") != caught.value.sentence("en")


@pytest.mark.parametrize(
    ("text", "code"), [("{", "broken-json"), ("[]", "no-object"), ("[" * 100_000, "broken-json")]
)
def test_broken_json_says_so(text: str, code: str) -> None:
    with pytest.raises(LibraryProblem) as caught:
        parse_tool("x", text)

    assert caught.value.code == code


def test_what_never_ends_is_read_once() -> None:
    """A file in a workspace must not hold up the server: each of these took minutes, or more."""
    quotes = '"' + '\\"' * 400_000
    assert without_trailing_commas(quotes) == quotes
    assert without_trailing_commas(f"{quotes}\\") == f"{quotes}\\"
    assert tool([], "echo {{" + " " * 30_000).run == ("echo", "{{")
    many = [{"name": f"p{n}", "type": "string"} for n in range(30_000)]
    assert len(tool(many, "true").parameters) == 30_000


VALUE = st.text(alphabet=st.characters(exclude_characters="\0", exclude_categories=["Cs"]))


def arguments(made: CustomTool, received: dict[str, Any]) -> tuple[str, ...]:
    """What runs for what was received."""
    return fill(made, made.declared.read(received))


@given(VALUE, VALUE)
def test_no_value_ever_becomes_more_than_one_argument(one: str, two: str) -> None:
    parameters = [{"name": "p", "type": "string"}, {"name": "q", "type": "string"}]
    made = tool(parameters, "run {{p}} 'x {{q}}' {{p}}{{q}} end")

    assert arguments(made, {"p": one, "q": two}) == ("run", one, f"x {two}", one + two, "end")


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers())
def test_numbers_are_printed_as_numbers(value: float) -> None:
    made = tool([{"name": "n", "type": "number"}], "run {{n}}")

    assert float(arguments(made, {"n": value})[1]) == pytest.approx(float(value))
    assert arguments(made, {"n": json.dumps(value)}) == arguments(made, {"n": value})


@pytest.mark.parametrize("value", [True, "x", [], {}, None, float("inf"), "1e999"])
def test_what_is_no_number_is_refused_and_the_received_parameters_listed(value: Any) -> None:
    made = tool([{"name": "n", "type": "number"}], "run {{n}}")

    with pytest.raises(BadInput, match=r'"n".*number is expected'):
        arguments(made, {"n": value})


@pytest.mark.parametrize("value", [True, [], {}, None, "a\0b"])
def test_what_is_no_text_is_refused(value: Any) -> None:
    with pytest.raises(BadInput) as caught:
        arguments(tool([{"name": "s", "type": "string"}], "run {{s}}"), {"s": value})
    assert caught.value.sentence("fr").startswith('Paramètre "s" manquant ou invalide (chaîne')


def test_a_default_stands_in_for_what_is_not_given() -> None:
    made = tool([{"name": "n", "type": "number", "default": 5}], "run {{n}}")

    assert arguments(made, {}) == arguments(made, {"n": None}) == ("run", "5")
    assert made.schema["required"] == []


@given(st.recursive(st.none() | st.text() | st.integers(), st.lists))
def test_json_without_trailing_commas_stays_what_it_is(value: Any) -> None:
    text = json.dumps(value)

    assert json.loads(without_trailing_commas(text)) == value
    assert without_trailing_commas(f"[{text} , ]") == f"[{text}  ]"


@given(st.text())
def test_any_text_is_a_tool_or_a_problem(text: str) -> None:
    with suppress(LibraryProblem):
        assert parse_tool("x", text)
