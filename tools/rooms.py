"""Writes the README of the rooms where many files lie: one line a file, its own first line.

`python tools/rooms.py` writes them, `python tools/rooms.py --check` says which are not true.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROOMS = (
    "agents/delivery",
    "agents/domain/rules",
    "agents/domain/shell",
    "agents/engine",
    "workspaces/sandboxes",
)


def page(room: Path) -> str:
    """Returns the README of a folder: what the room is for, then each file and inner room."""
    head, _, rest = _docstring(room / "__init__.py").partition("\n")
    name = room.relative_to(ROOT).as_posix()
    rows = "\n".join(f"| `{file}` | {first} |" for file, first in _files(room))
    told = f"{head}\n{rest.rstrip()}".rstrip()
    return f"# `{name}`\n\n{told}\n\n| file | what it is for |\n| --- | --- |\n{rows}\n"


def _files(room: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(room.iterdir()):
        inner = path / "__init__.py"
        if inner.is_file():
            yield f"{path.name}/", _first(inner)
        elif path.suffix == ".py" and path.name != "__init__.py":
            yield path.name, _first(path)


def _first(path: Path) -> str:
    return _docstring(path).partition("\n\n")[0].replace("\n", " ").replace("|", "\\|")


def _docstring(path: Path) -> str:
    return ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""


def main() -> int:
    """Returns the exit status: whether all are true (now)."""
    wrong = [name for name in ROOMS if _text(ROOT / name) != page(ROOT / name)]
    if "--check" in sys.argv:
        for name in wrong:
            sys.stderr.write(f"{name}/README.md is not true: run python tools/rooms.py\n")
        return 1 if wrong else 0
    for name in wrong:
        (ROOT / name / "README.md").write_text(page(ROOT / name), "utf-8")
    return 0


def _text(room: Path) -> str:
    readme = room / "README.md"
    return readme.read_text("utf-8") if readme.is_file() else ""


if __name__ == "__main__":
    sys.exit(main())
