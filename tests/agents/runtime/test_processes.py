"""Who is dead: only a process of this kernel and namespace can be looked for."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.domain.content.leases import ProcessName, parse_host
from agents.runtime.processes import ended, this_process


def name_of(pid: int) -> ProcessName:
    stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    return replace(this_process(), pid=pid, started=int(stat.rpartition(")")[2].split()[19]))


def test_a_name_is_read_back() -> None:
    name = this_process()
    assert parse_host(f"{name}:01abc") == name
    assert name.pid == os.getpid()
    assert name.boot
    assert name.started > 0


@pytest.mark.parametrize("name", ["", "host", "node:12:01abc", "a:b:c:d:e", "a:b:1:2", "a:b:1::x"])
def test_a_name_of_another_kind_is_never_taken_for_dead(name: str) -> None:
    assert parse_host(name) is None
    assert not ended(name)


def test_a_process_is_known_by_its_pid_and_its_beginning() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    name = name_of(child.pid)
    try:
        assert not ended(f"{name}:x")
        assert ended(f"{replace(name, started=name.started - 1)}:x")  # an earlier one with its pid
    finally:
        child.kill()
    assert child.wait() != 0
    assert ended(f"{name}:x")


def test_a_zombie_has_ended() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    name = name_of(child.pid)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert ended(f"{name}:x")
    child.wait()


@pytest.mark.parametrize("elsewhere", [{"boot": "another-kernel"}, {"namespace": "1"}])
def test_a_process_of_another_kernel_or_container_is_never_taken_for_dead(
    elsewhere: dict[str, Any],
) -> None:
    """A container of the same host name has the same pids for other processes."""
    missing = 4_194_305  # above the largest pid there is
    name = replace(this_process(), pid=missing)
    assert ended(f"{name}:x")
    assert not ended(f"{replace(name, **elsewhere)}:x")
