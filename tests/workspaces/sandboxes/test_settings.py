"""~/.maia holds a person's rules and keys: theirs to change, out of reach of agents' commands."""

from __future__ import annotations

import asyncio
import shlex
from pathlib import Path

import pytest

from workspaces.domain.argv import terminal_command
from workspaces.domain.commands import Run
from workspaces.domain.entries import FileError
from workspaces.domain.places import Place
from workspaces.files.local import LocalFiles
from workspaces.files.store import open_files
from workspaces.sandboxes import open_sandbox
from workspaces.sandboxes.folders import Folders, folders_of

pytestmark = pytest.mark.usefixtures("sandboxed")
SETTINGS = "~/.maia/settings.json"
KEY = "sk-canary-0123456789"


@pytest.fixture
def folders(place: Place) -> Folders:
    """The folders of the place, with a settings file that holds a key, a skill and a tool."""
    files = LocalFiles(place)
    files.write(SETTINGS, f'{{"LiteLLM_API_Key": "{KEY}"}}')
    files.write("~/.maia/skills/s/SKILL.md", "a skill")
    files.write("~/.maia/tools/t/run.sh", "echo from the tool")
    return folders_of(place)


async def ran(place: Place, script: str, *, own: bool = False) -> str:
    command = Run(("bash", "-c", script), timeout=30, max_output=9_999)
    return (await open_sandbox(place, own=own).run(command)).output


def content(folders: Folders) -> dict[str, str]:
    """Everything in the settings, and what hides below the mounts in the home."""
    found: dict[str, str] = {}
    for root in (folders.settings, folders.home / ".maia"):
        for path in root.rglob("*"):
            if path.is_file():
                found[str(path)] = path.read_text()
    return found


ATTACKS = (
    "echo evil > ~/.maia/settings.json",
    "echo evil >> /home/agent/.maia/mcp.json",
    "cd ~/.maia; touch settings.json new; echo evil > ../.maia/settings.json",
    "mv ~/.maia ~/gone; mkdir -p ~/.maia; echo evil > ~/.maia/settings.json",
    "rm -rf ~/.maia; mkdir ~/.maia; echo evil > ~/.maia/settings.json",
    "rmdir ~/.maia/skills ~/.maia; ln -s ~/mine ~/.maia",
    "mkdir ~/mine; mv -T ~/mine ~/.maia; ln -sfn ~/mine ~/.maia",
    "python3 -c 'import os; os.rename(\"/home/agent/.maia\", \"/home/agent/x\")'",
    "ln ~/.maia/skills/s/SKILL.md ~/hard; echo evil >> ~/hard",
    "ln ~/.maia/tools/t/run.sh /workspace/hard; echo evil >> /workspace/hard",
    "ln -s ~/.maia ~/soft; echo evil > ~/soft/settings.json; echo evil > ~/soft/tools/t/run.sh",
    "ln -s ../../../settings ~/up; echo evil > ~/up/files/settings.json",
    "mkdir -p ~/.maia/tools/evil ~/.maia/skills/evil ~/.maia/agents",
    "sed -i s/a/b/ ~/.maia/skills/s/SKILL.md; truncate -s 0 ~/.maia/tools/t/run.sh",
    "chmod 777 ~/.maia ~/.maia/skills; cp /etc/passwd ~/.maia/tools/t/run.sh",
    "mount -o remount,rw ~/.maia; umount ~/.maia; umount -l ~/.maia/tools",
    "cd /proc/self/root/home/agent/.maia; echo evil > settings.json; echo evil > x",
    "for i in 1 2 3; do (mkdir -p ~/.maia/agents; echo evil > ~/.maia/settings.json) & done; wait",
)  # fmt: skip


