"""The table of cases `paths.jsonl`: what each file operation does with each kind of path."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from workspaces.domain.entries import FileError
from workspaces.domain.places import Place
from workspaces.files import open_files
from workspaces.files.store import WorkspaceFiles

_CASES = [
    json.loads(line) for line in Path(__file__).with_name("paths.jsonl").read_text().splitlines()
]


@pytest.fixture
def scene(
    tmp_path: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], int]]:
    """`$WS` and `$OUT` as siblings; the workspace itself stays where its sandbox expects it."""
    out = workspace.parent / "out"
    sibling = workspace.parent / f"{workspace.name}2"

    def bash(line: str) -> int:
        line = line.replace("${WS}2", str(sibling))
        environment = {**os.environ, "WS": str(workspace), "OUT": str(out)}
        return subprocess.run(["bash", "-c", line], env=environment, check=False).returncode

    yield bash
    shutil.rmtree(out, ignore_errors=True)
    shutil.rmtree(sibling, ignore_errors=True)


def _long(text: str) -> str:
    match = re.fullmatch(r"@(.)(\d+)", text, re.DOTALL)
    return match[1] * int(match[2]) if match else text


async def _operate(files: WorkspaceFiles, case: dict[str, Any], path: str, version: str) -> Any:  # noqa: PLR0911
    local = files.local
    match case["op"]:
        case "read":
            return local.read(path).text
        case "save":
            return local.write(path, case["content"], version or None).version
        case "list":
            return [entry.name for entry in local.entries(path)]
        case "create":
            return local.create(path, _long(case["name"]))
        case "delete":
            return local.remove(path)
        case "image":
            return local.image(path)
        case "glob":
            return sorted(one.path for one in await files.find(case["pattern"], path, limit=100))
        case "grep":
            arguments = ("--hidden", "-e", case["pattern"])
            return await files.search(arguments, path, max_output=10_000)
    raise AssertionError(case["op"])


@pytest.mark.parametrize("case", _CASES, ids=[case["id"] for case in _CASES])
async def test_case(
    case: dict[str, Any],
    place: Place,
    scene: Callable[[str], int],
    request: pytest.FixtureRequest,
) -> None:
    if case["op"] in {"glob", "grep"}:
        await request.getfixturevalue("sandbox_needed")()
    for line in case["setup"]:
        assert scene(line) == 0
    files = open_files(place)
    path = _long(case["path"])
    version = case.get("version", "")
    if version == "CURRENT":
        version = files.local.read(path).version
    for line in case.get("between", []):
        assert scene(line) == 0
    before = time.process_time()
    try:
        answer = await _operate(files, case, path, version)
        got = "ok"
    except FileError as error:
        answer = error.code
        got = "conflict" if error.code == "conflict" else "refused"
    elapsed = (time.process_time() - before) * 1_000
    assert got in {case["expect"], *case.get("also_ok", [])}, answer
    if got == "ok" and "names" in case:
        assert answer == case["names"]
    if got == "ok" and "content" in case and case["op"] in {"read", "image", "grep"}:
        assert answer == case["content"]
    assert elapsed < case.get("max_ms", 10_000)
    for line in case.get("after", []):
        assert scene(line) == 0, line
