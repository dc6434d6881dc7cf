"""Shells in terminals of MAIA and of others: what is typed there, and what they show.

`python -m bench.servers.shells ADDRESSES` floods terminals as `yes` does, and reads all of it until
it is ended: a process of its own, so that it does not hold up whoever measures beside it.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Protocol

from bench.servers.bare_pty import PATH as PTY
from bench.servers.lean_socket import LeanSocket, connect
from bench.servers.maia import MaiaSide
from bench.servers.side import Person
from tests.support.processes import Program

ACK_EVERY = 128 * 1024
SETTLED = b"here42"
FLOODING = "flooding"


@dataclass(frozen=True)
class Address:
    """Where a terminal is, for any process."""

    kind: str
    port: int
    path: str
    cookie: str = ""


class Terminals(Protocol):
    """Where terminals are made."""

    def new(self) -> AbstractAsyncContextManager[Address]:
        """Gives a new terminal, which ends with the block."""


@dataclass(frozen=True)
class MaiaTerminals:
    """Terminals of one person of MAIA."""

    maia: MaiaSide
    person: Person

    @asynccontextmanager
    async def new(self) -> AsyncIterator[Address]:
        url = f"/api/workspaces/{self.person.workspace}/terminals"
        with self.maia.client(self.person) as client:
            made = await asyncio.to_thread(client.post, url, json={"cols": 80, "rows": 24})
            id = str(made.raise_for_status().json()["id"])
            port = self.maia.server.port
            try:
                yield Address("maia", port, f"/ws/terminal/{id}", self.person.cookie)
            finally:
                await asyncio.to_thread(client.delete, f"/api/terminals/{id}")


@dataclass(frozen=True)
class TerminadoTerminals:
    """Terminals of terminado, which begin and end with their socket."""

    port: int

    @asynccontextmanager
    async def new(self) -> AsyncIterator[Address]:
        yield Address("terminado", self.port, f"/websocket/{time.monotonic_ns()}")


@dataclass(frozen=True)
class BareTerminals:
    """A bare PTY each, behind the server of F."""

    port: int

    @asynccontextmanager
    async def new(self) -> AsyncIterator[Address]:
        yield Address("bare", self.port, PTY)


@dataclass
class Shell:
    """An open terminal: `type` writes to it, `on_bytes` gets what it shows."""

    socket: LeanSocket
    type: Callable[[str], None]
    on_bytes: Callable[[bytes], None] = lambda _data: None

    async def settle(self) -> None:
        """Returns when it has drawn its first prompt and answers."""
        await self.until("echo here$((40+2))\n", SETTLED)
        await asyncio.sleep(0.1)  # the prompt after it

    async def until(self, typed: str, shown: bytes, seconds: float = 60) -> None:
        """Types something; returns when it shows `shown`."""
        found, seen = asyncio.Event(), b""

        def take(data: bytes) -> None:
            nonlocal seen
            seen = (seen + data)[-4096:]
            if shown in seen:
                found.set()

        self.on_bytes = take
        self.type(typed)
        async with asyncio.timeout(seconds):
            await found.wait()


@asynccontextmanager
async def opened(address: Address) -> AsyncIterator[Shell]:
    """Opens the terminal and waits until its shell answers."""
    socket = await connect(address.port, address.path, address.cookie)
    shell = _KINDS[address.kind](socket)
    try:
        await shell.settle()
        yield shell
    finally:
        socket.close()


def _maia(socket: LeanSocket) -> Shell:
    shell = Shell(socket, lambda text: socket.send(text.encode(), kind=2))
    unacknowledged = 0

    def take(payload: bytes) -> None:
        nonlocal unacknowledged
        if payload.startswith(b'{"type"'):
            return
        unacknowledged += len(payload)
        if unacknowledged >= ACK_EVERY:
            socket.send(b'{"type":"ack","bytes":%d}' % unacknowledged)
            unacknowledged = 0
        shell.on_bytes(payload)

    socket.on_payload = take
    return shell


def _terminado(socket: LeanSocket) -> Shell:
    shell = Shell(socket, lambda text: socket.send(json.dumps(["stdin", text]).encode()))

    def take(payload: bytes) -> None:
        told = json.loads(payload)
        if told[0] == "stdout":
            shell.on_bytes(told[1].encode())

    socket.on_payload = take
    return shell


def _bare(socket: LeanSocket) -> Shell:
    shell = Shell(socket, lambda text: socket.send(text.encode(), kind=2))
    socket.on_payload = lambda payload: shell.on_bytes(payload)
    return shell


_KINDS = {"maia": _maia, "terminado": _terminado, "bare": _bare}


@contextmanager
def flooded(addresses: Sequence[Address]) -> Iterator[None]:
    """Meanwhile these terminals show `yes` without end, and somebody reads it."""
    told = json.dumps([vars(address) for address in addresses])
    program = Program([sys.executable, "-m", "bench.servers.shells", told])
    try:
        program.wait_for(FLOODING)
        yield
    finally:
        program.kill()


async def _flood(addresses: Sequence[Address]) -> None:
    async with opened(addresses[0]) as first, opened(addresses[1]) as second:
        for shell in (first, second):
            await shell.until("yes\n", b"y\r\ny\r\ny\r\n")
            shell.on_bytes = lambda _data: None
        print(FLOODING, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_flood([Address(**one) for one in json.loads(sys.argv[1])]))
