"""Folding: one name however it is spelled, another one where a letter is another."""

from __future__ import annotations

from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maia_web.lib.names.folding import GROWTH, fold, is_printable


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Release", "RELEASE"),
        ("Équipe", "équipe"),
        ("été", normalize("NFD", "ÉTÉ")),
        ("straße", "STRASSE"),
        ("straße", "STRAẞE"),
        ("ΟΔΟΣ", "οδος"),
        ("ΟΔΟΣ", "οδοσ"),
        ("Ёлка", "ёлка"),
        ("ﬁle", "FILE"),
        ("각", normalize("NFD", "각")),
        ("می\u200cخواهم", "میخواهم"),
        ("設計\u3000メモ", "設計 メモ"),
        ("10\u202fh", "10 h"),
        ("ǰ", "J\u030c"),
        ("ᾳ\u0304", "α\u0304\u0345"),
    ],
)
def test_spellings_of_one_name_are_one(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("été", "ete"),
        ("istanbul", "İstanbul"),
        ("ısı", "isi"),
        ("ﻛ", "ك"),
        ("２", "2"),
        ("a b", "ab"),
        ("ё", "е"),
    ],
)
def test_other_letters_are_other_names(one: str, other: str) -> None:
    assert fold(one) != fold(other)


@given(st.text(max_size=60))
def test_folding_is_the_same_for_every_composition_and_done_once(text: str) -> None:
    folded = fold(text)
    assert fold(folded) == folded
    assert fold(normalize("NFD", text)) == folded
    assert fold(normalize("NFC", text)) == folded
    assert fold(text.casefold()) == folded
    assert len(folded) <= GROWTH * len(text)


@pytest.mark.parametrize(
    "name",
    [
        "Équipe",
        "می\u200cخواهم",
        "設計\u3000メモ",
        "👩\u200d💻",
        "חֶבְרָה",
        "İstanbul",
        "équipe 🩷",
        "\U0001fae8",
        "\U0001fbf5",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    ],
)
def test_names_of_every_script_are_printable(name: str) -> None:
    assert is_printable(name)


@pytest.mark.parametrize(
    "sign",
    [
        "\n",
        "\x00",
        "\x7f",
        "\u202e",
        "\u2066",
        "\u200f",
        "\u2028",
        "\ufeff",
        "\u200b",
        "\U000e0041",
        "\ud800",
    ],
)
def test_signs_that_control_are_not(sign: str) -> None:
    assert not is_printable(f"a{sign}b")
