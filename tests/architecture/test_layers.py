"""The layers of the code (pyproject.toml, [tool.importlinter]) hold."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_import_contract_is_kept() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


MOST_SIDE_BY_SIDE = 24
PRODUCT = ("agents", "maia_web", "workspaces", "static/maia", "bench", "tools")


def test_no_room_is_crowded() -> None:
    folders = {path.parent for top in PRODUCT for path in (ROOT / top).rglob("*.[pj][ys]")}
    crowded = {
        str(folder.relative_to(ROOT)): many
        for folder in folders
        if (many := len([*folder.glob("*.py"), *folder.glob("*.js")])) > MOST_SIDE_BY_SIDE
        and folder.name != "migrations"
    }
    assert crowded == {}


PARTS_OF_THE_READER = re.compile(
    r"\b(parse_slash|parse_shell|parse_references|mentions_in|without_mentions)\b"
)


def test_one_module_reads_what_is_typed() -> None:
    readers = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "agents").rglob("*.py")
        if path.parent.name != "typed" or "domain" not in path.parts
        if PARTS_OF_THE_READER.search(path.read_text())
    }
    assert readers == set()
