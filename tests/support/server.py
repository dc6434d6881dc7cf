"""A real MAIA server in a process of its own, and clients that speak to it as people do.

with MaiaServer(folder) as server:
    people = server.prepare("alice", model={"kind": "openai", "url": …, "model": "scripted"})
    with server.sign_in("alice") as http:
        async with server.socket(http) as alice:
            result = await alice.command("channel:direct", workspace=…, agent="maia")
"""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Self

import httpx
import websockets

from agents.delivery.packets import MAX_BODY
from tests.support.migrated import clean_environment, sqlite_database
from tests.support.prepare import PASSWORD
from tests.support.processes import ROOT, START_SECONDS, Program, free_port

Frame = dict[str, Any]
SECONDS = 180.0


class MaiaServer:
    """`manage.py serve` with a data folder and a port of its own; `under` is what starts it.

    A data folder that is not there yet gets a migrated database, unless it begins `empty`.
    """

    def __init__(
        self,
        data: Path,
        env: Mapping[str, str] | None = None,
        *,
        workers: int = 0,
        under: Sequence[str] = (),
        empty: bool = False,
    ) -> None:
        self.data = data
        self._under = under
        self._empty = empty
        self.port = free_port()
        self.workers: list[Program] = []
        self._wanted_workers = workers
        self._program: Program | None = None
        self.env = {
            **clean_environment(),
            "MAIA_DATA": str(data),
            "MAIA_PORT": str(self.port),
            "MAIA_LOG": "WARNING",
            "PYTHONUNBUFFERED": "1",
            **(env or {}),
        }

    @property
    def url(self) -> str:
        """Its address, without a slash at the end."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def program(self) -> Program:
        """The running server."""
        assert self._program is not None, "the server was not started"
        return self._program

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def start(self) -> None:
        """Starts the server and its workers; returns when they answer."""
        self._found()
        self._program = self.run("serve", self._under)
        self._program.wait_for("MAIA is ready")
        while len(self.workers) < self._wanted_workers:
            self.start_worker()

    def _found(self) -> None:
        """Makes the data folder."""
        new = not self.data.exists()
        self.data.mkdir(parents=True, exist_ok=True)
        self.data.chmod(0o711)
        if new and not self._empty and not self.env.get("DATABASE_URL"):
            (self.data / "maia.sqlite3").write_bytes(sqlite_database())

    def start_worker(self) -> Program:
        """Starts one more worker."""
        worker = self.run("worker", self._under)
        self.workers.append(worker)
        worker.wait_for("MAIA worker is ready")
        return worker

    def run(self, command: str, under: Sequence[str] = ()) -> Program:
        """Runs a command of `manage.py` as it would; whoever asks for it ends it."""
        return Program([*under, sys.executable, "manage.py", command], self.env)

    def stop(self, sign: signal.Signals = signal.SIGTERM) -> int:
        """Stops the server as Ctrl+C (SIGINT) or a service manager would."""
        return self.program.stop(sign)

    def kill(self) -> None:
        """Ends the server at once (kill -9)."""
        self.program.kill()

    def close(self) -> None:
        """Ends everything, whatever state it is in."""
        for program in [*self.workers, self._program]:
            if program is not None:
                program.kill()

    def refusal(self) -> str:
        """Starts a server that will not begin; returns what it said instead, in sentences."""
        program = self._program = self.run("serve", self._under)
        try:
            assert program.process.wait(START_SECONDS) == 1, program.output
        finally:
            self.close()
        assert "Traceback" not in program.output, program.output
        return program.output

    def setup_link(self) -> str:
        """Returns the one-time link it printed, on this server's address."""
        line = self.program.wait_for("/setup/")
        return f"{self.url}/setup/{line.split('/setup/')[1].strip()}"

    def prepare(
        self, *people: str, administrator: str = "", model: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Makes people (password PASSWORD) and chooses the model; returns ids and workspaces."""
        wishes = {
            "people": [
                {"username": name, "administrator": name == (administrator or people[0])}
                for name in people
            ],
            "model": dict(model) if model else None,
        }
        self._found()
        done = subprocess.run(
            [*self._under, sys.executable, "-m", "tests.support.prepare"],
            input=json.dumps(wishes),
            env=self.env,
            cwd=ROOT,
            text=True,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        made: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return made

    def http(self) -> httpx.Client:
        """Returns a client that is nobody yet."""
        return httpx.Client(base_url=self.url, timeout=SECONDS, trust_env=False)

    @contextmanager
    def sign_in(self, username: str, password: str = PASSWORD) -> Iterator[httpx.Client]:
        """Gives a client with the session of a person, which sends the CSRF header."""
        with self.http() as client:
            client.get("/sign-in").raise_for_status()
            form = {"username": username, "password": password}
            answer = client.post(
                "/sign-in",
                data={**form, "csrfmiddlewaretoken": client.cookies["maia-csrf"]},
                headers={"Origin": self.url, "Referer": f"{self.url}/sign-in"},
            )
            assert answer.status_code == 302, f"{answer.status_code}: {answer.text[:500]}"
            client.headers.update({"X-CSRFToken": client.cookies["maia-csrf"], "Origin": self.url})
            yield client

    @asynccontextmanager
    async def socket(
        self, client: httpx.Client, path: str = "/ws", *, origin: str | None = None
    ) -> AsyncIterator[Socket]:
        """Opens a WebSocket with the client's cookies."""
        cookies = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
        async with websockets.connect(
            f"ws://127.0.0.1:{self.port}{path}",
            origin=websockets.Origin(origin or self.url),
            additional_headers={"Cookie": cookies},
            max_size=64 * 1024 * 1024,
            max_queue=None,
            compression=None,
            proxy=None,
        ) as connection:
            socket = Socket(connection)
            reader = asyncio.create_task(socket.read())
            try:
                yield socket
            finally:
                reader.cancel()


class Refused(AssertionError):
    """The server answered a command with an `error` frame."""

    def __init__(self, frame: Frame) -> None:
        super().__init__(f"{frame.get('code')}: {frame.get('message')}")
        self.frame = frame
        self.code = frame.get("code")


class Socket:
    """One connection that speaks the protocol; every frame it ever got is in `frames`."""

    def __init__(self, connection: websockets.ClientConnection) -> None:
        self.connection = connection
        self.frames: list[Frame] = []
        self.closed_with: int | None = None
        self._pieces: list[str] = []
        self._news = asyncio.Condition()
        self._refs = count(1)

    async def read(self) -> None:
        """Takes in frames until the connection ends; answers pings."""
        try:
            async for message in self.connection:
                size = len(message.encode() if isinstance(message, str) else message)
                assert size <= MAX_BODY, f"a message of {size} bytes"
                told = json.loads(message)
                await self._take(self._whole(told if isinstance(told, list) else [told]))
        except websockets.ConnectionClosed:
            pass
        finally:
            self.closed_with = self.connection.close_code
            async with self._news:
                self._news.notify_all()

    def _whole(self, frames: list[Frame]) -> list[Frame]:
        """Joins the pieces of long frames."""
        whole: list[Frame] = []
        for frame in frames:
            if frame["type"] != "piece":
                whole.append(frame)
                continue
            assert frame["at"] == len(self._pieces)
            self._pieces.append(frame["text"])
            if len(self._pieces) == frame["of"]:
                whole.append(json.loads("".join(self._pieces)))
                self._pieces = []
        return whole

    async def _take(self, frames: list[Frame]) -> None:
        for frame in frames:
            if frame["type"] == "ping":
                await self.connection.send(json.dumps({"type": "pong", "n": frame["n"]}))
        async with self._news:
            self.frames.extend(frames)
            self._news.notify_all()

    async def command(self, type: str, *, ref: str = "", **fields: Any) -> dict[str, Any]:
        """Sends a command; returns the result of its `ack`. Raises Refused."""
        ref = ref or f"test-{next(self._refs)}"
        since = len(self.frames)  # the same command may have been refused before
        await self.connection.send(json.dumps({"type": type, "clientRef": ref, **fields}))
        answer = await self.wait(
            lambda frame: frame.get("clientRef") == ref, "ack", "error", since=since
        )
        if answer["type"] == "error":
            raise Refused(answer)
        return dict(answer.get("result") or {})

    async def wait(
        self,
        matches: Callable[[Frame], object] = lambda _frame: True,
        *types: str,
        seconds: float = SECONDS,
        since: int = 0,
    ) -> Frame:
        """Returns the first frame of these types (any, if none is named) that matches."""
        seen = since

        def found() -> Frame | None:
            nonlocal seen
            while seen < len(self.frames):
                frame = self.frames[seen]
                seen += 1
                if (not types or frame["type"] in types) and matches(frame):
                    return frame
            return None

        try:
            async with asyncio.timeout(seconds), self._news:
                while (frame := found()) is None:
                    assert self.closed_with is None, f"closed with {self.closed_with}"
                    await self._news.wait()
        except TimeoutError:
            last = json.dumps(self.frames[-5:])[:2000]
            raise AssertionError(
                f"no {types or 'frame'} within {seconds} s; last: {last}"
            ) from None
        return frame

    async def more(self, known: int) -> None:
        """Returns when there are more than `known` frames; fails when the connection ended."""
        async with self._news:
            await self._news.wait_for(
                lambda: len(self.frames) > known or self.closed_with is not None
            )
        assert len(self.frames) > known, f"closed with {self.closed_with}"

    async def wait_closed(self, seconds: float = SECONDS) -> int | None:
        """Returns the close code."""
        async with asyncio.timeout(seconds), self._news:
            await self._news.wait_for(lambda: self.closed_with is not None)
        return self.closed_with

    def forget(self) -> None:
        """Forgets the frames so far, so that `wait` sees only new ones."""
        self.frames.clear()
