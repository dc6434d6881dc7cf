"""Every class of the style sheets is one that a template, a module or a view can put on an element.

Names made at run time count where their pieces stand: `hue-${hue}` uses `hue-moss` because "moss"
is a string of the browser's own modules, `p${tone}` uses `p1`. A plain string counts where it holds
classes and nothing else: prose does not.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.javascript import Piece, pieces

ROOT = Path(__file__).resolve().parents[2]
SHEETS = sorted((ROOT / "static" / "css").glob("*.css"))
MODULES = sorted((ROOT / "static" / "maia").rglob("*.js"))
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
VIEWS = [
    path
    for folder in ("maia_web", "agents/protocol", "agents/domain/content")
    for path in sorted((ROOT / folder).rglob("*.py"))
]
LIBRARIES = re.compile(r"(hljs|tok|cm|xterm)-|(class|function|inherited)_$")
"""What the libraries in static/vendor/ put on their own elements."""

WORD = re.compile(r"-?[A-Za-z_][\w-]*")
ATTRIBUTE = re.compile(r'class="((?:\{%.*?%\}|\{\{.*?\}\}|[^"])*)"')
TAG = re.compile(r"\{%.*?%\}")


def _classes() -> set[str]:
    names: set[str] = set()
    for sheet in SHEETS:
        text = re.sub(r"/\*.*?\*/", "", sheet.read_text("utf-8"), flags=re.DOTALL)
        for selector in re.findall(r"([^{}]*)\{", re.sub(r'"[^"]*"', "", text)):
            names.update(re.findall(r"\.(-?[A-Za-z_][\w-]*)", selector))
    return names


def _of_templates() -> Iterator[str]:
    for path in TEMPLATES:
        text = path.read_text("utf-8")
        for value in ATTRIBUTE.findall(text) + TAG.findall(text):
            yield from WORD.findall(value)


def _of_views(classes: set[str]) -> Iterator[str]:
    for path in VIEWS:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield from _alone(node.value, classes)


def _alone(text: str, classes: set[str]) -> list[str]:
    """Returns the words of a string that are classes, unless it holds others too."""
    words = text.split()
    return words if classes.issuperset(words) else []


def _attributes(texts: list[Piece]) -> Iterator[Piece]:
    """What stands inside of tags; a value that is put together reaches over several pieces."""
    inside: dict[int, bool] = {}
    for piece in texts:
        if piece.template is None:
            yield piece
            continue
        open_ = inside.get(piece.template, False)
        parts = re.split(r"(<[A-Za-z/]|(?<!=)>)", piece.text)
        for at, part in enumerate(parts):
            if at % 2:
                open_ = part != ">"
            elif open_ or ("<" not in piece.text and ">" not in piece.text):
                last = at == len(parts) - 1
                yield Piece(part, piece.template, goes_on=piece.goes_on and last)
        inside[piece.template] = open_


def _of_modules(classes: set[str]) -> tuple[set[str], set[str], set[str]]:
    """Returns whole names, beginnings that an expression completes, and what may complete them."""
    names: set[str] = set()
    beginnings: set[str] = set()
    ends: set[str] = set()
    for path in MODULES:
        for piece in _attributes(list(pieces(path.read_text("utf-8")))):
            if piece.template is None:
                names.update(_alone(piece.text, classes))
                ends.add(piece.text)
                continue
            names.update(WORD.findall(piece.text))
            if piece.goes_on and (begun := re.search(r"(?:^|[\s\"])([A-Za-z][\w-]*)$", piece.text)):
                beginnings.add(begun[1])
    return names, beginnings, ends


def _unused() -> list[str]:
    classes = _classes()
    names, beginnings, strings = _of_modules(classes)
    used = names | set(_of_templates()) | set(_of_views(classes))

    def is_used(name: str) -> bool:
        ends = [name.removeprefix(each) for each in beginnings if name.startswith(each)]
        return name in used or any(end.isdigit() or end in strings for end in ends if end)

    return sorted(name for name in classes if not LIBRARIES.match(name) and not is_used(name))


def test_every_class_of_the_style_sheets_is_used() -> None:
    assert _unused() == []
