"""What is wrong in a person's settings files, line by line."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.library.own_files import NAMES, LineProblem, problems_of
from agents.domain.model_servers.server import ModelServerInfo

RULES = """{
  "permissions": {
    "allow": [
      "Bash(make *)",
      "Bash("
    ],
    "ask": {},
    "deny": ["no rule", 7, "Read(\\u002e./**/..)"]
  }
}"""


def wrong(name: str, text: str, *, with_server: bool = True) -> list[tuple[int, str]]:
    found = problems_of(name, text, str, "en", with_server=with_server)
    assert all(one.message for one in found)
    return [(one.line, one.entry) for one in found if one.blocks]


def test_each_entry_that_is_no_rule_is_named_with_its_line() -> None:
    assert wrong("settings.json", RULES) == [
        (0, "7"), (5, "Bash("), (7, "ask"), (8, "Read(../**/..)"), (8, "no rule"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("settings.json", '{\n"a": 1,\n}', 3),
        ("settings.json", "[" * 100_000, 0),
        ("settings.json", "[]", 0),
        ("config.json", '{\n  "model": 7\n}', 2),
        ("config.json", "{\n", 2),
        ("settings.json", '{\n\n"MaxIterations": "x"}', 3),
    ],
)
def test_other_problems_have_their_line_too(name: str, text: str, line: int) -> None:
    assert [one for one, _entry in wrong(name, text)][:1] == [line]


def test_what_is_fine_is_fine() -> None:
    fine = json.dumps({"permissions": {"allow": ["Bash(ls)"]}, "other": [1]})
    for name, text in (
        ("settings.json", fine), ("settings.json", ""), ("config.json", '{"model": "litellm:x"}'),
        ("bashrc", "if ["), ("inputrc", "{"), ("settings.json", '{"LiteLLM_URL": "x"}'),
    ):  # fmt: skip
        assert wrong(name, text, with_server=False) == []


def test_what_does_not_count_is_told_and_can_be_saved() -> None:
    text = '{\n"LiteLLM_URL": "http://x",\n"MaxIterations": 90\n}'
    site = ModelServerInfo(kind="litellm", url="http://site", max_steps=50)
    found = problems_of("settings.json", text, str, "en", with_server=False, site=site)
    assert [(one.line, one.entry, one.blocks) for one in found] == [
        (2, "LiteLLM_URL", False),
        (3, "MaxIterations", False),
    ]
    assert "50 counts" in found[1].message


@given(st.sampled_from(NAMES), st.text())
def test_whatever_is_typed_no_line_is_beyond_the_text(name: str, text: str) -> None:
    for one in problems_of(name, text, str, "fr", with_server=True):
        assert isinstance(one, LineProblem)
        assert 0 <= one.line <= text.count("\n") + 1
