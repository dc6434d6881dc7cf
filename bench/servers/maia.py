"""MAIA as a side, spoken to by its REST interface and its socket, as browsers do."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from bench.made.elsewhere import elsewhere
from bench.servers.lean_socket import LeanSocket, connect
from bench.servers.side import Person
from tests.support.server import MaiaServer

Frame = dict[str, Any]
CSRF = "a" * 32
_refs = itertools.count()


class MaiaSide:
    """A server, or several that share their data: people are spread over the `webs`."""

    def __init__(self, webs: Sequence[MaiaServer], pids: Sequence[int]) -> None:
        self.server = webs[0]
        self.pids = pids
        self._webs = webs
        self._people: list[Person] = []

    @property
    def pid(self) -> int:
        """The (first) web process."""
        return self.pids[0]

    def people(self, count: int) -> list[Person]:
        """Returns the first so many people, each with a workspace of their own."""
        if len(self._people) < count:
            self._people += self.strangers(count - len(self._people))
        return self._people[:count]

    def crowd(self, count: int) -> list[Person]:
        """Returns so many new people who share a new workspace."""
        return self.strangers(count, together=True)

    def strangers(self, count: int, *, together: bool = False) -> list[Person]:
        """Returns so many new people, of whom nobody has heard yet."""
        made = self.made("bench.made.accounts:people", count, together)
        return [Person(**one) for one in made]

    def made(self, function: str, *arguments: Any) -> Any:
        """Returns what a function of `bench.made` makes in this server's data."""
        return elsewhere(function, self.server.env, *arguments)

    @contextmanager
    def client(self, person: Person) -> Iterator[httpx.Client]:
        """Gives a client of the REST interface with this person's session."""
        cookies = {"maia-session": person.session, "maia-csrf": CSRF}
        headers = {"X-CSRFToken": CSRF, "Origin": self.server.url}
        with httpx.Client(
            base_url=self.server.url, cookies=cookies, headers=headers, timeout=60, trust_env=False
        ) as client:
            yield client

    async def connect(self, person: Person) -> LeanSocket:
        """Opens a socket that has subscribed to nothing."""
        web = self._webs[person.id % len(self._webs)]
        return await connect(web.port, "/ws", person.cookie)

    async def new_room(self, person: Person) -> str:
        socket = await self.connect(person)
        made = await command(
            socket,
            type="channel:create",
            workspace=person.workspace,
            name=f"bench-{time.monotonic_ns()}",
            members=["maia"],
        )
        socket.close()
        return str(made["channel"])

    async def join(self, room: str, person: Person) -> LeanSocket:
        socket = await self.connect(person)
        await command(socket, type="channel:subscribe", channel=room)
        return socket

    def ask(self, socket: LeanSocket, room: str, stream: str) -> None:
        say(
            socket,
            clientRef=f"ask-{next(_refs)}",
            type="channel:send",
            channel=room,
            text=stream,
        )


def say(socket: LeanSocket, **fields: object) -> None:
    """Sends a command and does not wait."""
    socket.send(json.dumps(fields).encode())


async def command(socket: LeanSocket, **fields: object) -> Frame:
    """Sends a command; returns the result. Raises RuntimeError with what refused it."""
    ref = f"command-{next(_refs)}"
    frame = await said(
        socket, lambda one: one.get("clientRef") == ref, **{**fields, "clientRef": ref}
    )
    if frame["type"] == "error":
        raise RuntimeError(frame["message"])
    return dict(frame.get("result") or {})


async def said(socket: LeanSocket, ends: Callable[[Frame], bool], **fields: object) -> Frame:
    """Sends a command; returns the first frame from then on that `ends` says yes to."""
    answer: asyncio.Future[Frame] = asyncio.get_running_loop().create_future()

    def take(frame: Frame) -> None:
        if not answer.done() and ends(frame):
            answer.set_result(frame)

    socket.on_payload = reader(take)
    say(socket, **{"clientRef": f"said-{next(_refs)}", **fields})
    try:
        async with asyncio.timeout(90):
            return await answer
    finally:
        socket.on_payload = lambda _payload: None


def reader(take: Callable[[Frame], None]) -> Callable[[bytes], None]:
    """Returns what reads the messages of a socket; `take` gets each frame, whole."""
    pieces: list[str] = []

    def read(payload: bytes) -> None:
        told = json.loads(payload)
        for frame in told if isinstance(told, list) else [told]:
            if frame["type"] != "piece":
                take(frame)
                continue
            pieces.append(frame["text"])
            if len(pieces) == frame["of"]:
                whole = json.loads("".join(pieces))
                pieces.clear()
                take(whole)

    return read


def server_chosen() -> dict[str, str]:
    """Returns what lets MAIA run under the same server as F: tests start it under daphne."""
    kind = os.environ.get("MAIA_SERVER")
    return {"MAIA_SERVER": kind} if kind else {}


def scripted(url: str) -> dict[str, Any]:
    """Returns the settings of the scripted model. Its size is known: nobody has to ask for it."""
    return {"kind": "openai", "url": url, "model": "scripted", "context_size": 1_000_000}


@contextmanager
def run_maia(
    model: str, env: Mapping[str, str] | None = None, *, under: Sequence[str] = ()
) -> Iterator[MaiaSide]:
    """Runs MAIA with this model, on data of its own; `under` is what starts it."""
    with tempfile.TemporaryDirectory(prefix="maia-bench-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o711)
        wanted = {**server_chosen(), **(env or {})}
        server = MaiaServer(Path(folder) / "data", wanted, under=under)
        server.prepare("admin", model=scripted(model))
        with server:
            yield MaiaSide([server], [server.program.process.pid])
