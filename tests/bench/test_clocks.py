"""CPU and rest are those of the process that is asked about."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.clocks import at_rest, cpu_seconds, thread_seconds
from bench.servers.watched import WATCHED
from tests.support.processes import Program

BUSY = """
import os, threading, time
def burn():
    print("burning", flush=True)
    while not os.path.exists({stop!r}):
        pass
threading.Thread(target=burn, name="burner").start()
threading.Thread(target=time.sleep, args=(600,), name="idler").start()
"""


@pytest.fixture
def stop(tmp_path: Path) -> Path:
    return tmp_path / "stop"


@pytest.fixture
def busy(tmp_path: Path, stop: Path) -> Iterator[Program]:
    script = tmp_path / "busy.py"
    script.write_text(BUSY.format(stop=str(stop)))
    program = Program([*WATCHED, sys.executable, script])
    program.wait_for("burning")
    yield program
    program.kill()


def test_a_process_under_watch_has_threads_with_names(busy: Program) -> None:
    pid = busy.process.pid
    while thread_seconds(pid, "burner") < 0.2:
        pass
    assert thread_seconds(pid, "idler") < thread_seconds(pid, "burner") <= cpu_seconds([pid])


def test_a_thread_that_is_not_there_is_an_error_not_zero(busy: Program) -> None:
    with pytest.raises(LookupError):
        thread_seconds(busy.process.pid, "database")


def test_the_cpu_of_several_processes_is_added_up() -> None:
    own = cpu_seconds([os.getpid()])
    assert own > 0
    assert cpu_seconds([os.getpid(), os.getpid()]) >= 2 * own


async def test_a_process_is_at_rest_when_it_is_done(busy: Program, stop: Path) -> None:
    rests = asyncio.create_task(at_rest([busy.process.pid]))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(asyncio.shield(rests), 1)
    await asyncio.to_thread(stop.touch)
    await rests
