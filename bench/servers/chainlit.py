"""Chainlit as a side: it speaks Socket.IO, each socket is a conversation of its own."""

from __future__ import annotations

import asyncio
import json
import os
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.servers.lean_socket import LeanSocket, connect
from bench.servers.side import Person, wait_for_page
from tests.support.environments import installed
from tests.support.processes import Program, free_port

HERE = Path(__file__).parent
REQUIREMENTS = HERE / "chainlit-requirements.txt"
PATH = "/ws/socket.io/?EIO=4&transport=websocket"


@dataclass
class ChainlitSide:
    """A running Chainlit, without sign-in."""

    program: Program
    port: int

    @property
    def pids(self) -> Sequence[int]:
        return (self.program.process.pid,)

    def people(self, count: int) -> list[Person]:
        return [Person()] * count

    def crowd(self, count: int) -> list[Person]:
        raise NotImplementedError("Chainlit has no conversations of several people")

    async def new_room(self, person: Person) -> str:
        return str(uuid.uuid4())

    async def join(self, room: str, person: Person) -> LeanSocket:
        said: asyncio.Queue[bytes] = asyncio.Queue()
        socket = await connect(self.port, PATH, on_payload=said.put_nowait)
        wanted = {"clientType": "webapp", "sessionId": room, "userEnv": "{}", "threadId": ""}
        async with asyncio.timeout(60):
            await _next(said, b"0")  # Engine.IO is open: open Socket.IO
            socket.send(b"40" + json.dumps(wanted).encode())
            await _next(said, b"40")
            socket.send(b'42["connection_successful"]')
            await _next(said, b"42")  # it answers that
        socket.on_payload = lambda _payload: None
        return socket

    def ask(self, socket: LeanSocket, room: str, stream: str) -> None:
        message = {
            "id": str(uuid.uuid4()),
            "threadId": "",
            "name": "user",
            "type": "user_message",
            "output": stream,
            "createdAt": datetime.now(UTC).isoformat(),
        }
        told = ["client_message", {"message": message, "fileReferences": []}]
        socket.send(b"42" + json.dumps(told).encode())


async def _next(said: asyncio.Queue[bytes], kind: bytes) -> None:
    payload = await said.get()
    if not payload.startswith(kind):
        raise ConnectionError(payload.decode())


@contextmanager
def run_chainlit(model: str) -> Iterator[ChainlitSide]:
    """Installs and runs Chainlit. Raises `NotInstalled`."""
    programs = installed("chainlit", REQUIREMENTS)
    port = free_port()
    with TemporaryDirectory(prefix="maia-bench-", ignore_cleanup_errors=True) as folder:
        env = {**os.environ, "BENCH_MODEL": model, "CHAINLIT_APP_ROOT": folder}
        app = str(HERE / "chainlit_app.py")
        argv = [str(programs / "chainlit"), "run", app, "--headless", "--port", str(port)]
        program = Program(argv, env)
        try:
            wait_for_page(f"http://127.0.0.1:{port}/", 120)
            yield ChainlitSide(program, port)
        finally:
            program.kill()
