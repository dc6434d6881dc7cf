"""How the result of a person's command is told."""

from __future__ import annotations

import pytest

from agents.domain.typed.user_commands import (
    PREVIEW,
    heard_result,
    interrupted,
    shown_result,
    succeeded,
)
from workspaces.domain.commands import CommandResult


@pytest.mark.parametrize(
    ("result", "english", "french"),
    [
        (CommandResult("hi\n", "exited", 0), "hi\n[exit code: 0]", "hi\n[code de sortie : 0]"),
        (CommandResult("", "exited", 3), "(no output)\n[exit code: 3]", "(aucune sortie)\n[code"),
        (CommandResult("", "exited", -9), "(no output)\n[ended by signal 9]", "(aucune"),
        (CommandResult("a", "timeout"), "a\n[time limit exceeded (120 s)]", "a\n[délai dépassé"),
        (CommandResult("", "cancelled"), "[stopped]", "[interrompu]"),
        (
            CommandResult("", "not-started", error="no sandbox"),
            "no sandbox\n[the command could not be started]",
            "no sandbox\n[échec du lancement",
        ),
    ],
)
def test_each_ending_has_its_sentence(result: CommandResult, english: str, french: str) -> None:
    assert shown_result(result, "en", PREVIEW) == english
    assert shown_result(result, "fr", PREVIEW).startswith(french)


def test_only_exit_code_0_is_success() -> None:
    assert succeeded(CommandResult("", "exited", 0))
    assert not succeeded(CommandResult("", "exited", 1))
    assert not succeeded(CommandResult("", "timeout"))


def test_of_a_long_output_beginning_and_end_are_shown() -> None:
    result = CommandResult("a" * 5_000 + "b" * 5_000, "exited", 0, dropped=7)
    shown = shown_result(result, "en", PREVIEW)

    assert len(shown) < PREVIEW + 200
    assert shown.startswith("aaa")
    assert "[… 7 characters left out …]" in shown
    assert shown.endswith("[exit code: 0]")


def test_agents_hear_what_a_terminal_would_show() -> None:
    result = CommandResult("10%\r\x1b[32m100%\x1b[0m\n", "exited", 0)
    assert heard_result(result, "en") == "100%\n[exit code: 0]"
    assert "\x1b[32m" in shown_result(result, "en", PREVIEW)


def test_what_a_dead_server_leaves_keeps_its_output() -> None:
    assert interrupted("half\n", "en").startswith("half\n[interrupted:")
