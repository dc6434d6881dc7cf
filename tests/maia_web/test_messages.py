"""The French catalogue says everything, nothing more, and is compiled."""

import re
import string

import polib

from tools import messages

CATALOGUE = polib.pofile(str(messages.CATALOGUE))
_NAMED = re.compile(r"%\(\w+\)[ds]|%[ds]|<[^>]+>|https?://|`[^`]+`|Ctrl\+C")


def test_every_message_of_the_project_is_in_french() -> None:
    known = {messages._key(entry) for entry in CATALOGUE if entry.translated()}
    missing = sorted(set(messages.used()) - known)
    assert not missing, f"run tools/messages.py and write the French of {missing}"


def test_no_message_is_left_over() -> None:
    unused = {messages._key(entry) for entry in CATALOGUE} - set(messages.used())
    assert not unused, f"run tools/messages.py: it drops {sorted(unused)}"


def test_the_compiled_catalogue_is_the_written_one() -> None:
    compiled = polib.mofile(str(messages.CATALOGUE.with_suffix(".mo")))
    assert {(entry.msgid, entry.msgstr) for entry in compiled} == {
        (entry.msgid, entry.msgstr) for entry in CATALOGUE if entry.translated()
    }


def _placeholders(text: str) -> list[str]:
    braces = [name for _text, name, _spec, _how in string.Formatter().parse(text) if name]
    # `!command` and <name> alone are examples of what to type: their words are translated
    kept = re.sub(r"`[!@§][^`]*`|\A[<\[][\w ]+[>\]]\Z", "", text)
    return sorted(_NAMED.findall(kept) + braces)


def test_placeholders_survive_and_french_is_typeset() -> None:
    for entry in CATALOGUE.translated_entries():
        said, french = entry.msgid_plural or entry.msgid, entry.msgstr_plural.get(1, entry.msgstr)
        assert _placeholders(said) == _placeholders(french), entry.msgid
        plain = re.sub(r"`[^`]*`", "", french).replace("\u202f", "~")
        assert "'" not in plain, f"the apostrophe is ’: {plain}"
        assert not re.search(r"\w ?[!?;»]| :|« ", plain), f"thin spaces, please: {plain}"


def test_french_is_typeset_by_the_tool() -> None:
    assert messages.typeset("l'un : « a » ; `x : 'y'`") == (
        "l’un\u202f: «\u202fa\u202f»\u202f; `x : 'y'`"
    )
