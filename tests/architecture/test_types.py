"""One strict run of mypy reads all Python there is (make check); what it may not judge says why."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MYPY = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]
EXCUSED = re.compile(r"# type: ignore\[[a-z-]+(, ?[a-z-]+)*\]  # \w")


@pytest.mark.promise("I9.4-types")
def test_every_folder_of_python_is_checked_and_strictly() -> None:
    folders = {one.parent.name for one in ROOT.glob("[!.]*/*.py")}
    assert folders == set(MYPY["packages"])
    assert MYPY["strict"] is True
    unread = [one["module"] for one in MYPY["overrides"] if one.get("ignore_errors")]
    assert unread == [["*.migrations.*"]]


@pytest.mark.promise("I9.4-types")
@pytest.mark.parametrize("folder", ["tests", "bench", "tools"])
def test_what_is_not_judged_says_why(folder: str) -> None:
    for file in (ROOT / folder).rglob("*.py"):
        for line in file.read_text().splitlines():
            if "type: " + "ignore" in line and file != Path(__file__):
                assert EXCUSED.search(line), f"{file}: {line.strip()}"
