"""Runs one prepared process: output in order, a cap, a time limit, and a certain end."""

from __future__ import annotations

import asyncio
import codecs
import io
import os
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from workspaces.domain.bounds import Reached
from workspaces.domain.commands import OnOutput, Run
from workspaces.sandboxes.process_tree import signal_descendants
from workspaces.sandboxes.watchdog import Watch

Ended = Literal["exited", "timeout", "full", "bound"]
GRACE = 1.0
_CHUNK = 65_536


@dataclass(frozen=True, slots=True)
class Spawn:
    """A process ready to start. `pass_fds` are open; they are closed once it has started."""

    argv: tuple[str, ...]
    env: dict[str, str]
    cwd: str = "/"
    pass_fds: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a process ended: characters kept, characters counted beyond the cap, exit code."""

    output: str
    dropped: int
    ended: Ended
    exit_code: int
    reached: Reached | None = None


def start(spawn: Spawn, *, stdin: int, stdout: int) -> Child:
    """Starts the process in its own session; raises OSError or ValueError if it cannot.

    It must be called in a thread that lives longer than the process: bubblewrap's
    --die-with-parent watches the thread that started it.
    """
    try:
        popen = subprocess.Popen(
            spawn.argv,
            stdin=stdin,
            stdout=stdout,
            stderr=stdout,
            env=spawn.env,
            cwd=spawn.cwd,
            pass_fds=spawn.pass_fds,
            start_new_session=True,
            umask=0o002,
        )
    finally:
        for descriptor in spawn.pass_fds:
            os.close(descriptor)
    return Child(popen)


class Child:
    """A running process whose end the event loop hears of; no thread, no signal handler."""

    def __init__(self, popen: subprocess.Popen[bytes]) -> None:
        self._popen = popen
        self.pid = popen.pid
        self._loop = asyncio.get_running_loop()
        self.exited: asyncio.Future[int] = self._loop.create_future()
        self._pidfd = os.pidfd_open(popen.pid)
        self._loop.add_reader(self._pidfd, self._on_exit)

    def _on_exit(self) -> None:
        self._loop.remove_reader(self._pidfd)
        os.close(self._pidfd)
        with suppress(ProcessLookupError, PermissionError):  # not reaped yet: the number is ours
            os.killpg(self.pid, signal.SIGKILL)
        code = self._popen.wait()
        if not self.exited.done():
            self.exited.set_result(code)

    def kill(self) -> None:
        """Kills the process; a sandbox takes everything inside with it."""
        if not self.exited.done():
            self._popen.kill()

    async def stop(self, first: signal.Signals = signal.SIGTERM, grace: float = GRACE) -> None:
        """Signals everything below the process, then kills it all after `grace` seconds."""
        try:
            if not self.exited.done():
                signal_descendants(self.pid, first)
                await asyncio.wait({self.exited}, timeout=grace)
        finally:
            self.kill_tree()
        await asyncio.wait({self.exited}, timeout=GRACE)

    def kill_tree(self) -> None:
        """Kills the process and everything below it, at once."""
        if not self.exited.done():
            signal_descendants(self.pid, signal.SIGKILL)
            self.kill()


class _Output:
    """Collects what a pipe says: decoded as it comes, capped, the rest counted."""

    def __init__(self, command: Run, on_output: OnOutput | None) -> None:
        errors = "surrogateescape" if command.names else "backslashreplace"
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors)
        self._kept = io.StringIO()  # not a list: a command may print two letters at a time
        self._room = command.max_output
        self._on_output = on_output
        self.dropped = 0
        self.full = asyncio.Event()
        self.ended = asyncio.Event()

    def feed(self, chunk: bytes) -> None:
        text = self._decoder.decode(chunk, final=not chunk)
        kept = text[: self._room]
        self._room -= len(kept)
        self.dropped += len(text) - len(kept)
        if kept:
            self._kept.write(kept)
            if self._on_output is not None:
                self._on_output(kept)
        if self.dropped:
            self.full.set()
        if not chunk:
            self.ended.set()

    def text(self) -> str:
        return self._kept.getvalue()


async def run(
    spawn: Spawn,
    command: Run,
    *,
    on_output: OnOutput | None = None,
    watch: Watch | None = None,
) -> Outcome:
    """Runs the process prepared for `command` to its end, within its time and output.

    It is killed at once when `watch` sees it reach a bound; a cancelled caller leaves nothing
    running behind.
    """
    reader, writer = os.pipe()
    loop = asyncio.get_running_loop()
    output = _Output(command, on_output)
    try:
        try:
            child = start(spawn, stdin=subprocess.DEVNULL, stdout=writer)
        finally:
            os.close(writer)
        os.set_blocking(reader, False)
        loop.add_reader(reader, _read_some, reader, output)
        try:
            ended, reached = await _until_over(child, output, command, watch)
        except asyncio.CancelledError:
            await child.stop()
            raise
        finally:
            child.kill_tree()
            with suppress(TimeoutError):
                async with asyncio.timeout(GRACE):
                    await output.ended.wait()
            loop.remove_reader(reader)
        code = await child.exited
        reached = reached or (watch.at_end() if watch is not None else None)
        ended = "bound" if reached is not None else ended
        return Outcome(output.text(), output.dropped, ended, code, reached)
    finally:
        os.close(reader)


async def _until_over(
    child: Child, output: _Output, command: Run, watch: Watch | None
) -> tuple[Ended, Reached | None]:
    waits: set[asyncio.Future[object]] = {asyncio.ensure_future(_exit_of(child))}
    if command.stop_when_full:
        waits.add(asyncio.ensure_future(output.full.wait()))
    watched = asyncio.ensure_future(watch.until_reached(child.pid)) if watch else None
    try:
        await asyncio.wait(
            {*waits, *({watched} if watched else ())},
            timeout=command.timeout,
            return_when=asyncio.FIRST_COMPLETED,
        )
    finally:
        for wait in (*waits, *((watched,) if watched else ())):
            wait.cancel()
    if child.exited.done():
        return "exited", None
    if watched is not None and watched.done():
        return "bound", watched.result()
    if command.stop_when_full and output.full.is_set():
        return "full", None
    await child.stop()
    return "timeout", None


async def _exit_of(child: Child) -> object:
    return await asyncio.shield(child.exited)


def _read_some(reader: int, output: _Output) -> None:
    try:
        chunk = os.read(reader, _CHUNK)
    except BlockingIOError:
        return
    output.feed(chunk)
    if not chunk:
        asyncio.get_running_loop().remove_reader(reader)
