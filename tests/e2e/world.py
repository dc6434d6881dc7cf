"""A site with people, rooms of their own for each test, and the pages they open."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import httpx

from tests.e2e.app import App, expect
from tests.support.browser import Browsers
from tests.support.openai_server import Gate, ScriptedServer
from tests.support.server import MaiaServer

PEOPLE = ("alice", "bob", "carol", "denis", "erin", "mallory")
_numbers = count(1)


@dataclass
class Site:
    """A running server, the model it asks, and its people; alice administers it."""

    server: MaiaServer
    model: ScriptedServer
    people: dict[str, Any]
    link_port: int
    open: ExitStack = field(default_factory=ExitStack)
    clients: dict[str, httpx.Client] = field(default_factory=dict)

    def client(self, person: str) -> httpx.Client:
        """An HTTP client in which this person is signed in."""
        if person not in self.clients:
            self.clients[person] = self.open.enter_context(self.server.sign_in(person))
        return self.clients[person]


@contextmanager
def run_site(server: MaiaServer, model: ScriptedServer, link_port: int) -> Iterator[Site]:
    """Makes the people of a server that runs."""
    chosen = {"kind": "openai", "url": model.url, "model": "scripted", "context_size": 100_000}
    site = Site(server, model, server.prepare(*PEOPLE, model=chosen), link_port)
    with site.open:
        yield site


@dataclass(frozen=True)
class Room:
    """A workspace and a conversation in it."""

    workspace: str
    channel: str
    folder: Path

    @property
    def path(self) -> str:
        """Its address."""
        return f"/w/{self.workspace}/c/{self.channel}"


@dataclass
class World:
    """What a story has: the site, its browsers, its rooms."""

    site: Site
    browsers: Browsers
    gates: list[Gate] = field(default_factory=list)
    rooms: list[tuple[str, str]] = field(default_factory=list)

    @property
    def model(self) -> ScriptedServer:
        """The scripted model server."""
        return self.site.model

    def gate(self) -> Gate:
        """A gate in an answer, which opens at the end of the test at the latest."""
        self.gates.append(Gate())
        return self.gates[-1]

    def room(
        self,
        *,
        owner: str = "alice",
        members: Mapping[str, str] | None = None,
        channel: str = "",
        name: str = "",
    ) -> Room:
        """Makes a workspace, with the owner's direct conversation or a channel with the agent."""
        client = self.site.client(owner)
        name = name or f"atelier-{next(_numbers)}"
        workspace = _ok(client.post("/api/workspaces", json={"name": name}))["id"]
        for username, role in (members or {}).items():
            wanted = {"username": username, "role": role}
            _ok(client.post(f"/api/workspaces/{workspace}/members", json=wanted))
        address, body = _channel(workspace, channel) if channel else _direct(workspace)
        opened = _ok(client.post(address, json=body))["id"]
        self.rooms.append((owner, opened))
        return Room(workspace, opened, self.site.server.data / "workspaces" / workspace)

    def clear(self) -> None:
        """Stops every answer, and forgets what the model was told to say."""
        for owner, channel in self.rooms:
            stop = self.site.client(owner).post(f"/api/channels/{channel}/cancel", json={})
            assert stop.is_success, stop.text
        for gate in self.gates:
            gate.open()
        self.model.forget()

    async def open(self, person: str, room: Room, *, path: str = "", **options: Any) -> App:
        """Opens a conversation in a browser of its own; returns when the page is live."""
        cookies = dict(self.site.client(person).cookies)
        page = await self.browsers.page(
            self.site.server, cookies=cookies, path=path or room.path, **options
        )
        if not path:
            await expect(page.locator(".shell")).not_to_have_class(re.compile("offline"))
        return App(page)


def _direct(workspace: str) -> tuple[str, dict[str, Any]]:
    return "/api/channels/direct", {"workspace": workspace, "agent": "maia"}


def _channel(workspace: str, name: str) -> tuple[str, dict[str, Any]]:
    return "/api/channels", {"workspace": workspace, "name": name, "members": ["maia"]}


def _ok(answer: httpx.Response) -> Any:
    assert answer.is_success, f"{answer.status_code}: {answer.text}"
    return answer.json()
