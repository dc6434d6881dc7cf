"""Every promise has tests that exist, every test marked with a promise is listed under it."""

from __future__ import annotations

import ast
import importlib
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).parents[1]
MAP: dict[str, dict[str, Any]] = tomllib.loads((TESTS / "requirements.toml").read_text())
CONSTANTS = MAP.pop("constants")
_ID = re.compile(r"(M\d+(\.\d+)?|T|S|I\d+(\.\d+)?)-[\w-]+")


@cache
def _tests_of(file: Path) -> dict[str, set[str]]:
    """Returns the tests of a file, and the promises each is marked with."""
    if file.suffix == ".js":
        names = re.findall(r"""\b(?:test|it)\(\s*(["'`])(.+?)\1""", file.read_text())
        return {name: set() for _, name in names}
    found: dict[str, set[str]] = {}
    for node in ast.parse(file.read_text()).body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        prefix = f"{node.name}::" if isinstance(node, ast.ClassDef) else ""
        for one in inner:
            if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
                found[prefix + one.name] = _promises(one)
    return found


def _promises(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    marks = (mark for mark in function.decorator_list if isinstance(mark, ast.Call))
    return {
        argument.value
        for mark in marks
        if ast.unparse(mark.func) == "pytest.mark.promise"
        for argument in mark.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    }


@pytest.mark.parametrize("promise", MAP)
def test_a_promise_says_what_it_is_and_has_tests(promise: str) -> None:
    assert _ID.fullmatch(promise)
    assert set(MAP[promise]) == {"says", "tests"}
    assert MAP[promise]["says"].strip()
    assert MAP[promise]["tests"]


@pytest.mark.parametrize("promise", MAP)
def test_the_tests_of_a_promise_exist(promise: str) -> None:
    for test in MAP[promise]["tests"]:
        path, _, name = test.partition("::")
        file = TESTS / path
        assert file.is_file(), f"{promise}: {path} is not there"
        assert name in _tests_of(file), f"{promise}: {test} is not there"


def test_a_test_marked_with_a_promise_is_listed_under_it() -> None:
    for file in sorted(TESTS.rglob("test_*.py")):
        for name, promises in _tests_of(file).items():
            for promise in promises:
                test = f"{file.relative_to(TESTS)}::{name}"
                assert promise in MAP, f"{test}: no promise {promise}"
                assert test in MAP[promise]["tests"], f"{test}: not listed under {promise}"


def test_every_test_of_the_tools_shows_a_promise_or_belongs_to_a_file_that_does() -> None:
    """A whole file without any promise would be work nobody asked for."""
    listed = {test.partition("::")[0] for promise in MAP.values() for test in promise["tests"]}
    for file in sorted((TESTS / "agents" / "tools").rglob("test_*.py")):
        assert str(file.relative_to(TESTS)) in listed


COMPOSER = (
    "domain/typed/test_attached_files.py",
    "domain/typed/test_file_references.py",
    "domain/typed/test_shell_input.py",
    "domain/library/test_skills.py",
    "domain/typed/test_user_commands.py",
    "runtime/answering/test_command_run.py",
    "runtime/test_lost_access.py",
    "runtime/answering/test_read_requests.py",
)


@pytest.mark.parametrize("path", COMPOSER)
def test_every_test_of_what_people_type_shows_a_promise(path: str) -> None:
    listed = {test for promise in MAP.values() for test in promise["tests"]}
    for name in _tests_of(TESTS / "agents" / path):
        if name.startswith("test_"):
            assert f"agents/{path}::{name}" in listed


@pytest.mark.parametrize(("name", "value"), CONSTANTS.items())
def test_the_constants_are_the_seeds(name: str, value: float) -> None:
    module, _, constant = name.partition(":")
    assert getattr(importlib.import_module(module), constant) == value
