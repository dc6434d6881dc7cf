"""File name patterns match as in a shell, and in linear time."""

from __future__ import annotations

import json
import subprocess
import time
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workspaces.domain.entries import FileError
from workspaces.domain.glob_expressions import compile_glob, linear_glob, matches, searched_glob
from workspaces.domain.globs import MAX_ALTERNATIVES, PathGlob, TooManyAlternatives
from workspaces.sandboxes import programs


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("*.py", "a.py", True),
        ("*.py", "d/a.py", False),
        ("**/*.py", "a.py", True),
        ("**/*.py", "d/e/a.py", True),
        ("d/**", "d/e/f", True),
        ("d/**", "d", False),
        ("d/**/f", "d/f", True),
        ("d/**/f", "d/a/b/f", True),
        ("d/**/f", "x/d/f", False),
        ("**", "a/b", True),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("[a-c]x", "bx", True),
        ("[!a-c]x", "bx", False),
        ("[!a]x", "/x", False),
        ("[]]x", "]x", True),
        ("[", "[", True),
        ("{a,b}.py", "b.py", True),
        ("{a,b/{c,d}}/*.py", "b/d/x.py", True),
        ("{a}.py", "{a}.py", True),
        ("./a", "a", True),
        ("/a", "a", True),
        ("a.b", "axb", False),
        (r"\*", "*", True),
        (r"\*", "a", False),
        ("**/a/**/b", "x/a/y/a/b", True),
        ("*a*b*c", "xxaxbxc", True),
        ("*a*b*c", "xxaxbx", False),
        (".*", ".git", True),
        ("é*", "été", True),
        ("", "a", False),
    ],
)
def test_patterns(pattern: str, path: str, expected: bool) -> None:
    assert matches(compile_glob(pattern), path) is expected


@given(st.text(alphabet="ab*?/[]{},!^-\\.~&|", max_size=14), st.text(alphabet="ab/.", max_size=10))
def test_any_pattern_compiles_or_is_refused(pattern: str, path: str) -> None:
    with suppress(FileError):
        matches(compile_glob(pattern), path)


@given(st.text(alphabet="ab*?.", min_size=1, max_size=6), st.text(alphabet="ab.", min_size=1))
def test_one_segment_matches_as_in_pathlib(pattern: str, name: str) -> None:
    if set(pattern) <= {"*"} or pattern in {".", ".."} or name in {".", ".."}:
        return
    assert matches(compile_glob(pattern), name) == PurePosixPath(f"/{name}").match(f"/{pattern}")


@pytest.mark.parametrize(
    "pattern", ["*a" * 200 + "b", "**/" * 200 + "b", "**/*a*" * 60 + "b", "{a,b}" * 60]
)
def test_hostile_patterns_stay_fast(pattern: str) -> None:
    begin = time.process_time()
    try:
        compiled = compile_glob(pattern)
    except FileError:
        return
    for path in ("a" * 4_000, "a/" * 2_000 + "a", "ab/" * 1_000):
        matches(compiled, path)
    assert time.process_time() - begin < 2


_TEXT = st.text(alphabet="ab*?/[]{},!^-\\.~&|#é ", max_size=14)
_PATHS = st.lists(st.text(alphabet="abé/.-[]{}!^&~|# ", min_size=1, max_size=8), min_size=1)


@given(_TEXT, _PATHS)
def test_the_linear_expression_finds_the_same_paths(pattern: str, paths: list[str]) -> None:
    ripgrep = programs.ripgrep()
    if ripgrep is None:
        pytest.skip("there is no ripgrep")
    try:
        compiled, expression = compile_glob(pattern), linear_glob(pattern)
    except FileError:
        return
    found = subprocess.run(
        [ripgrep, "--no-config", "--null-data", "--line-regexp", f"--regexp={expression}", "-"],
        input="".join(f"{path}\0" for path in paths).encode(),
        capture_output=True,
        check=False,
    )
    assert found.stderr == b""
    expected = [path for path in paths if matches(compiled, path)]
    assert found.stdout.decode().split("\0")[:-1] == expected


