"""Rules of the browser's own modules that no linter knows."""

from __future__ import annotations

import re
from pathlib import Path

from maia_web.templatetags.sheets import SHEETS

ROOT = Path(__file__).resolve().parents[2]
STATIC = ROOT / "static" / "maia"
RELATIVE = re.compile(r"""\bimport\b[^;]*?["'](\.{1,2}/[^"']+)["']""")
INLINE = re.compile(r"""\sstyle=["'$]|\son[a-z]+=["']|styleMap|\beval\(|new Function\(""")
COLOUR = re.compile(r"^(?!.*\bmask\b).*(#[0-9a-fA-F]{3,8}\b|\brgba?\()")


def _found(pattern: re.Pattern[str], paths: list[Path]) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in paths
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if pattern.search(line)
    ]


def test_own_modules_are_imported_by_name_only() -> None:
    assert _found(RELATIVE, sorted(STATIC.rglob("*.js"))) == []


def test_nothing_needs_an_inline_style_or_script() -> None:
    templates = sorted((ROOT / "templates").rglob("*.html"))
    assert _found(INLINE, [*sorted(STATIC.rglob("*.js")), *templates]) == []


def test_raw_colours_stand_in_the_tokens_only() -> None:
    sheets = sorted((ROOT / "static" / "css").glob("*.css"))
    others = [path for path in sheets if path.name != "tokens.css"]
    assert _found(COLOUR, others) == []


def test_style_sheets_are_listed_once_and_each_is_on_some_page() -> None:
    templates = sorted((ROOT / "templates").rglob("*.html"))
    assert _found(re.compile(r"""rel=["']?stylesheet|\.css\b"""), templates) == []
    listed = {sheet for sheets in SHEETS.values() for sheet in sheets}
    ours = {f"css/{path.name}" for path in (ROOT / "static" / "css").glob("*.css")}
    assert {sheet for sheet in listed if sheet.startswith("css/")} == ours
    assert all((ROOT / "static" / sheet).is_file() for sheet in listed)
