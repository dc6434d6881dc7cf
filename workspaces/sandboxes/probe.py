"""Tries the sandbox before the first use, and says in a sentence what failed."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from dataclasses import replace
from pathlib import Path

from django.conf import settings

from workspaces.domain.commands import Run
from workspaces.sandboxes import programs, seccomp
from workspaces.sandboxes.bubblewrap import command_ran, prepare
from workspaces.sandboxes.cgroups import find_cgroups
from workspaces.sandboxes.folders import Folders, Owner, ensure_own, uid_base
from workspaces.sandboxes.process import Outcome, run
from workspaces.sandboxes.status import Probed

_SCRIPT = r"""
fail() { echo "probe: $1"; exit 9; }
true || fail "a command does not run"
touch /workspace/w /home/agent/w 2>/dev/null || fail "the workspace cannot be written"
touch ~/.maia/w 2>/dev/null && fail "an agent can write a person's settings"
mv ~/.maia ~/moved 2>/dev/null && fail "an agent can replace a person's settings"
touch /workspace/.maia/w 2>/dev/null && fail "an agent can write a workspace's rules"
mv /workspace/.maia /workspace/moved 2>/dev/null && fail "an agent can replace a workspace's rules"
for folder in / /usr /etc /dev /opt; do
  touch "$folder/maia-probe" 2>/dev/null && fail "$folder can be written"
done
[ -r /proc/1/environ ] && while IFS= read -r -d '' line; do
  case "$line" in PATH=*|PWD=*|OLDPWD=*|SHLVL=*|_=*) ;; *) fail "the environment leaks";; esac
done < /proc/1/environ
(exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && fail "the host's network can be reached"
grep -q '^Seccomp:[[:space:]]*2$' /proc/self/status || fail "the system-call filter is not in force"
families='for my $f (0..63) { next if grep { $f == $_ } @ARGV; for my $t (1, 2, 3, 5) {
  exit 1 if socket(my $s, $f, $t, 0) } }'
leaves="a socket can leave the sandbox (AF_VSOCK, AF_PACKET or another)"
if command -v perl >/dev/null; then
  perl -e "$families" $2 || fail "$leaves"
elif command -v python3 >/dev/null; then
  python3 -c 'import socket, sys
for f in set(range(64)) - {int(one) for one in sys.argv[1:]}:
    for t in (1, 2, 3, 5):
        try: socket.socket(f, t); sys.exit(1)
        except OSError: pass' $2 || fail "$leaves"
fi
unshare -U true 2>/dev/null && fail "a namespace can be made inside"
echo fine
"""
_TIMEOUT = 20.0
_NO_BWRAP = "bubblewrap was not found: install the package bubblewrap."
_NO_NAMESPACES = (
    "The kernel, or the container around the server, does not let bubblewrap make namespaces: {}"
    " Allow unprivileged user namespaces (or use the container runtime)."
)


async def probe() -> Probed:
    """Tries each bubblewrap and returns the first that holds, or why none does."""
    if seccomp.program() is None:
        return Probed(None, problem="There is no system-call filter for this machine's processor.")
    problem = _NO_BWRAP
    for path in programs.bwrap_candidates():
        found = await _try(path)
        if found.bwrap is not None:
            return replace(found, cgroups=find_cgroups())
        problem = found.problem
    return Probed(None, problem=problem)


async def _try(bwrap: str) -> Probed:
    root = os.geteuid() == 0
    data: Path = settings.DATA
    staged = root and not programs.reachable(data / "workspaces")
    folder = Path(tempfile.mkdtemp(prefix="probe-", dir=data))
    try:
        folders = _probe_folders(folder, root)
        probed = Probed(programs.for_everybody(bwrap) if root else bwrap, staged)
        problem = await _problem_with(probed, folders)
    except OSError as error:
        problem = f"The sandbox could not be tried: {error}"
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return Probed(None, problem=problem) if problem else probed


def _probe_folders(folder: Path, root: bool) -> Folders:
    folder.chmod(0o711)
    number = uid_base() - 1
    owner = Owner(number, number) if root else None
    folders = Folders(folder / "workspace", folder / "home", folder / "settings", owner)
    folders.workspace.mkdir(mode=0o700)
    if root:
        os.chown(folders.workspace, number, number)
    ensure_own(folders)
    return folders


async def _problem_with(probed: Probed, folders: Folders) -> str:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        families = " ".join(map(str, seccomp.FAMILIES))
        argv = ("bash", "-c", _SCRIPT, "probe", str(listener.getsockname()[1]), families)
        command = Run(argv, timeout=_TIMEOUT, max_output=4_000)
        prepared = prepare(probed, folders, command.argv, env=command.env)
        try:
            outcome = await run(prepared.spawn, command)
            return _sentence(outcome, command_ran(prepared.status))
        finally:
            os.close(prepared.status)


def _sentence(outcome: Outcome, ran: bool) -> str:
    text = outcome.output.strip()
    if outcome.ended == "timeout":
        return "The sandbox was tried and did not answer."
    if ran and outcome.exit_code == 0 and text == "fine":
        return ""
    if text.startswith("probe: "):
        return f"The sandbox does not hold: {text.removeprefix('probe: ')}."
    if "amespace" in text or "uid map" in text or "not permitted" in text.lower():
        return _NO_NAMESPACES.format(text.rstrip(".") + ".")
    return f"The sandbox could not be started: {text or f'exit code {outcome.exit_code}'}."
