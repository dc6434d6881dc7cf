"""What is written down is complete and true to the tree."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OPEN_ENDS = re.compile(r"(#|//|/\*|<!--).*\b(TODO|FIXME|XXX|HACK)\b")
CODE = {".py", ".js", ".css", ".html", ".sh", ".md", ".toml"}
NOT_OURS = re.compile(r"(^|/)(static/vendor|static/fonts|vendor/node_modules)/|uv\.lock$")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
PARTS = ("## Context", "## Decision", "## Rejected", "## Consequences")


def _files() -> list[Path]:
    """Returns what git keeps or is about to keep."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    paths = [ROOT / name for name in listed if not NOT_OURS.search(name)]
    return [path for path in paths if path.suffix in CODE and path.is_file()]


def test_nothing_is_left_for_later_in_the_code() -> None:
    left = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in _files()
        if path != Path(__file__)
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if OPEN_ENDS.search(line)
    ]
    assert left == []


def test_every_module_says_what_it_is_for() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in _files()
        if path.suffix == ".py"
        and "migrations" not in path.parts
        and path.read_text("utf-8").strip()
        and not path.read_text("utf-8").lstrip().startswith(('"""', "#!"))
    ]
    assert silent == []


def _decisions() -> list[Path]:
    return sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))


def test_every_decision_is_in_the_index_and_numbered_once() -> None:
    index = (ROOT / "docs" / "decisions" / "README.md").read_text("utf-8")
    assert [path.name for path in _decisions() if f"({path.name})" not in index] == []
    numbers = [path.name[:4] for path in _decisions()]
    assert len(numbers) == len(set(numbers))


@pytest.mark.parametrize("path", _decisions(), ids=lambda path: path.name)
def test_a_decision_has_its_four_parts_on_one_screen(path: Path) -> None:
    text = path.read_text("utf-8")
    assert [part for part in PARTS if part not in text] == []
    assert len(text.splitlines()) <= 60


def test_links_between_documents_lead_somewhere() -> None:
    broken = []
    for path in _files():
        if path.suffix != ".md":
            continue
        for target in LINK.findall(path.read_text("utf-8")):
            address = target.partition("#")[0]
            if not address or "://" in address or address.startswith("mailto:"):
                continue
            if not (path.parent / address).exists():
                broken.append(f"{path.relative_to(ROOT)} -> {target}")
    assert broken == []


NAMED = re.compile(r"`([\w./]+\.(?:py|toml|js|sh))[:`]")
OF_PEOPLE = {"record.py", "server.js", "run.sh", "pyproject.toml"}
"""What examples name."""


def test_every_file_that_is_named_is_there() -> None:
    there = [path.relative_to(ROOT).as_posix() for path in _files()]
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    gone = [
        f"{page.relative_to(ROOT)}: {name}"
        for page in pages
        for name in NAMED.findall(page.read_text("utf-8"))
        if name not in OF_PEOPLE and not any(f"/{one}".endswith(f"/{name}") for one in there)
    ]
    assert gone == []
