"""Every sentence fills in, names what to do, and has its French."""

from __future__ import annotations

import re
from pathlib import Path

import polib
import pytest

from agents.providers.sentences import _SENTENCES, sentence

DATA = {
    "url": "http://h:1",
    "seconds": 3,
    "model": "m",
    "status": 500,
    "field": "stream_options",
    "reason": "No.",
}
LOCALE = Path(__file__).parents[3] / "maia_web" / "locale" / "fr"


@pytest.fixture(scope="module")
def french() -> dict[str, str]:
    files = [*LOCALE.rglob("*.po")]
    return {entry.msgid: entry.msgstr for file in files for entry in polib.pofile(str(file))}


@pytest.mark.parametrize("name", _SENTENCES)
def test_a_sentence_fills_in_and_has_its_french(name: str, french: dict[str, str]) -> None:
    said = sentence(name, **DATA)
    assert "{" not in said
    assert len(re.findall(r"[.] |[.]$", said)) >= 2
    written = _SENTENCES[name]
    assert set(re.findall(r"\{\w+\}", french[written])) == set(re.findall(r"\{\w+\}", written))
