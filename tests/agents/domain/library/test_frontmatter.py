"""The YAML header of a Markdown file, whichever reader of YAML there is."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml

from agents.domain.library import frontmatter
from agents.domain.library.problems import LibraryProblem
from agents.domain.library.skills import parse_skill

Parse = Callable[[str], tuple[dict[str, Any], str]]


@pytest.fixture(params=["libyaml", "python"])
def parse(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Parse]:
    with monkeypatch.context() as patch:
        if request.param == "python":
            patch.delattr(yaml, "CSafeLoader")
        reloaded = importlib.reload(frontmatter)
        assert (reloaded.Base is yaml.SafeLoader) == (request.param == "python")
        yield reloaded.parse_frontmatter
    importlib.reload(frontmatter)


@pytest.mark.parametrize(
    ("header", "fields"),
    [
        ("a: b", {"a": "b"}),
        ("a: 'é 😀'\nb: [1, two]", {"a": "é 😀", "b": [1, "two"]}),
        ("a: |\n  x\n  y", {"a": "x\ny\n"}),
        ("1: x\nfalse: y", {"1": "x", "False": "y"}),
        ("a: 1\na: 2", {"a": 2}),
    ],
)
def test_a_header_is_read(parse: Parse, header: str, fields: dict[str, object]) -> None:
    assert parse(f"---\n{header}\n---\nBody\n") == (fields, "Body\n")


@pytest.mark.parametrize(
    ("header", "code", "where"),
    [
        ("a: [", "broken-header", "line "),
        ("ok: 1\na: b: c", "broken-header", "line 3: mapping values are not allowed"),
        ("a: !!python/object:os.system x", "broken-header", "line 2: could not determine"),
        ("a: 2001-99-99", "broken-header", ""),
        (f"a: {'9' * 5000}", "broken-header", ""),
        (f"a: 0x{'f' * 5000}", "broken-header", "line 2: a number is too long"),
        (f"0x{'f' * 500}: a", "broken-header", "line 2: a number is too long"),
        (f"a: 1{':59' * 20_000}", "broken-header", "line 2: a number is too long"),
        (f"a: 1{':59' * 300}.5", "broken-header", "line 2: a number is too long"),
        ("a: &a {x: y}\nb: {<<: [*a, *a]}", "broken-header", "line 3: could not determine"),
        ("a: \x07", "broken-header", ""),
        ("[" * 60_000, "broken-header", ""),
        ("- " * 30_000, "broken-header", ""),
        ("a: &a [*b]", "broken-header", ""),
        ("- a", "empty-header", ""),
        ("", "empty-header", ""),
    ],
)
def test_a_broken_one_says_why(parse: Parse, header: str, code: str, where: str) -> None:
    with pytest.raises(LibraryProblem) as caught:
        parse(f"---\n{header}\n---\nBody\n")
    assert caught.value.code == code
    assert where in str(caught.value.values.get("cause", ""))


def test_libyaml_reads_where_it_is() -> None:
    assert yaml.__with_libyaml__
    assert frontmatter.Base is yaml.CSafeLoader


def test_a_name_that_would_be_written_a_million_times_is_another_name() -> None:
    lists = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))
    text = f"---\na0: &a0 x\n{lists}name: *a11\ndescription: x\n---\n"
    with pytest.raises(LibraryProblem) as caught:
        parse_skill("s", text, source="home", path="p")
    assert (caught.value.code, caught.value.values["given"]) == ("other-name", "…")


@pytest.mark.parametrize("deep", [200, 900, 990])
def test_a_name_of_lists_within_lists_is_another_name(deep: int) -> None:
    text = f"---\ndescription: x\nname: {'[' * deep}{']' * deep}\n---\n"
    with pytest.raises(LibraryProblem) as caught:
        parse_skill("s", text, source="home", path="p")
    assert caught.value.code in {"other-name", "broken-header"}
