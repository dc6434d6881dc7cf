"""Pty: a shell behind a pseudo-terminal, read fairly and without threads."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import signal
import struct
import termios
import time
from collections.abc import Callable

from workspaces.sandboxes.folders import Owner
from workspaces.sandboxes.process import Child, Spawn, start

READ_SECONDS = 0.000_25
_CHUNK = 65_536
MAX_INPUT = 1_048_576


class Pty:
    """Runs one process on a terminal of its own.

    Output is read until there is none, for at most 0.25 ms at a time: longer, and two busy
    terminals make a third one's keystrokes wait.
    """

    def __init__(self, on_output: Callable[[bytes], None], on_exit: Callable[[int], None]) -> None:
        self._on_output = on_output
        self._on_exit = on_exit
        self._loop = asyncio.get_running_loop()
        self._master = -1
        self._child: Child | None = None
        self._waiting = bytearray()
        self._reading = False
        self._size = (0, 0)

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows, (0, 0) before the start."""
        return self._size

    def start(self, spawn: Spawn, cols: int, rows: int, owner: Owner | None) -> Child:
        """Starts the process and returns it; raises OSError or ValueError if it cannot."""
        self._master, slave = os.openpty()
        try:
            os.set_blocking(self._master, False)
            self.resize(cols, rows)
            if owner is not None:
                os.fchown(slave, owner.uid, -1)
            self._child = start(spawn, stdin=slave, stdout=slave)
        except BaseException:
            os.close(self._master)
            self._master = -1
            raise
        finally:
            os.close(slave)
        self._child.exited.add_done_callback(self._ended)
        self.resume()
        return self._child

    def resize(self, cols: int, rows: int) -> None:
        """Tells the programs inside how large the screen is, in characters."""
        if self._master >= 0 and (cols, rows) != self._size:
            self._size = (cols, rows)
            fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

    def write(self, data: bytes) -> bool:
        """Types `data`; returns False if too much waits already to be read by the program."""
        if self._master < 0:
            return True
        if len(self._waiting) + len(data) > MAX_INPUT:
            return False
        waits = bool(self._waiting)
        self._waiting += data
        if not waits:
            self._push()
            if self._waiting:
                self._loop.add_writer(self._master, self._push_on)
        return True

    def pause(self) -> None:
        """Stops reading: the program waits as soon as the terminal's buffer is full."""
        if self._reading:
            self._loop.remove_reader(self._master)
            self._reading = False

    def resume(self) -> None:
        """Reads again."""
        if not self._reading and self._master >= 0:
            self._loop.add_reader(self._master, self._read)
            self._reading = True

    async def close(self) -> None:
        """Hangs up: SIGHUP to everything inside, SIGKILL after a second (seed S)."""
        if self._child is not None:
            await self._child.stop(signal.SIGHUP)
        self._close_master()

    def _push(self) -> None:
        """Gives the terminal what it takes now."""
        try:
            written = os.write(self._master, self._waiting[:_CHUNK])
        except BlockingIOError:
            return
        except OSError:  # the shell is gone
            written = len(self._waiting)
        del self._waiting[:written]

    def _push_on(self) -> None:
        self._push()
        if not self._waiting:
            self._loop.remove_writer(self._master)

    def _read(self) -> None:
        chunks, ended = _read_fairly(self._master)
        if chunks:
            self._on_output(b"".join(chunks))
        if ended:
            self.pause()

    def _ended(self, exited: asyncio.Future[int]) -> None:
        if self._master >= 0:
            self._drain()
            self._close_master()
        self._on_exit(exited.result())

    def _drain(self) -> None:
        """Takes what was said before the end, at most as much as a terminal buffers."""
        for _round in range(64):
            chunks, ended = _read_fairly(self._master)
            if chunks:
                self._on_output(b"".join(chunks))
            if ended or not chunks:
                return

    def _close_master(self) -> None:
        if self._master >= 0:
            self.pause()
            self._loop.remove_writer(self._master)
            self._waiting.clear()
            os.close(self._master)
            self._master = -1


def _read_fairly(descriptor: int) -> tuple[list[bytes], bool]:
    """Returns what can be read now, and whether the other side is gone."""
    chunks: list[bytes] = []
    until = time.perf_counter() + READ_SECONDS
    while True:
        try:
            chunk = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            return chunks, False
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            return chunks, True
        if not chunk:
            return chunks, True
        chunks.append(chunk)
        if time.perf_counter() > until:
            return chunks, False
