"""Side: a server that streams to conversations, whatever it is; and F's."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

import httpx

from bench.servers.lean_socket import LeanSocket, connect
from tests.support.processes import Program, free_port


@dataclass(frozen=True)
class Person:
    """Somebody with an account, signed in, and the workspace they work in."""

    id: int = 0
    session: str = ""
    workspace: str = ""

    @property
    def cookie(self) -> str:
        """The header that says who it is."""
        return f"maia-session={self.session}"


class Side(Protocol):
    """A server that streams to rooms, each a conversation."""

    @property
    def pids(self) -> Sequence[int]:
        """The processes whose CPU counts."""

    def people(self, count: int) -> list[Person]:
        """Returns so many different people, each with a workspace of their own."""

    def crowd(self, count: int) -> list[Person]:
        """Returns so many different people who share a workspace."""

    async def new_room(self, person: Person) -> str:
        """Makes a conversation."""

    async def join(self, room: str, person: Person) -> LeanSocket:
        """Opens a socket of this person that gets what is said there."""

    def ask(self, socket: LeanSocket, room: str, stream: str) -> None:
        """Lets the model's stream begin."""


@dataclass
class FloorSide:
    """F, where nobody is anybody."""

    program: Program
    port: int
    rooms: int = 0

    @property
    def pids(self) -> Sequence[int]:
        return (self.program.process.pid,)

    def people(self, count: int) -> list[Person]:
        return [Person()] * count

    def crowd(self, count: int) -> list[Person]:
        return [Person()] * count

    async def new_room(self, person: Person) -> str:
        self.rooms += 1
        return f"/ws/{self.rooms}"

    async def join(self, room: str, person: Person) -> LeanSocket:
        return await connect(self.port, room)

    def ask(self, socket: LeanSocket, room: str, stream: str) -> None:
        socket.send(stream.encode())


def wait_for_page(url: str, seconds: float = 60) -> None:
    """Returns when the address answers."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(httpx.TransportError):
            httpx.get(url, trust_env=False)
            return
        time.sleep(0.01)
    raise TimeoutError(url)


@contextmanager
def run_model() -> Iterator[str]:
    """Runs the scripted model server; gives its address."""
    port = free_port()
    program = Program([sys.executable, "-m", "tests.support.openai_server", "--port", str(port)])
    try:
        program.wait_for("http://")
        yield f"http://127.0.0.1:{port}"
    finally:
        program.kill()


@contextmanager
def run_floor(model: str) -> Iterator[FloorSide]:
    """Runs F."""
    port = free_port()
    program = Program(
        [sys.executable, "-m", "bench.servers.floor", "--port", str(port), "--model", model]
    )
    try:
        wait_for_page(f"http://127.0.0.1:{port}/")
        yield FloorSide(program, port)
    finally:
        program.kill()
