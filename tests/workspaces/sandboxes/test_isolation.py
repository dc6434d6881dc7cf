"""What a command in a sandbox cannot reach: other people, the server, the machine."""

from __future__ import annotations

import os
import secrets
import socket
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from workspaces.domain.commands import CommandResult, Run
from workspaces.domain.places import Place
from workspaces.sandboxes import open_sandbox
from workspaces.sandboxes.folders import folders_of

pytestmark = pytest.mark.usefixtures("sandboxed")


async def _bash(place: Place, script: str, **options: Any) -> CommandResult:
    options = {"timeout": 30, "max_output": 100_000, **options}
    return await open_sandbox(place).run(Run(("bash", "-c", script), **options))


async def test_it_is_a_person_without_rights_in_its_own_folders(place: Place) -> None:
    result = await _bash(place, "id -u; pwd; echo ~; umask; grep CapEff /proc/self/status")
    assert result.output.split("\n")[:4] == ["1000", "/workspace", "/home/agent", "0002"]
    assert "CapEff:\t0000000000000000" in result.output


async def test_the_home_of_another_person_is_not_there(place: Place) -> None:
    other = folders_of(Place(place.workspace, place.workspace_number, place.user + 1)).home
    (other / "diary").write_text("HIDDEN")
    result = await _bash(
        place, f"cat {other}/diary; ls {other.parent}; find /home /workspace /tmp -name diary 2>&1"
    )
    assert "HIDDEN" not in result.output
    assert "/diary\n" not in result.output.replace(f"{other}/diary", "")


async def test_another_workspace_is_not_there(place: Place) -> None:
    other = folders_of(Place("01other", place.workspace_number + 1, place.user)).workspace
    (other / "plan").write_text("HIDDEN")
    result = await _bash(place, f"cat {other}/plan; ls {other.parent}; ls /workspace/..")
    assert "HIDDEN" not in result.output
    assert "01other" not in result.output.replace(str(other), "")


async def test_the_data_folder_is_not_there(place: Place, data: Path) -> None:
    (data / "secret-key").touch(mode=0o600)
    (data / "maia.sqlite3").touch()
    result = await _bash(place, f"cat {data}/secret-key {data}/maia.sqlite3; ls {data}; ls /root")
    assert result.output.count("No such file or directory") == 4


