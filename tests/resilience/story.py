"""A story with alice, her workspace, a scripted model and a server that may die."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from tests.support.openai_server import ScriptedServer
from tests.support.reader import Reader, fresh, reading, said
from tests.support.server import MaiaServer

DEADLINE = 60.0


def eventually(true: Callable[[], object], what: str, seconds: float = DEADLINE) -> None:
    """Polls a condition outside of any process of ours; fails after a deadline."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"not within {seconds} s: {what}"
        time.sleep(0.02)


@dataclass
class Story:
    """What the tests of this folder speak with."""

    server: MaiaServer
    model: ScriptedServer
    workspace: str
    alice: httpx.Client = field(init=False)
    channel: str = ""
    open: ExitStack = field(default_factory=ExitStack)

    @classmethod
    def begin(cls, server: MaiaServer, model: ScriptedServer, context_size: int = 9000) -> Story:
        """Makes alice, chooses the model, opens her direct conversation."""
        # with a known size nobody asks the model how much it takes in
        settings = {
            "kind": "openai",
            "url": model.url,
            "model": "scripted",
            "context_size": context_size,
        }
        made = server.prepare("alice", model=settings)
        story = cls(server, model, made["alice"]["workspace"])
        story.alice = story.open.enter_context(server.sign_in("alice"))
        story.channel = story._made("/api/channels/direct", workspace=story.workspace, agent="maia")
        return story

    def elsewhere(self) -> Story:
        """The same alice in a new workspace, with a conversation of its own."""
        story = Story(self.server, self.model, self._made("/api/workspaces", name="elsewhere"))
        story.alice = self.alice
        story.channel = story._made("/api/channels/direct", workspace=story.workspace, agent="maia")
        return story

    def tab(self, server: MaiaServer | None = None) -> AbstractAsyncContextManager[Reader]:
        """Opens a tab of alice's on the conversation, at this server or another of the site."""
        server = server or self.server
        return reading(server, self._client(server), self.channel)

    def path(self, name: str) -> Path:
        """A file of the workspace, seen from outside the sandbox."""
        return self.server.data / "workspaces" / self.workspace / name

    def lines(self, name: str) -> list[str]:
        """The lines of a file of the workspace; none if it is not there."""
        path = self.path(name)
        return path.read_text().splitlines() if path.exists() else []

    def kept(self, text: str) -> None:
        """Waits until the database holds this text of the last message."""
        eventually(
            lambda: text in said(fresh(self.alice, self.channel).messages[-1]),
            f"the text {text!r} is kept",
        )

    def slowness(self) -> float:
        """How much later, in seconds, what takes a second may come on a machine that is busy now.

        A hundred times what the server takes for the least there is to ask.
        """
        began = time.monotonic()
        for _ in range(5):
            self.alice.get("/api/agents").raise_for_status()
        return (time.monotonic() - began) * 20

    def results(self, request: int) -> list[str]:
        """The tool results that the model read in its n-th request."""
        messages = self.model.chats[request].body["messages"]
        return [one["content"] for one in messages if one["role"] == "tool"]

    def close(self) -> None:
        """Closes the HTTP clients."""
        self.open.close()

    def _made(self, path: str, **wanted: str) -> str:
        answer = self.alice.post(path, json=wanted)
        answer.raise_for_status()
        return str(answer.json()["id"])

    def _client(self, server: MaiaServer) -> httpx.Client:
        if server is self.server:
            return self.alice
        client = self.open.enter_context(server.http())
        client.cookies.update(self.alice.cookies)
        return client
