"""What a person types after `!` (seed M §11.2)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.typed.shell_input import (
    ShellInput,
    UnclosedQuote,
    parse_shell,
    print_quoted,
    quote_shell,
    read_quoted,
)


@pytest.mark.parametrize(
    ("typed", "command"),
    [
        ("!ls -la", "ls -la"),
        ("!'ls -la'", "ls -la"),
        ("!'ls' -la src", "ls -la src"),
        (r"""!'echo "l\'ami"'""", """echo "l'ami\""""),
        ("  !  ls", "ls"),
        ("!echo 'a b'", "echo 'a b'"),
        ("!", ""),
        ("!  ", ""),
        ("!echo one\necho two", "echo one\necho two"),
    ],
)
def test_the_table_of_quotes(typed: str, command: str) -> None:
    assert parse_shell(typed) == ShellInput(command)


def test_a_quote_that_never_closes_is_an_error() -> None:
    with pytest.raises(UnclosedQuote):
        parse_shell("!'ls -la")


@given(st.text(alphabet=st.characters(exclude_characters="!")))
def test_without_the_sign_in_front_it_is_no_command(text: str) -> None:
    assert parse_shell(text) is None


COMMANDS = st.text(alphabet=st.characters(exclude_categories=["Cs"])).map(str.strip)


@given(COMMANDS.filter(lambda text: not text.endswith("\\")))
def test_a_printed_command_is_read_as_itself(command: str) -> None:
    assert parse_shell(quote_shell(command)) == ShellInput(command)


@given(st.text().filter(lambda text: not text.endswith("\\")), st.text())
def test_a_printed_quote_is_read_to_its_end(text: str, rest: str) -> None:
    quoted = print_quoted(text)

    assert read_quoted(quoted + rest, 0) == (text, len(quoted))