async def test_the_servers_environment_is_not_there(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    canary = secrets.token_hex(16)
    monkeypatch.setenv("MAIA_CANARY", canary)
    result = await _bash(place, "env; cat /proc/*/environ | tr '\\0' '\\n'; cat /proc/*/cmdline")
    assert canary not in result.output
    assert "DJANGO" not in result.output


async def test_no_descriptor_of_the_server_is_open_inside(place: Place) -> None:
    with socket.socket() as opened:
        os.set_inheritable(opened.fileno(), True)
        result = await _bash(place, "for f in /proc/$$/fd/*; do readlink $f; done")
    assert "socket" not in result.output
    assert result.output.count("pipe:") == 2


async def test_other_processes_are_not_there(place: Place) -> None:
    result = await _bash(place, f"ls -d /proc/[0-9]* | wc -l; kill -0 {os.getpid()} 2>&1")
    assert int(result.output.split()[0]) < 8
    assert "No such process" in result.output


async def test_loopback_and_abstract_sockets_of_the_host_are_not_there(place: Place) -> None:
    name = f"\0maia-{secrets.token_hex(8)}"
    script = (
        "import socket,sys\n"
        "for family, address in ((socket.AF_INET, ('127.0.0.1', int(sys.argv[1]))),"
        " (socket.AF_UNIX, chr(0) + sys.argv[2])):\n"
        "  try: socket.socket(family).connect(address); print('REACHED')\n"
        "  except OSError as error: print('refused')\n"
    )
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as unix:
        unix.bind(name)
        unix.listen()
        argv = ("python3", "-c", script, str(tcp.getsockname()[1]), name[1:])
        result = await open_sandbox(place).run(Run(argv, timeout=30, max_output=10_000))
    assert result.output == "refused\nrefused\n"


@pytest.mark.parametrize(
    "path", ["/x", "/usr/x", "/etc/x", "/dev/x", "/opt/x", "/home/x", "/bin/x"]
)
async def test_nothing_outside_can_be_written(place: Place, path: str) -> None:
    result = await _bash(place, f"touch {path} && echo WRITTEN")
    assert "WRITTEN" not in result.output


async def test_temporary_folders_are_small_and_forgotten(place: Place) -> None:
    result = await _bash(place, "head -c 300000000 /dev/zero > /tmp/x || echo full; touch /tmp/y")
    assert "full" in result.output
    assert (await _bash(place, "ls /tmp")).output == ""


@pytest.mark.parametrize(
    "call",
    [
        "unshare -U true",
        "unshare -n true",
        "mount -t tmpfs none /tmp",
        "chroot / true",
        "python3 -c 'import ctypes; l = ctypes.CDLL(None, use_errno=True);"
        " import sys; sys.exit(0 if l.ptrace(0, 0, 0, 0) == 0 else 1)'",
        "python3 -c 'import fcntl; fcntl.ioctl(0, 0x5412, b\"x\")'",
        "python3 -c 'import fcntl; fcntl.ioctl(0, 0x5412 | 1 << 40, b\"x\")'",
        "python3 -c 'import ctypes,sys; sys.exit(ctypes.CDLL(None).syscall(425, 8, 0) < 0)'",
    ],
)
async def test_dangerous_calls_are_refused(place: Place, call: str) -> None:
    assert (await _bash(place, call)).exit_code not in {0, None}


async def test_limits_hold_for_one_sandbox_only(place: Place) -> None:
    result = await _bash(place, "ulimit -u; ulimit -n; ulimit -f; ulimit -c; ulimit -v")
    assert result.output.split() == ["256", "1024", "1048576", "0", "4194304"]


async def test_a_fork_bomb_stays_inside(place: Place) -> None:
    result = await _bash(place, "b() { b | b & }; b; wait; echo x", timeout=3)
    assert result.status in {"exited", "timeout"}
    assert (await _bash(place, "echo fine")).output == "fine\n"


async def test_git_python_and_ripgrep_work(place: Place) -> None:
    script = (
        "git init -q . && echo hello > a && git add a &&"
        " git -c user.name=a -c user.email=a@example.org commit -qm first &&"
        " git log --format=%s && python3 -c 'print(6 * 7)' && rg --no-filename hello"
    )
    assert (await _bash(place, script)).output == "first\n42\nhello\n"


async def test_two_members_share_files_but_not_homes(place: Place) -> None:
    other = replace(place, user=place.user + 1)
    script = "umask; mkdir -p d; echo mine > d/f; echo private > ~/f; git init -q r"
    assert (await _bash(place, script)).exit_code == 0
    script = "cat d/f; echo yours >> d/f; cat d/f; touch d/g; cat ~/f; git -C r status -s | wc -l"
    result = await _bash(other, script)
    assert result.output.startswith("mine\nmine\nyours\n")
    assert "private" not in result.output
    assert result.output.endswith("0\n")
    file = folders_of(place).workspace / "d" / "f"
    assert file.read_text() == "mine\nyours\n"
    if os.geteuid() == 0:
        made = (folders_of(place).workspace / "d" / "g").stat()
        assert made.st_uid == 200_000 + other.user != file.stat().st_uid
        assert made.st_gid == 200_000 + place.workspace_number
        assert stat.S_IMODE(made.st_mode) == 0o664


async def test_a_read_only_sandbox_writes_nothing(place: Place) -> None:
    sandbox = open_sandbox(place, read_only=True)
    result = await sandbox.run(Run(("touch", "/workspace/x"), timeout=10, max_output=1_000))
    assert result.exit_code != 0
    assert not (folders_of(place).workspace / "x").exists()


_FAMILIES = """
for my $family (0 .. 63) { for my $type (1, 2, 3, 5) {
  if (socket(my $made, $family, $type, 0)) { print "$family "; last }
  print "family $family: $! " if $family == 40 && $type == 1 && $! !~ /not supported/;
} }
"""


async def test_a_socket_of_a_family_that_may_leave_the_sandbox_does_not_open(place: Place) -> None:
    families = Run(("perl", "-e", _FAMILIES), timeout=30, max_output=1_000)
    result = await open_sandbox(place).run(families)
    assert result.exit_code == 0, result.output
    assert {int(one) for one in result.output.split()} <= {1, 2, 10, 16}
    assert "1 2 " in result.output  # programs speak to each other as before


async def test_the_process_list_shows_no_path_of_the_server(place: Place, data: Path) -> None:
    result = await _bash(place, "ps axww -o args; cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ")
    assert "./bwrap --args" in result.output
    assert str(data) not in result.output
    assert "/workspaces/" not in result.output
    assert "--bind" not in result.output


@pytest.mark.parametrize("env", [{"A": "x\0--bind\0/\0/host"}, {"A\0--bind\0/\0/host": "x"}])
async def test_a_nul_adds_no_option_to_the_sandbox(place: Place, env: dict[str, str]) -> None:
    result = await _bash(place, "ls /host", env=env)
    assert result.status == "not-started"


async def test_an_empty_variable_stays_one(place: Place) -> None:
    result = await _bash(place, 'echo "[$EMPTY]" "[$AFTER]"', env={"EMPTY": "", "AFTER": "x"})
    assert result.output == "[] [x]\n"
