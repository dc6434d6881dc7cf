"""A workspace's `.maia/settings.json` holds rules: people change it, no agent's command does."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from agents.library.rule_files import workspace_rules
from workspaces.domain.commands import CommandResult, Run
from workspaces.domain.entries import FileError
from workspaces.domain.places import Place
from workspaces.files.local import LocalFiles
from workspaces.sandboxes import open_sandbox
from workspaces.sandboxes.rules_folder import MOST_FOLDERS

pytestmark = pytest.mark.usefixtures("sandboxed")
RULES = ".maia/settings.json"
SAVED = '{"permissions": {"deny": ["Read(.env)"]}}'


async def ran(
    place: Place, script: str, *, own: bool = False, began: asyncio.Event | None = None
) -> CommandResult:
    def on_output(_text: str) -> None:
        if began is not None:
            began.set()

    command = Run(("bash", "-c", script), timeout=60, max_output=9_999)
    return await open_sandbox(place, own=own).run(command, on_output)


def rules(workspace: Path) -> str | None:
    path = workspace / RULES
    assert not (workspace / ".maia").is_symlink()
    return path.read_text() if path.exists() else None


ATTACKS = (
    "echo evil > .maia/settings.json",
    "mkdir -p .maia; echo evil >> /workspace/.maia/settings.json",
    "rm -f .maia/settings.json; cp /etc/passwd .maia/settings.json",
    "echo evil > e; mv -f e .maia/settings.json; ln -f e .maia/settings.json",
    "mv .maia x; mkdir .maia; echo evil > .maia/settings.json",
    "rm -rf .maia; mkdir .maia; echo evil > .maia/settings.json",
    "rmdir .maia; ln -s x .maia; mkdir x; echo evil > x/settings.json",
    "mkdir x; echo evil > x/settings.json; mv -T x .maia; ln -sfn x .maia",
    "perl -e 'rename \".maia\", \"x\"'; mkdir -p .maia; echo evil > .maia/settings.json",
    "ln -s .maia soft; echo evil > soft/settings.json; ln -s .maia/settings.json y; echo evil > y",
    "ln .maia/settings.json hard; echo evil > hard",
    "cd .maia && echo evil > settings.json; cd /proc/self/cwd; echo evil > settings.json",
    "echo evil > /proc/self/root/workspace/.maia/settings.json",
    "mount -o remount,rw .maia; umount -l /workspace/.maia; echo evil > .maia/settings.json",
    "chmod 777 .maia .maia/settings.json; sed -i s/deny/allow/ .maia/settings.json; "
    "truncate -s 0 .maia/settings.json; : > .maia/settings.json",
    "mkdir .maia/skills/x; ln -s ../settings.json .maia/skills/y; echo evil > .maia/skills/y",
    "mv .maia/skills .maia/settings.json; mv .maia/skills x; ln -s /workspace .maia/skills",
    "git init -q . && printf x > .git/info/exclude; echo evil > .maia/settings.json",
)  # fmt: skip


@pytest.mark.parametrize("attack", ATTACKS)
async def test_an_agents_command_does_not_write_it(
    place: Place, workspace: Path, attack: str
) -> None:
    LocalFiles(place).write(RULES, SAVED)
    (workspace / ".maia/skills").mkdir()
    await ran(place, attack)
    assert rules(workspace) == SAVED
    assert (workspace / ".maia/skills").is_dir()
    assert not (workspace / ".maia/skills").is_symlink()


@pytest.mark.parametrize("attack", ATTACKS)
async def test_nor_does_it_make_one(place: Place, workspace: Path, attack: str) -> None:
    await ran(place, attack)
    assert rules(workspace) is None
    assert (workspace / ".maia").is_dir()


@asynccontextmanager
async def waiting(place: Place, workspace: Path, script: str) -> AsyncIterator[None]:
    """Keeps an agent's command waiting, which then goes on with `script`."""
    began = asyncio.Event()
    wait = "echo here; until [ -e go ]; do read -t 0.02 <> <(:); done; "
    running = asyncio.create_task(ran(place, wait + script, began=began))
    async with asyncio.timeout(60):
        await began.wait()
    yield
    (workspace / "go").touch()
    await running


@pytest.mark.parametrize(
    "change",
    [
        f"echo '{SAVED}' > .maia/new; mv .maia/new .maia/settings.json",
        f"rm -f .maia/settings.json; printf %s '{SAVED}' > .maia/settings.json",
        f"mv .maia x; mkdir -p .maia; printf %s '{SAVED}' > .maia/settings.json",
        f"rm -rf .maia; mkdir -p .maia; printf %s '{SAVED}' > .maia/settings.json",
    ],
)
async def test_nor_after_a_person_saved_it_while_the_command_ran(
    place: Place, workspace: Path, change: str
) -> None:
    LocalFiles(place).write(RULES, "{}")
    write = "mkdir -p .maia; for f in .maia/settings.json x/settings.json; do echo evil > $f; done"
    async with waiting(place, workspace, write):
        await ran(place, change, own=True)
    assert (rules(workspace) or "").strip() == SAVED


