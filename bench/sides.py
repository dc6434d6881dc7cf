"""The two sides of every comparison, MAIA and the floor F, in processes of their own."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import httpx

from bench.lean_socket import LeanSocket, connect
from tests.support.processes import Program, free_port
from tests.support.server import MaiaServer

TICK = os.sysconf("SC_CLK_TCK")
PEOPLE = 50


def cpu_seconds(pid: int) -> float:
    """Returns user and system time of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def pss_kib(pid: int) -> int:
    """Returns the proportional set size of a process."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1])
    raise LookupError("no Pss")


def wait_for_page(url: str, seconds: float = 60) -> None:
    """Returns when the address answers."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(httpx.TransportError):
            httpx.get(url, trust_env=False)
            return
        time.sleep(0.01)
    raise TimeoutError(url)


class Side(Protocol):
    """A server that streams to rooms; `person` is who looks, from 0."""

    name: str

    @property
    def pid(self) -> int:
        """The process whose CPU counts."""

    async def new_room(self, person: int = 0) -> str:
        """Makes a conversation."""

    async def join(self, room: str, person: int = 0) -> LeanSocket:
        """Opens a socket that gets what is said there."""

    def ask(self, socket: LeanSocket, room: str, stream: str) -> None:
        """Lets the model's stream begin."""


@dataclass
class FloorSide:
    """F."""

    program: Program
    port: int
    name: str = "F"
    rooms: int = 0

    @property
    def pid(self) -> int:
        return self.program.process.pid

    async def new_room(self, person: int = 0) -> str:
        self.rooms += 1
        return f"/ws/{self.rooms}"

    async def join(self, room: str, person: int = 0) -> LeanSocket:
        return await connect(self.port, room)

    def ask(self, socket: LeanSocket, room: str, stream: str) -> None:
        socket.send(stream.encode())


class MaiaSide:
    """MAIA, spoken to over its REST interface and its socket."""

    name = "MAIA"

    def __init__(self, server: MaiaServer, people: dict[str, dict[str, Any]]) -> None:
        self.server = server
        self._people = list(people.values())
        self._asked = 0

    @property
    def pid(self) -> int:
        return self.server.program.process.pid

    def workspace(self, person: int = 0) -> str:
        return str(self._people[person]["workspace"])

    def person(self, person: int = 0) -> int:
        return int(self._people[person]["id"])

    def cookie(self, person: int = 0) -> str:
        return f"maia-session={self._people[person]['session']}"

    async def new_room(self, person: int = 0) -> str:
        socket = await connect(self.server.port, "/ws", self.cookie(person))
        made = await _answer(
            socket,
            type="channel:create",
            workspace=self.workspace(person),
            name=f"bench-{time.monotonic_ns()}",
            members=["maia"],
        )
        socket.close()
        return str(made["channel"])

    async def join(self, room: str, person: int = 0) -> LeanSocket:
        socket = await connect(self.server.port, "/ws", self.cookie(person))
        await _answer(socket, type="channel:subscribe", channel=room)
        return socket

    def ask(self, socket: LeanSocket, room: str, stream: str) -> None:
        self._asked += 1
        ref = f"ask-{self._asked}"
        _command(socket, clientRef=ref, type="channel:send", channel=room, text=stream)


def _command(socket: LeanSocket, **fields: object) -> None:
    socket.send(json.dumps(fields).encode())


async def _answer(socket: LeanSocket, **fields: object) -> dict[str, Any]:
    """Sends a command; returns its result."""
    answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

    def take(payload: bytes) -> None:
        told = json.loads(payload)
        for frame in told if isinstance(told, list) else [told]:
            if frame.get("clientRef") == "bench" and not answer.done():
                answer.set_result(frame)

    socket.on_payload = take
    _command(socket, clientRef="bench", **fields)
    async with asyncio.timeout(60):
        frame = await answer
    socket.on_payload = lambda _payload: None
    if frame["type"] == "error":
        raise RuntimeError(frame["message"])
    return dict(frame.get("result") or {})


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
    program = Program([sys.executable, "-m", "bench.floor", "--port", str(port), "--model", model])
    try:
        wait_for_page(f"http://127.0.0.1:{port}/")
        yield FloorSide(program, port)
    finally:
        program.kill()


@contextmanager
def run_maia(model: str, env: Mapping[str, str] | None = None) -> Iterator[MaiaSide]:
    """Runs MAIA with PEOPLE people and this model."""
    wanted = dict(env or {})
    if kind := os.environ.get("MAIA_SERVER"):
        wanted.setdefault("MAIA_SERVER", kind)
    with tempfile.TemporaryDirectory(prefix="maia-bench-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o711)
        server = MaiaServer(Path(folder) / "data", wanted)
        people = server.prepare(
            *(f"person{number}" for number in range(PEOPLE)),
            model={"kind": "openai", "url": model, "model": "scripted"},
        )
        with server:
            yield MaiaSide(server, people)
