"""A proposal is in every tab, survives a kill, and runs as shown, once, in the starter's home."""

from __future__ import annotations

import asyncio
import json
from contextlib import ExitStack
from typing import Any

import httpx
import pytest

from agents.protocol.frames import ChannelSnapshot
from tests.resilience.story import eventually
from tests.support.fixtures import StartServer
from tests.support.openai_behaviours import answer, text, tool_answer
from tests.support.openai_server import ScriptedServer
from tests.support.reader import last_said, reading
from tests.support.server import MaiaServer, Refused

pytestmark = [pytest.mark.timeout(300), pytest.mark.xdist_group("one")]
PROPOSED = "echo proposed >> ~/ran.txt; echo proposed >> ran.txt"


@pytest.fixture
def server(start_server: StartServer) -> MaiaServer:
    return start_server()


async def test_it_survives_a_kill_and_runs_once_in_the_home_of_the_starter(
    server: MaiaServer, model_server: ScriptedServer
) -> None:
    settings = {"kind": "openai", "url": model_server.url, "model": "m", "context_size": 9000}
    made = server.prepare("alice", "bob", model=settings)
    model_server.script(tool_answer("Bash", {"command": "echo asked >> ran.txt"}))
    model_server.script(answer(text("Done.")))
    with ExitStack() as clients:
        alice, bob = [clients.enter_context(server.sign_in(name)) for name in ("alice", "bob")]
        workspace, channel = await asyncio.to_thread(_room, alice)
        async with reading(server, alice, channel) as hers, reading(server, bob, channel) as his:
            await his.send("@maia run it")
            for tab in (hers, his):
                await tab.until(lambda state: bool(state.permissions))
            request = hers.state.permissions[0]
            edited: dict[str, Any] = {"id": request.id, "input": {"command": PROPOSED}}
            with pytest.raises(Refused) as refused:
                await hers.socket.command("permission:answer", option="allow_once", **edited)
            assert refused.value.code == "only-starter-edits"
            await hers.socket.command("permission:propose", **edited, digest=request.digest)
            for tab in (hers, his):
                await tab.until(lambda state: shown(state) == ("alice", PROPOSED))
            server.kill()

        server.start()
        async with reading(server, alice, channel) as hers, reading(server, bob, channel) as his:
            state = await his.until(lambda state: shown(state) == ("alice", PROPOSED))
            proposal = state.permissions[0].proposal
            assert proposal is not None
            accepted: dict[str, Any] = {
                "id": request.id,
                "option": "allow_once",
                "proposal": proposal.id,
            }
            with pytest.raises(Refused):
                await hers.socket.command("permission:answer", **accepted)
            await his.socket.command("permission:answer", **accepted)
            for tab in (hers, his):
                state = await tab.until(lambda state: last_said(state) == "Done.")
                given = state.permissions[0].answer
                assert given is not None
                assert given.proposed_by is not None
                assert (given.by.username, given.proposed_by.username) == ("bob", "alice")
    home = server.data / "homes" / str(made["bob"]["id"]) / "ran.txt"
    for ran in (home, server.data / "workspaces" / workspace / "ran.txt"):
        eventually(ran.exists, "it ran")
        assert ran.read_text() == "proposed\n"


def shown(state: ChannelSnapshot) -> tuple[str, str] | None:
    """Who proposes which command."""
    proposal = state.permissions[0].proposal if state.permissions else None
    return (proposal.by.username, json.loads(proposal.input)["command"]) if proposal else None


def _room(client: httpx.Client) -> tuple[str, str]:
    workspace = client.post("/api/workspaces", json={"name": "shared"}).json()["id"]
    added = {"username": "bob", "role": "editor"}
    client.post(f"/api/workspaces/{workspace}/members", json=added).raise_for_status()
    wanted = {"workspace": workspace, "name": "c", "members": ["maia"]}
    return workspace, client.post("/api/channels", json=wanted).json()["id"]