async def test_nor_after_the_browser_saved_it_while_the_command_ran(
    place: Place, workspace: Path
) -> None:
    LocalFiles(place).write(RULES, "{}")
    files = LocalFiles(place)
    with pytest.raises(FileError) as refused:
        files.remove(".maia")
    assert refused.value.code == "kept"
    async with waiting(place, workspace, "echo evil > .maia/settings.json"):
        files.remove(RULES)
        files.write(RULES, SAVED)
    assert rules(workspace) == SAVED


async def test_a_person_changes_it_in_a_terminal(place: Place, workspace: Path) -> None:
    await ran(place, f"printf %s '{SAVED}' > .maia/new; mv .maia/new .maia/settings.json", own=True)
    assert rules(workspace) == SAVED
    said = await ran(place, "mv .maia x; cat .maia/settings.json", own=True)
    assert "busy" in said.output
    assert rules(workspace) == SAVED


async def test_agents_still_fill_the_folders_beside_it(place: Place, workspace: Path) -> None:
    files = LocalFiles(place)
    files.write(".maia/tools/t/TOOL.json", "{}")
    files.write(".maia/skills/s/SKILL.md", "old")
    said = await ran(
        place,
        "echo new > .maia/skills/s/SKILL.md && mkdir -p .maia/skills/n && touch .maia/tools/t/out;"
        " cat .maia/settings.json; ls -A .maia; echo evil > .maia/new; mkdir .maia/agents",
    )
    assert (workspace / ".maia/skills/s/SKILL.md").read_text() == "new\n"
    assert (workspace / ".maia/skills/n").is_dir()
    assert (workspace / ".maia/tools/t/out").exists()
    assert said.output.count("Read-only file system") == 2
    assert sorted(one.name for one in (workspace / ".maia").iterdir()) == ["skills", "tools"]


async def test_more_folders_than_are_mounted_are_read_only(place: Place, workspace: Path) -> None:
    names = " ".join(f".maia/f{number:03}" for number in range(MOST_FOLDERS + 2))
    await ran(place, f"mkdir {names}", own=True)
    said = await ran(place, "for f in .maia/*; do touch $f/x && echo fine; done")
    assert said.output.count("fine") == MOST_FOLDERS
    assert said.output.count("Read-only file system") == 2


@pytest.mark.parametrize("kind", ["link", "folder's link", "file"])
async def test_where_it_is_no_folder_agents_run_nothing_until_a_person_repaired_it(
    place: Place, workspace: Path, kind: str
) -> None:
    maia = workspace / ".maia"
    if kind == "file":
        maia.write_text("x")
    else:
        maia.symlink_to("conf" if kind == "folder's link" else "nowhere")
        (workspace / "conf").mkdir()
    result = await ran(place, "echo evil > conf/settings.json; mkdir nowhere; echo evil > x")
    assert result.status == "not-started"
    assert "/workspace/.maia must be a folder" in result.error
    assert not (workspace / "conf/settings.json").exists()
    await ran(place, "rm .maia", own=True)
    assert (await ran(place, "echo fine")).output == "fine\n"


async def test_a_second_name_it_had_before_writes_into_a_file_of_its_own(
    place: Place, workspace: Path
) -> None:
    LocalFiles(place).write(RULES, SAVED)
    mode = (workspace / RULES).stat().st_mode
    os.link(workspace / RULES, workspace / "hard")
    await ran(place, "echo evil > hard")
    assert rules(workspace) == SAVED
    assert (workspace / RULES).stat().st_mode == mode
    assert [one.name for one in (workspace / ".maia").iterdir()] == ["settings.json"]


async def test_no_descriptor_of_the_folder_is_left_in_the_sandbox(place: Place) -> None:
    for own in (False, True):
        said = await ran(place, "for f in /proc/*/fd/*; do readlink $f; done", own=own)
        assert said.output
        assert ".maia" not in said.output
        assert "workspaces" not in said.output


async def test_a_settings_file_that_is_a_link_holds_no_rules(place: Place, workspace: Path) -> None:
    (workspace / ".maia").mkdir()
    (workspace / "mine.json").write_text(SAVED)
    (workspace / RULES).symlink_to("../mine.json")
    found = workspace_rules(place)
    assert not found.entries
    assert "link" in found.problems[0].sentence()
    (workspace / RULES).unlink()
    LocalFiles(place).write(RULES, SAVED)
    assert [one.text for one in workspace_rules(place).entries] == ["Read(.env)"]


async def test_a_search_needs_no_such_folder(place: Place, workspace: Path) -> None:
    await open_sandbox(place, read_only=True).run(Run(("true",), timeout=60, max_output=99))
    assert not (workspace / ".maia").exists()