@pytest.mark.parametrize("attack", ATTACKS)
async def test_an_agents_command_changes_nothing_there(
    place: Place, folders: Folders, attack: str
) -> None:
    before = content(folders)
    await ran(place, attack)
    assert content(folders) == before
    assert (folders.home / ".maia").is_dir()
    assert not (folders.home / ".maia").is_symlink()
    assert LocalFiles(place).read(SETTINGS).text == before[str(settings_file(folders))]


def settings_file(folders: Folders) -> Path:
    return folders.under("settings") / "settings.json"


async def test_an_agents_command_sees_skills_and_tools_but_no_key(
    place: Place, folders: Folders
) -> None:
    seen = await ran(
        place,
        "ls -A ~/.maia; cat ~/.maia/settings.json; sh ~/.maia/tools/t/run.sh; "
        "cat ~/.maia/skills/s/SKILL.md; grep -rs sk-canary /home /workspace /tmp /etc",
    )
    assert seen.startswith("skills\ntools\n")
    assert "No such file" in seen
    assert seen.count("from the tool") == 1
    assert "a skill" in seen
    assert KEY not in seen


async def test_the_search_of_an_agent_does_not_see_it_either(
    place: Place, folders: Folders
) -> None:
    files = open_files(place)
    assert KEY not in await files.search(("--hidden", "-e", "canary"), "~", max_output=9_999)
    found = await files.find("**/*", "~/.maia", limit=99)
    seen = sorted(one.path for one in found)
    assert seen == ["~/.maia/skills/s/SKILL.md", "~/.maia/tools/t/run.sh"]


@pytest.mark.parametrize("attack", [*ATTACKS, "mv ~/.maia/settings.json ~/.maia/skills/x"])
async def test_what_the_person_types_does_not_change_its_files_either(
    place: Place, folders: Folders, attack: str
) -> None:
    before = list(folders.under("settings").iterdir())
    await ran(place, attack, own=True)
    assert list(folders.under("settings").iterdir()) == before
    assert KEY in await ran(place, "cat ~/.maia/settings.json", own=True)


async def test_a_person_sees_at_once_what_the_page_saved(place: Place, folders: Folders) -> None:
    LocalFiles(place).write(SETTINGS, "before")
    script = "cat ~/.maia/settings.json; touch ready; "
    script += "until [ -e go ]; do sleep 0.02; done; cat ~/.maia/settings.json; "
    script += "echo x > ~/.maia/settings.json"
    task = asyncio.create_task(ran(place, script, own=True))
    async with asyncio.timeout(30):
        while not (folders.workspace / "ready").exists():  # noqa: ASYNC110  no event to wait for
            await asyncio.sleep(0.02)
        LocalFiles(place).write(SETTINGS, "after")
        (folders.workspace / "go").touch()
        said = await task
    assert said.startswith("beforeafter")
    assert "Read-only" in said
    assert settings_file(folders).read_text() == "after"


async def test_skills_and_tools_stay_the_persons_but_no_link_takes_their_place(
    place: Place, folders: Folders
) -> None:
    script = "echo mine > ~/.maia/skills/s/SKILL.md; cat ~/.maia/skills/s/SKILL.md; "
    script += "mv ~/.maia ~/x; mv ~/.maia/skills ~/x; rm -rf ~/.maia/tools; ln -sfn / ~/.maia; "
    script += "ln ~/.maia/settings.json ~/hard; ls ~"
    said = await ran(place, script, own=True)
    assert said.startswith("mine\n")
    assert settings_file(folders).stat().st_nlink == 1
    for folder in (folders.settings / "skills", folders.settings / "tools", folders.home / ".maia"):
        assert folder.is_dir()
        assert not folder.is_symlink()
    assert "hard" not in said.splitlines()


async def test_nothing_runs_where_something_else_stands_in_its_place(
    place: Place, folders: Folders
) -> None:
    (folders.home / ".maia" / "skills").mkdir(exist_ok=True)
    (folders.home / ".maia").rename(folders.home / "old")
    (folders.home / ".maia").symlink_to("/")
    result = await open_sandbox(place).run(Run(("true",), timeout=30, max_output=99))
    assert result.status == "not-started"


