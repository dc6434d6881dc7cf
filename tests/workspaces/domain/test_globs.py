"""File name patterns match as in a shell, and in linear time."""

from __future__ import annotations

import subprocess
import time
from contextlib import suppress
from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workspaces.domain.entries import FileError
from workspaces.domain.globs import compile_glob, linear_glob, matches
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
def test_patterns(pattern, path, expected):
    assert matches(compile_glob(pattern), path) is expected


@given(st.text(alphabet="ab*?/[]{},!^-\\.~&|", max_size=14), st.text(alphabet="ab/.", max_size=10))
def test_any_pattern_compiles_or_is_refused(pattern, path):
    with suppress(FileError):
        matches(compile_glob(pattern), path)


@given(st.text(alphabet="ab*?.", min_size=1, max_size=6), st.text(alphabet="ab.", min_size=1))
def test_one_segment_matches_as_in_pathlib(pattern, name):
    if set(pattern) <= {"*"} or pattern in {".", ".."} or name in {".", ".."}:
        return
    assert matches(compile_glob(pattern), name) == PurePosixPath(f"/{name}").match(f"/{pattern}")


@pytest.mark.parametrize(
    "pattern", ["*a" * 200 + "b", "**/" * 200 + "b", "**/*a*" * 60 + "b", "{a,b}" * 60]
)
def test_hostile_patterns_stay_fast(pattern):
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
def test_the_linear_expression_finds_the_same_paths(pattern, paths):
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
