"""What a command and all it starts may use together; which bound ended it is told."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from pytest_django import Settings

from agents.domain.typed.user_commands import shown_result
from agents.tools.command_output import command_told, end_lines
from workspaces.domain.bounds import MB, Bound, Limits, Reached
from workspaces.domain.commands import CommandResult, OnOutput, Run, Sandbox
from workspaces.domain.places import Place
from workspaces.files import open_files
from workspaces.sandboxes import open_sandbox, usage
from workspaces.sandboxes.base import probed
from workspaces.sandboxes.cgroups import Cgroup, Cgroups, find_cgroups
from workspaces.sandboxes.folders import folders_of
from workspaces.sandboxes.local import BubblewrapSandbox
from workspaces.sandboxes.process import Spawn, run
from workspaces.sandboxes.watchdog import Watch
from workspaces.terminals.host import TerminalHost
from workspaces.terminals.terminal import Terminal

# three processes that hold 60 MB each, and wait
HOLD = "perl -e '$held = \"x\" x 60_000_000; sleep 300'"
THREE = f"{HOLD} & {HOLD} & {HOLD} & wait; echo survived"
MANY_FILES = (
    "for n in $(seq 400); do head -c 1000000 /dev/zero > part$n; sync part$n; done; echo all"
)


Bounded = Callable[..., Awaitable[BubblewrapSandbox]]


@pytest.fixture(params=["as it is found", "watched"])
def bounded(request: pytest.FixtureRequest, place: Place) -> Bounded:
    """A sandbox whose memory the kernel bounds where it can, and one that is watched."""

    async def make(*, own: bool = False) -> BubblewrapSandbox:
        found = await probed()
        if request.param == "watched":
            found = replace(found, cgroups=None)
        return BubblewrapSandbox(place, found, own=own)

    return make


async def _bash(sandbox: Sandbox, script: str, on_output: OnOutput | None = None) -> CommandResult:
    command = Run(("bash", "-c", script), timeout=50, max_output=10_000)
    async with asyncio.timeout(60):
        return await sandbox.run(command, on_output)


@pytest.mark.usefixtures("sandboxed")
@pytest.mark.parametrize("own", [False, True])
async def test_the_memory_of_all_processes_is_bounded_together(
    bounded: Bounded, settings: Settings, own: bool
) -> None:
    settings.COMMAND_MEMORY_MB = 128
    result = await _bash(await bounded(own=own), THREE)
    assert (result.status, result.reached) == ("bound", Reached("memory", 128))
    assert "survived" not in result.output


@pytest.mark.usefixtures("sandboxed")
async def test_less_memory_is_not_disturbed(bounded: Bounded, settings: Settings) -> None:
    settings.COMMAND_MEMORY_MB = 512
    short = THREE.replace("sleep 300", "sleep 1")
    result = await _bash(await bounded(), short)
    assert (result.status, result.output) == ("exited", "survived\n")
    assert result.reached is None


@pytest.mark.usefixtures("sandboxed")
async def test_what_a_command_writes_is_bounded_over_all_files(
    bounded: Bounded, settings: Settings, place: Place
) -> None:
    settings.COMMAND_WRITE_MB = 20
    result = await _bash(await bounded(), f"({MANY_FILES}) & wait; ({MANY_FILES})")
    assert (result.status, result.reached) == ("bound", Reached("written", 20))
    files = folders_of(place).workspace.glob("part*")
    assert sum(file.stat().st_size for file in files) < 400_000_000


@pytest.mark.usefixtures("sandboxed")
async def test_below_the_floor_agents_commands_do_not_run_and_people_can_delete(
    bounded: Bounded, settings: Settings, place: Place
) -> None:
    workspace = folders_of(place).workspace
    (workspace / "old").write_text("old")
    settings.FREE_MB = 1_000_000_000
    agents = await _bash(await bounded(), "touch begun")
    assert (agents.status, agents.reached) == ("bound", Reached("no-room", 1_000_000_000))
    people = await _bash(await bounded(own=True), "echo new > more; cat old; rm old; echo done")
    assert people.output.endswith("olddone\n")
    assert people.reached == Reached("frozen", 1_000_000_000)
    assert [
        file.name for file in workspace.iterdir() if file.stat().st_size and file.is_file()
    ] == []
    assert not (workspace / "begun").exists()
    assert await open_files(place).find("*", "", limit=5)  # looking goes on


@pytest.mark.usefixtures("sandboxed")
async def test_a_command_that_writes_on_below_the_floor_is_stopped(
    bounded: Bounded, settings: Settings
) -> None:
    begun = asyncio.Event()
    sandbox = await bounded()
    writing = asyncio.create_task(
        _bash(
            sandbox, f"echo begun; while :; do {MANY_FILES}; done", on_output=lambda _: begun.set()
        )
    )
    async with asyncio.timeout(30):
        await begun.wait()
        settings.FREE_MB = 1_000_000_000
        result = await writing
    # the command took its limits when it began
    assert result.reached is not None
    assert result.reached.bound == "disk"


@pytest.mark.usefixtures("sandboxed")
async def test_a_file_that_grows_too_large_is_told(place: Place) -> None:
    result = await _bash(open_sandbox(place), "exec dd if=/dev/zero of=big bs=1 seek=1G count=1")
    assert result.reached == Reached("file-size", 1024)


@pytest.mark.parametrize("bound", ["memory", "written", "disk", "no-room"])
async def test_the_bound_is_named_to_the_model_and_on_the_card_in_both_languages(
    bound: Bound,
) -> None:
    result = CommandResult("half", "bound", reached=Reached(bound, 77))
    words = {"en": ("77 MB", "MAIA_"), "fr": ("77 Mo", "MAIA_")}
    for language, parts in words.items():
        read = await command_told(result, language, lambda ran, words: end_lines(ran, words, 120))
        for told in (read.text, shown_result(result, language, 1_000)):
            assert told.startswith("half\n[")
            assert all(part in told for part in parts)
            assert told.count("\n") == 1


def test_limits_know_which_number_belongs_to_which_bound() -> None:
    limits = Limits(1, 2, 3)
    bounds: tuple[Bound, ...] = ("memory", "written", "disk", "no-room", "frozen")
    assert [limits.of(bound) for bound in bounds] == [1, 2, 3, 3, 3]


async def test_a_process_outside_any_sandbox_is_watched_too(
    settings: Settings, tmp_path: Path
) -> None:
    settings.COMMAND_MEMORY_MB = 100
    command = Run(("bash", "-c", THREE), timeout=50, max_output=1_000)
    spawn = Spawn(command.argv, {"PATH": "/usr/bin:/bin"})
    async with asyncio.timeout(60):
        outcome = await run(spawn, command, watch=Watch(tmp_path))
    assert outcome.reached == Reached("memory", 100)


# --- terminals -----------------------------------------------------------------------------------


async def _says(terminal: Terminal, *words: str) -> None:
    view = terminal.attach()
    text = ""
    try:
        async with asyncio.timeout(40):
            while not all(word in text for word in words):
                for item in await view.take():
                    text += item.decode(errors="replace") if isinstance(item, bytes) else ""
    except TimeoutError:
        pytest.fail(f"{words} are not in {text!r}")
    terminal.detach(view)


async def _allowed() -> bool:
    return True


@pytest.mark.usefixtures("sandboxed")
async def test_a_job_of_a_terminal_ends_at_a_bound_and_the_shell_lives(
    place: Place, settings: Settings
) -> None:
    settings.COMMAND_MEMORY_MB = 128
    settings.COMMAND_WRITE_MB = 20
    host = TerminalHost()
    terminal = await host.open(place, 80, 24, _allowed)
    try:
        terminal.type(f"{THREE.replace('survived', 'x')}; echo after $((1 + 1))\r".encode())
        await _says(terminal, "[MAIA: stopped", "128 MB")
        terminal.type(b"\x03\rkill %1 %2 %3; wait; echo memory $((2 + 2))\r")
        await _says(terminal, "memory 4")
        terminal.type(f"bash -c '{MANY_FILES}'; echo still $((3 + 3))\r".encode())
        await _says(terminal, "20 MB", "still 6")
    finally:
        await host.close(terminal)


@pytest.mark.usefixtures("sandboxed")
async def test_a_terminal_without_room_says_so_and_deletes(
    place: Place, settings: Settings
) -> None:
    (folders_of(place).workspace / "old").write_text("old")
    settings.FREE_MB = 1_000_000_000
    host = TerminalHost()
    terminal = await host.open(place, 80, 24, _allowed)
    try:
        terminal.type(b"yes | head -c 50000000 > more; rm -f old; echo end $((4 + 4))\r")
        await _says(terminal, "MAIA_FREE_MB", "end 8")
        assert not (folders_of(place).workspace / "old").exists()
        assert (folders_of(place).workspace / "more").stat().st_size <= 8 * MB
        terminal.type(b"while :; do yes | head -c 4000000 > more; sync more; done\r")
        await _says(terminal, "stopped: fewer than")
    finally:
        await host.close(terminal)


# --- cgroups -------------------------------------------------------------------------------------


def _fake_proc(folder: Path, own: str, mount: str) -> Path:
    (folder / "self").mkdir(parents=True)
    (folder / "self/cgroup").write_text(own)
    (folder / "self/mountinfo").write_text(mount)
    return folder


def test_version_1_is_found_below_the_own_group_and_bounds_memory(tmp_path: Path) -> None:
    top = tmp_path / "memory"
    (top / "docker/abc").mkdir(parents=True)
    line = f"30 25 0:26 / {top} rw,relatime shared:9 - cgroup cgroup rw,memory\n"
    proc = _fake_proc(tmp_path / "proc", "4:memory:/docker/abc\n0::/\n", line)
    assert find_cgroups(proc) is None  # plain folders do not have the files of a cgroup
    group = Cgroup(top, 1)
    (top / "memory.oom_control").write_text("oom_kill_disable 0\nunder_oom 0\noom_kill 2\n")
    assert group.kills() == 2
    assert group.entered(("true",))[-2:] == (str(top / "cgroup.procs"), "true")


def test_version_2_counts_kills_and_wants_the_controller(tmp_path: Path) -> None:
    top = tmp_path / "cgroup"
    top.mkdir()
    (top / "cgroup.subtree_control").write_text("pids\n")
    (top / "cgroup.controllers").write_text("cpu pids\n")
    line = f"30 25 0:26 / {top} rw shared:9 - cgroup2 cgroup2 rw\n"
    assert find_cgroups(_fake_proc(tmp_path / "proc", "0::/\n", line)) is None
    (top / "memory.events").write_text("low 0\noom 1\noom_kill 1\noom_group_kill 0\n")
    assert Cgroup(top, 2).killed()


def test_a_group_is_made_and_removed_or_there_is_none() -> None:
    groups = find_cgroups()
    if groups is None:
        assert Cgroups(Path("/nowhere"), 1).folder
        return
    group = groups.make(64)
    assert group.folder.is_dir()
    assert not group.killed()
    groups.remove(group)
    assert not group.folder.exists()


async def test_usage_counts_what_has_ended(tmp_path: Path) -> None:
    script = f"cd {tmp_path}; head -c 9000000 /dev/zero > a; sync a; rm a; echo; read x"
    process = await asyncio.create_subprocess_exec(
        "bash", "-c", script, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(30):
        assert process.stdout is not None
        await process.stdout.readline()
        pids = usage.tree(process.pid)
        assert usage.written(pids) >= 8 * MB
        assert usage.resident(pids) >= usage.proportional(pids) > 0
        assert process.stdin is not None
        process.stdin.write(b"\n")
        await process.wait()
    assert usage.tree(process.pid) == [process.pid]
    assert usage.resident([process.pid]) == 0