async def test_what_lay_in_the_home_before_is_taken_over(place: Place) -> None:
    folders = folders_of(place)
    for name in ("skills", "tools"):
        (folders.settings / name).rmdir()
        (folders.settings / "files" / name).rmdir()
    (folders.settings / "files" / "bashrc").unlink()
    (folders.settings / "files").rmdir()
    old = folders.home / ".maia"
    (old / "skills/s").mkdir(parents=True)
    (old / "settings.json").write_text("{}")
    (old / "skills/s/SKILL.md").write_text("a skill")
    files = LocalFiles(place)
    assert files.read(SETTINGS).text == "{}"
    assert files.read("~/.maia/skills/s/SKILL.md").text == "a skill"
    assert not list(old.iterdir())


async def test_a_terminal_reads_no_startup_file_an_agent_could_have_written(
    place: Place, folders: Folders
) -> None:
    trap = "echo evil > ~/.maia/settings.json"
    await ran(place, f"echo '{trap}' | tee ~/.bashrc ~/.profile ~/.bash_profile ~/.bash_login")
    await ran(place, f"{shlex.join(terminal_command()[3:])} -c true", own=True)
    assert "evil" not in settings_file(folders).read_text()


@pytest.mark.parametrize(
    "path",
    ["~/.maia/settings.json", "/home/agent/.maia/mcp.json", "~/x/../.maia/tools/t/TOOL.json",
     "~/./.maia//skills/s/SKILL.md", "~/.maia/agents/a.md", "../home/agent/.maia/settings.json",
     ".maia/settings.json", "./x/../.maia/settings.json", "/workspace/.maia/settings.json",
     "soft/settings.json", "leads.json", "chain.json"],
)  # fmt: skip
async def test_the_tools_of_an_agent_refuse_to_write_there(
    place: Place, folders: Folders, path: str
) -> None:
    LocalFiles(place).write(".maia/settings.json", "{}")
    (folders.workspace / "soft").symlink_to(".maia")
    (folders.workspace / "leads.json").symlink_to(".maia/settings.json")
    (folders.workspace / "chain.json").symlink_to("soft/settings.json")
    before = content(folders)
    with pytest.raises(FileError) as caught:
        await open_files(place).write(path, "evil")
    assert caught.value.code in {"protected", "outside"}
    assert content(folders) == before
    assert (folders.workspace / ".maia/settings.json").read_text() == "{}"


async def test_other_files_beside_the_rules_stay_the_agents(place: Place) -> None:
    files = open_files(place)
    for path in (".maia/skills/s/SKILL.md", "settings.json", "~/settings.json", ".maia/other"):
        assert (await files.write(path, "fine")).text == "fine"


async def test_an_agent_reads_skills_but_not_the_settings(place: Place, folders: Folders) -> None:
    files = open_files(place)
    assert (await files.read("~/.maia/skills/s/SKILL.md", max_bytes=99)).text == "a skill"
    for path in (SETTINGS, "~/.maia/mcp.json", "/home/agent/.maia/x/../settings.json"):
        with pytest.raises(FileError) as caught:
            await files.read(path, max_bytes=999)
        assert caught.value.code == "secret"


def test_a_person_edits_it_in_the_browser(place: Place, folders: Folders) -> None:
    files = LocalFiles(place)
    assert KEY in files.read(SETTINGS).text
    files.write(SETTINGS, "{}")
    assert files.create("~/.maia", "mcp.json") == "~/.maia/mcp.json"
    assert files.remove("~/.maia/mcp.json")
    names = [one.path for one in files.entries("~/.maia")]
    assert names == ["~/.maia/skills", "~/.maia/tools", "~/.maia/bashrc", SETTINGS]
    for folder in ("~/.maia", "~/.maia/skills", "~/.maia/tools"):
        with pytest.raises(FileError, match="itself stays"):
            files.remove(folder)
