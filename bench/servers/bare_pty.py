"""A bare PTY behind F's server: a shell and a socket, without people, sandbox or flow control."""

from __future__ import annotations

import asyncio
import os
import pty
import signal
from contextlib import suppress
from typing import Any

PATH = "/pty"
SIZE = 65_536


async def bare_pty(receive: Any, send: Any) -> None:
    """Serves one socket that has connected: a shell of its own, for as long as it is open."""
    await send({"type": "websocket.accept"})
    pid, master = pty.fork()
    if pid == 0:
        os.execvp("bash", ["bash", "--norc"])
    os.set_blocking(master, False)
    readable, loop = asyncio.Event(), asyncio.get_running_loop()
    loop.add_reader(master, readable.set)
    shows = asyncio.create_task(_show(master, readable, send))
    try:
        while (message := await receive())["type"] == "websocket.receive":
            os.write(master, message.get("bytes") or message["text"].encode())
    finally:
        loop.remove_reader(master)
        shows.cancel()
        os.close(master)
        os.kill(pid, signal.SIGKILL)
        await asyncio.to_thread(os.waitpid, pid, 0)


async def _show(master: int, readable: asyncio.Event, send: Any) -> None:
    """Sends each read as a frame."""
    while True:
        await readable.wait()
        readable.clear()
        with suppress(BlockingIOError):
            await send({"type": "websocket.send", "bytes": os.read(master, SIZE)})
