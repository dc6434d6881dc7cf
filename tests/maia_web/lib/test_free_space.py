"""Room is looked at before it is needed: people and agents stop before the disk is full."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.utils import translation
from pytest_django import Settings

from maia_web.lib import free_space

MORE_THAN_ANY = 1_000_000_000


def test_there_is_room_or_a_sentence_says_how_much(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.FREE_MB = 0
    assert free_space.shortage(tmp_path) == ""
    assert free_space.shortage(tmp_path / "not" / "yet") == ""
    wanted = free_space.free_bytes(tmp_path) + 1024 * free_space.MB
    assert "This needs" in free_space.shortage(tmp_path, wanted)
    settings.FREE_MB = MORE_THAN_ANY
    assert "MAIA_FREE_MB" in free_space.shortage(tmp_path)
    with translation.override("fr"):
        assert "Supprimez" in free_space.shortage(tmp_path)
    free_space.check_start(tmp_path)
    monkeypatch.setattr(free_space, "LEAST_MB", MORE_THAN_ANY)
    with pytest.raises(free_space.NoRoom, match="MAIA_DATA"):
        free_space.check_start(tmp_path)
