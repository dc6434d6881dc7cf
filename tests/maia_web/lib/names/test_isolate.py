"""Isolate: names from right to left in sentences."""

from __future__ import annotations

import pytest

from maia_web.lib.names.isolate import isolated, isolated_list


@pytest.mark.parametrize("name", ["", "plain", "Équipe", "設計", "🙂!", "10 %"])
def test_other_names_stay_as_they_are(name: str) -> None:
    assert isolated(name) == name


def test_only_names_from_right_to_left_are_set_apart() -> None:
    assert isolated("مشروع!") == "\u2068مشروع!\u2069"
    assert isolated("x (שלום)") == "\u2068x (שלום)\u2069"
    assert isolated_list(["one", "أ", "ב"]) == "one, \u2068أ\u2069, \u2068ב\u2069"