@given(_TEXT, st.text(alphabet="abé/.-[]{}!^&~|# ", min_size=1, max_size=8))
def test_a_search_finds_what_the_pattern_of_a_rule_matches(pattern: str, path: str) -> None:
    path = "/".join(part for part in path.split("/") if part not in ("", "."))
    try:
        compiled = compile_glob(pattern)
    except FileError:
        return
    assert matches(compiled, path) == searched_glob(pattern).matches(path)
    with suppress(TooManyAlternatives):
        if not pattern.rstrip("/.").endswith("**") and "{" not in pattern:
            assert matches(compiled, path) == PathGlob.of(pattern).matches(path)


def test_at_the_end_a_search_means_what_is_in_a_folder_and_a_rule_the_folder_too() -> None:
    for pattern in ("d/**", "d/**/**", "{d,e}/**", "{d/**,e}"):
        rule, search = PathGlob.of(pattern), PathGlob.of(pattern, only_inside=True)
        assert [rule.matches("d"), search.matches("d")] == [True, False]
        assert [rule.matches("d/x/y"), search.matches("d/x/y")] == [True, True]
    assert PathGlob.of("**").matches("")
    assert not PathGlob.of("**", only_inside=True).matches("")


RECORDED = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "golden/globs.jsonl").read_text().splitlines()
]


def test_both_mean_what_they_meant_when_each_had_an_implementation_of_its_own() -> None:
    """Recorded from the two, over generated patterns and paths; neither knew what `\\/` is."""
    for one in RECORDED:
        glob = PathGlob.of(one["pattern"])
        assert glob.matches(one["path"]) is one["rule"], one
        assert glob.may_be_below(one["path"]) is one["below"], one
        found: bool | str
        try:
            found = matches(compile_glob(one["pattern"]), one["path"])
        except FileError:
            found = "invalid"
        assert found == one["search"], one


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        (r"\{a,b\}", "{a,b}", True),  # a search took the backslash for a part of the name
        (r"\{a,b\}", r"\a", False),
        ("{a,{b,c}", "{a,b", True),  # as bash; a search took it as it stands
        ("[!]a]x", "bx", True),  # as bash; in a rule the set ended at the first bracket
        ("[!]a]x", "!a]x", False),
        ("[!]", "[!]", True),
        ("x/{a,}/y", "x/y", True),  # a rule wanted a level there
        ("*{a,*}/z", "a/b/z", True),  # a rule saw no `**` that braces make
        ("{a,}{b,}", "a", True),
    ],
)
def test_where_the_two_were_at_odds_a_pattern_means_what_it_means_in_a_shell(
    pattern: str, path: str, expected: bool
) -> None:
    assert PathGlob.of(pattern).matches(path) is expected
    assert matches(compile_glob(pattern), path) is expected


@given(st.text(alphabet="ab]!-*?[", max_size=7), st.text(alphabet="ab]!-[", min_size=1, max_size=5))
def test_sets_are_those_of_fnmatch(pattern: str, name: str) -> None:
    assert PathGlob.of(pattern).matches(name) == fnmatchcase(name, pattern)


def test_one_number_of_alternatives_is_too_many_for_a_rule_and_for_a_search() -> None:
    most = "{" + ",".join(map(str, range(MAX_ALTERNATIVES))) + "}.py"
    assert PathGlob.of(most).matches("255.py")
    assert matches(compile_glob(most), "255.py")
    wider = most.replace("{", "{more,")
    with pytest.raises(TooManyAlternatives):
        PathGlob.of(wider)
    for make in (compile_glob, linear_glob):
        with pytest.raises(FileError, match="too many alternatives") as told:
            make(wider)
        assert told.value.code == "invalid-pattern"


@pytest.mark.parametrize("pattern", ["{,a}" * 6 + "?" * 700, "{,a}" * 7 + "?" * 400])
def test_an_expression_too_long_for_an_argument_is_refused_in_words(pattern: str) -> None:
    with pytest.raises(FileError, match="too many alternatives"):
        linear_glob(pattern)
