"""A person's settings.json in place of the site's server: only where allowed, never inside."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from agents.domain.model_servers.endpoint import Endpoint
from agents.domain.model_servers.server import ModelServerInfo
from agents.engine.ports.model import ChatRequest, Done, ProviderError
from agents.library.own_server import own_server
from agents.providers.catalogue import list_models
from agents.providers.openai_chat import OpenAIChat
from agents.runtime.answering.own_model import ChosenServer, chosen_server
from maia_web.lib.ids import new_id
from tests.support.openai_server import ScriptedServer
from workspaces.domain.places import Place
from workspaces.sandboxes.folders import folders_of

SITE = ModelServerInfo(kind="litellm", url="http://site", model="m")
OWN = {
    "LiteLLM_URL": "https://mine.example",
    "OpenAI_EndPoint": "/chat",
    "LiteLLM_Models": "/models",
    "LiteLLM_API_Key": "sk-mine",
}


@pytest.fixture
def place() -> Place:
    return Place(new_id(), 980_001, 980_001)


def write(place: Place, text: str | dict[str, Any]) -> None:
    folder = folders_of(place).under("settings")
    content = text if isinstance(text, str) else json.dumps(text)
    (folder / "settings.json").write_text(content)


async def chosen(place: Place, site: ModelServerInfo, key: str, model: str) -> ChosenServer:
    return chosen_server(await asyncio.to_thread(own_server, place), site, key, model)


async def test_the_file_counts_for_nothing_unless_an_administrator_allows_it(place: Place) -> None:
    write(place, OWN)
    found = await chosen(place, SITE, "sk-site", "")
    assert (found.server, found.key, found.guarded) == (SITE, "sk-site", None)
    assert "LiteLLM_URL" in found.warning


async def test_its_numbers_count_all_the_same_up_to_the_administrators(place: Place) -> None:
    write(place, {"MaxIterations": 3, "MaxOutputTokens": 10})
    found = await chosen(place, SITE, "sk-site", "")
    assert found.server == SITE.model_copy(update={"max_steps": 3, "max_output_tokens": 10})
    assert found.warning == ""
    write(place, {"MaxIterations": 999})
    found = await chosen(place, SITE, "sk-site", "")
    assert found.server == SITE
    assert "50 counts" in found.warning


async def test_where_allowed_it_takes_the_place_with_its_own_key(
    place: Place, settings: Settings
) -> None:
    settings.OWN_MODEL_SERVERS, settings.INTERNAL_HOSTS = True, ["lan:4000"]
    write(place, OWN)
    found = await chosen(place, SITE, "sk-site", "")
    assert found.server is not None
    assert (found.server.url, found.server.model) == ("https://mine.example", "m")
    assert (found.key, found.guarded) == ("sk-mine", frozenset({"lan:4000"}))


async def test_the_sites_key_never_goes_to_a_persons_server(
    place: Place, settings: Settings
) -> None:
    settings.OWN_MODEL_SERVERS = True
    write(place, {name: value for name, value in OWN.items() if name != "LiteLLM_API_Key"})
    assert (await chosen(place, SITE, "sk-site", "")).key == ""


@pytest.mark.parametrize("text", ["{broken", '{"LiteLLM_URL": "https://x"}', "\udcff", "\0"])
async def test_a_broken_file_is_told_and_the_sites_server_answers(
    place: Place, settings: Settings, text: str
) -> None:
    settings.OWN_MODEL_SERVERS = True
    write(place, "{}")
    (folders_of(place).under("settings") / "settings.json").write_bytes(
        text.encode(errors="surrogateescape")
    )
    found = await chosen(place, SITE, "sk-site", "")
    assert (found.server, found.key) == (SITE, "sk-site")
    assert found.warning.startswith("~/.maia/settings.json was not used: ")


async def test_numbers_alone_keep_the_sites_server_and_key(
    place: Place, settings: Settings
) -> None:
    settings.OWN_MODEL_SERVERS = True
    write(place, {"MaxIterations": 3})
    found = await chosen(place, SITE, "sk-site", "")
    assert found.server == SITE.model_copy(update={"max_steps": 3})
    assert (found.key, found.guarded) == ("sk-site", None)


async def test_a_persons_server_is_not_reached_inside(model_server: ScriptedServer) -> None:
    endpoint = Endpoint(model_server.url, guarded=frozenset())
    with pytest.raises(ProviderError, match="may not be reached") as caught:
        _ = [event async for event in OpenAIChat(endpoint, "echo").stream(ChatRequest("", ()))]
    assert caught.value.code == "unreachable"
    with pytest.raises(ProviderError, match="may not be reached"):
        await list_models(endpoint)
    assert model_server.requests == []


async def test_unless_an_administrator_named_its_host(model_server: ScriptedServer) -> None:
    allowed = frozenset({f"127.0.0.1:{model_server.port}"})
    endpoint = Endpoint(model_server.url, guarded=allowed)
    events = [event async for event in OpenAIChat(endpoint, "echo").stream(ChatRequest("x", ()))]
    assert isinstance(events[-1], Done)
    assert [model.name for model in await list_models(endpoint)]
