"""The team's skills: every person's commands and agents read them at one path, nobody writes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from pytest_django.fixtures import Settings

from maia_web.lib.ids import new_id
from workspaces.domain.commands import Run
from workspaces.domain.entries import FileError
from workspaces.domain.places import Place
from workspaces.files.local import LocalFiles
from workspaces.sandboxes.base import open_sandbox, probed
from workspaces.sandboxes.folders import team_skills
from workspaces.sandboxes.local import UnconfinedSandbox

INSIDE = "/opt/skills/count/count.sh"
NAME = "count"


@pytest.fixture
def skill() -> Iterator[Path]:
    library = settings.DATA / "library"
    folder = library / "skills" / NAME
    folder.mkdir(parents=True)
    (folder / "count.sh").write_text('echo "$#"\n')
    yield folder
    library.chmod(0o755)
    shutil.rmtree(folder)


@pytest.fixture
def place() -> Place:
    return Place(new_id(), 985_001, 985_001)


async def run(place: Place, script: str) -> str:
    command = Run(("bash", "-c", script), timeout=20, max_output=2_000)
    result = await open_sandbox(place).run(command)
    assert result.status == "exited", result.error
    return result.output


async def test_a_skill_can_refer_to_its_scripts(skill: Path, place: Place) -> None:
    found = await probed()
    if found.bwrap is None:
        pytest.skip(found.problem)
    assert await run(place, f"bash {INSIDE} a b") == "2\n"
    assert "Read-only" in await run(place, f"echo x 2>&1 > {INSIDE}")
    assert "ok" in await run(place, "rm -rf /opt/skills/count 2>/dev/null || echo ok")
    assert (skill / "count.sh").exists()


async def test_a_folder_that_only_root_enters_stops_no_command(skill: Path, place: Place) -> None:
    found = await probed()
    if found.bwrap is None:
        pytest.skip(found.problem)
    skill.parent.parent.chmod(0o700)
    assert "fine" in await run(place, f"cat {INSIDE} 2>&1; echo fine")


def test_files_are_read_and_never_written(skill: Path, place: Place) -> None:
    files = LocalFiles(place)
    assert files.read(INSIDE).text == 'echo "$#"\n'
    assert [one.path for one in files.entries("/opt/skills/count")] == [INSIDE]
    attempts = (
        lambda: files.write(INSIDE, "x"),
        lambda: files.create("/opt/skills/count", "new"),
        lambda: files.remove(INSIDE),
        lambda: files.attach("a.txt", [b"x"], "/opt/skills/count"),
    )
    for attempt in attempts:
        with pytest.raises(FileError) as refused:
            attempt()
        assert refused.value.code == "denied"
    with pytest.raises(FileError) as outside:
        files.read("/opt/skills/../../etc/passwd")
    assert outside.value.code == "outside"
    assert [one.name for one in skill.iterdir()] == ["count.sh"]


def test_without_a_library_nothing_is_there(
    place: Place, settings: Settings, tmp_path: Path
) -> None:
    settings.DATA = tmp_path
    assert team_skills() is None
    with pytest.raises(FileError) as missing:
        LocalFiles(place).read(INSIDE)
    assert missing.value.code == "not-found"


async def test_without_a_sandbox_variables_name_the_real_folders(place: Place) -> None:
    env = {
        "MAIA_CWD": "/workspace",
        "MAIA_TOOL_DIR": "/home/agent/.maia/tools/t",
        "OTHER": "/workspaces",
    }
    LocalFiles(place).write("~/.maia/tools/t/x", "here\n")
    script = 'cd "$MAIA_CWD" && pwd; cat "$MAIA_TOOL_DIR/x"; echo "$OTHER"'
    command = Run(("bash", "-c", script), timeout=20, max_output=2_000, env=env)
    result = await UnconfinedSandbox(place).run(command)
    workspace = settings.DATA / "workspaces" / place.workspace
    assert result.output == f"{workspace}\nhere\n/workspaces\n", result
