"""The table of programs: every line is well formed and has a source."""

from __future__ import annotations

from typing import get_args

import pytest

from agents.domain.bash import read_script
from agents.domain.programs import Kind, Operands, Style, known, table
from agents.domain.shell_wrappers import inner_of


def test_every_line_says_what_is_known_and_where_from() -> None:
    assert len(table()) > 1_000
    for name, line in table().items():
        assert line.source.strip(), name
        assert line.kind in get_args(Kind), name
        assert line.style in get_args(Style), name
        assert line.operands in get_args(Operands), name
        assert line.reader in ("", "always", "awk", "printf", "sed", "test", "tmux"), name


def test_what_only_reads_names_no_option_that_does_more() -> None:
    for name, line in table().items():
        if line.kind == "reads":
            assert not line.is_guarded, name
            assert not line.outputs | line.folders, name
            assert line.operands == "none", name


def test_what_starts_its_arguments_is_a_wrapper_and_has_no_line() -> None:
    for name, line in table().items():
        words = read_script(f"{name} x y").commands[0].words
        assert line.kind != "anything" or inner_of(words) is None, name


def test_an_option_has_one_meaning() -> None:
    for name, line in table().items():
        assert not line.asks & line.flags, name
        assert not (line.runs - line.plain) & line.takes, name
        assert not line.takes & line.flags, name


@pytest.mark.parametrize(
    ("words", "asks"),
    [(["git", "bundle", "verify"], False), (["git", "bundle", "create"], True),
     (["git", "status"], False), (["sort"], True), (["cat"], False)],
)  # fmt: skip
def test_the_longest_line_that_fits_is_found(words: list[str], asks: bool) -> None:
    line = known(words)
    assert line is not None
    assert bool(line.reader or "-o" in line.asks) is asks


def test_a_program_without_a_line_is_unknown() -> None:
    assert known(["no-such-program"]) is None
    assert known([]) is None


def test_a_verb_has_what_git_has() -> None:
    base, verb = known(["git"]), known(["git", "show"])
    assert base is not None
    assert verb is not None
    assert "--output" in verb.asks & base.asks
