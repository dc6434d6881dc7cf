"""Keeps the French catalogue: `python tools/messages.py` adds, drops and compiles messages.

It also writes what pages say of rules (`static/maia/i18n/rules.*.json`), from the same sentences.
Pure Python: neither a developer's machine nor a server needs GNU gettext. The sources are read
as xgettext would read them; the compiled file is committed.
"""

from __future__ import annotations

import ast
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import polib

ROOT = Path(__file__).resolve().parents[1]
CATALOGUE = ROOT / "maia_web/locale/fr/LC_MESSAGES/django.po"
SOURCES = ("maia_web", "workspaces", "agents")
RULE_WORDS = ROOT / "static/maia/i18n"
ONE = {"_", "gettext", "gettext_lazy", "gettext_noop"}
MANY = {"ngettext", "ngettext_lazy"}
IN_CONTEXT = {"pgettext", "pgettext_lazy"}
_STRING = r"""u?(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
_TEMPLATE_CALL = re.compile(rf"\b(gettext|ngettext|_)\(\s*({_STRING})(?:\s*,\s*({_STRING}))?")

_SPACES = re.compile(r"«[ \u00a0]|[ \u00a0](?=[:;?!»])")

Key = tuple[str, str, str]  # context, message, plural


def used() -> dict[Key, set[str]]:
    """Returns every message of the project, and the files it stands in."""
    found: dict[Key, set[str]] = {}
    for path, key in [*_in_python(), *_in_templates()]:
        found.setdefault(key, set()).add(path.relative_to(ROOT).as_posix())
    return found


def update() -> list[str]:
    """Adds new messages, takes the French of `parts/*.po`, drops unused ones and compiles.

    Returns the messages that still lack French.
    """
    catalogue = polib.pofile(str(CATALOGUE)) if CATALOGUE.exists() else polib.POFile()
    catalogue.wrapwidth = 100
    catalogue.metadata = {
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
        "Language": "fr",
        "Plural-Forms": "nplurals=2; plural=(n > 1);",
    }
    known = {_key(entry): entry for entry in catalogue if not entry.obsolete}
    for part in sorted((CATALOGUE.parents[1] / "parts").glob("*.po")):
        known |= {_key(entry): entry for entry in polib.pofile(str(part)) if entry.translated()}
    catalogue.clear()
    for key, places in sorted(used().items(), key=lambda item: (sorted(item[1]), item[0])):
        entry = known.get(key) or _new(key)
        entry.msgstr = typeset(entry.msgstr)
        entry.occurrences = [(place, "") for place in sorted(places)]
        catalogue.append(entry)
    CATALOGUE.parent.mkdir(parents=True, exist_ok=True)
    catalogue.save(str(CATALOGUE))
    catalogue.save_as_mofile(str(CATALOGUE.with_suffix(".mo")))
    return [entry.msgid for entry in catalogue if not entry.translated()]


def typeset(french: str) -> str:
    """Returns the text with typographic apostrophes and thin spaces; `code` stays as it is."""
    return "".join(
        piece if piece.startswith("`") else _SPACES.sub(_thin, piece.replace("'", "’"))
        for piece in re.split(r"(`[^`]*`)", french)
    )


def _thin(spaces: re.Match[str]) -> str:
    return spaces[0].replace(" ", "\u202f").replace("\u00a0", "\u202f")


def _new(key: Key) -> polib.POEntry:
    context, message, plural = key
    entry = polib.POEntry(msgid=message, msgctxt=context or None)
    if plural:
        entry.msgid_plural, entry.msgstr_plural = plural, {0: "", 1: ""}
    if re.search(r"%\(\w+\)", message):
        entry.flags.append("python-format")
    return entry


def _key(entry: polib.POEntry) -> Key:
    return entry.msgctxt or "", entry.msgid, entry.msgid_plural or ""


def _in_python() -> Iterator[tuple[Path, Key]]:
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                key = _called(node)
                if key is not None:
                    yield path, key


def _called(node: ast.AST) -> Key | None:
    if not isinstance(node, ast.Call):
        return None
    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
    texts = [arg.value if isinstance(arg, ast.Constant) else None for arg in node.args[:2]]
    match name, texts:
        case (name, [str(message), *_]) if name in ONE:
            return "", message, ""
        case (name, [str(message), str(plural)]) if name in MANY:
            return "", message, plural
        case (name, [str(context), str(message)]) if name in IN_CONTEXT:
            return context, message, ""
    return None


def _in_templates() -> Iterator[tuple[Path, Key]]:
    from django.utils.translation.template import templatize

    for path in sorted((ROOT / "templates").rglob("*.html")):
        text = templatize(path.read_text(encoding="utf-8"), origin=str(path))
        for call in _TEMPLATE_CALL.finditer(text):
            message = ast.literal_eval(call[2])
            plural = ast.literal_eval(call[3]) if call[1] == "ngettext" and call[3] else ""
            yield path, ("", message, plural)


def rule_words(french: polib.POFile) -> dict[str, dict[str, str]]:
    """Returns for each language why a call is asked and what a rule would cover, by code."""
    from agents.domain.rules.offers import COVERS
    from agents.domain.rules.powers import POWERS
    from agents.domain.rules.verdict import SENTENCES

    english = {f"why.{code}": text for code, text in SENTENCES.items() if code[:5] != "rule-"}
    english |= {f"covers.{code}": text for code, text in COVERS.items() if text}
    english |= {f"powers.{code}": text for code, text in POWERS.items()}
    known = {entry.msgid: entry.msgstr for entry in french}
    return {
        "en": {key: _braced(text) for key, text in english.items()},
        "fr": {key: _braced(known.get(text) or text) for key, text in english.items()},
    }


def _braced(text: str) -> str:
    return re.sub(r"%\((\w+)\)s", r"{\1}", text)


def write_rule_words() -> None:
    """Writes the catalogues of rules for the pages."""
    for language, words in rule_words(polib.pofile(str(CATALOGUE))).items():
        text = json.dumps(words, ensure_ascii=False, indent=1)
        (RULE_WORDS / f"rules.{language}.json").write_text(f"{text}\n", encoding="utf-8")


def main() -> int:
    """Updates the catalogue; returns 1 while something lacks French."""
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "maia_web.settings")
    missing = update()
    write_rule_words()
    for message in missing:
        print(f"no French yet: {message!r}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
