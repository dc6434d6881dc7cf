"""Which allow rules say that a program of theirs can run others."""

from __future__ import annotations

import pytest

from agents.domain.rules.powers import EVERY, powers, powers_sentence
from agents.domain.shell.programs import table


@pytest.mark.parametrize(
    ("rule", "names"),
    [
        ("Bash", (EVERY,)),
        ("Bash(*)", (EVERY,)),
        ("Bash(* --help)", (EVERY,)),
        ("Bash(ls*)", ("ls*",)),
        ("Bash(make *)", ("make",)),
        ("Bash(make test)", ("make",)),
        ("Bash(no-such-program *)", ("no-such-program",)),
        ("Bash(/usr/bin/python3 *)", ("/usr/bin/python3",)),
        ("Bash(./ls *)", ("./ls",)),
        ("Bash(/bin/ls *)", ()),
        ("Bash(ls && make)", ("make",)),
        ("Bash(sudo make all)", ("make",)),
        ("Bash(bash -c 'ls; node x.js')", ("node",)),
        ("Bash(sudo *)", ()),
        ("Bash(tmux *)", ("tmux",)),
        ("Bash(vim *)", ("vim",)),
        ("Bash(git *)", ()),
        ("Bash(git log *)", ()),
        ("Bash(git lfs *)", ("git lfs",)),
        ("Bash(docker *)", ("docker",)),
        ("Bash(docker ps *)", ()),
        ("Bash(sort *)", ()),
        ("Bash(export *)", ()),
        ("Bash(. x)", (".",)),
        ("Bash('x)", ("'x",)),
        ("Bash(a", ()),
        ("Read(**)", ()),
        ("TodoWrite", ()),
    ],
)
def test_what_can_run_other_programs_is_named(rule: str, names: tuple[str, ...]) -> None:
    assert powers([rule]) == names


def test_every_program_of_the_table_is_named_only_if_nobody_knows_what_it_does() -> None:
    for name, line in table().items():
        expected = (name,) if line.kind == "anything" else ()
        assert powers([f"Bash({name} *)"]) in (expected, ()), name
        assert " " in name or powers([f"Bash({name} *)"]) == expected, name


def test_the_sentence_is_about_one_or_many_or_all() -> None:
    assert powers_sentence(()) == ""
    assert powers_sentence(("make",)).startswith("make can run other programs: this allows")
    assert powers_sentence(("make", "node")).startswith("make, node can run other programs")
    assert powers_sentence((EVERY,)).startswith("This allows every program")
