"""What `python -m bench` is asked on its command line."""

from __future__ import annotations

import pytest

from bench.__main__ import GROUPS, asked


def test_without_a_group_all_are_measured() -> None:
    assert asked([]).groups == GROUPS


def test_named_groups_and_rounds_are_taken_as_given() -> None:
    options = asked(["idle", "search", "--rounds", "2"])
    assert (options.groups, options.rounds) == (("idle", "search"), 2)


def test_an_unknown_group_is_refused_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        asked(["speed"])
    assert "no group is called 'speed'" in capsys.readouterr().err


def test_peers_are_measured_where_they_are_asked_for_besides_all_others() -> None:
    assert "peers" not in asked([]).groups
    assert asked(["--peers"]).groups == (*GROUPS, "peers")
    assert asked(["peers"]).groups == ("peers",)
