"""Lists models of real HTTP servers, finds local ones, and says what is wrong with the others."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from agents.domain.model_servers.endpoint import Endpoint, join_url
from agents.engine.ports.model import ProviderError
from agents.providers import catalogue
from agents.providers.catalogue import LocalServer, ModelInfo, find_local_servers, list_models
from tests.support.openai_behaviours import BEHAVIOURS, Answer
from tests.support.openai_server import ScriptedServer, serve


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with serve(models=("zeta", "Alpha")) as running:
        yield running


@pytest.mark.parametrize(
    ("base", "path", "joined"),
    [
        ("http://h", "/v1/models", "http://h/v1/models"),
        ("http://h/", "v1/models", "http://h/v1/models"),
        ("http://h//", "//v1/models", "http://h/v1/models"),
        (" http://h/v1/ ", "/v1/models", "http://h/v1/models"),
        ("http://h/openai", "/v1/models", "http://h/openai/v1/models"),
        ("http://h/v1", "/models", "http://h/v1/models"),
        ("http://h", "", "http://h"),
    ],
)
def test_addresses_are_joined_with_one_slash(base: str, path: str, joined: str) -> None:
    assert join_url(base, path) == joined


async def test_models_are_sorted_and_not_doubled(server: ScriptedServer) -> None:
    server.models = ("zeta", "Alpha", "zeta")
    assert await list_models(Endpoint(server.url)) == [ModelInfo("Alpha"), ModelInfo("zeta")]


@pytest.mark.parametrize(
    ("entry", "model"),
    [
        ({"id": "m", "max_input_tokens": 128_000}, ModelInfo("m", 128_000)),
        ({"model_name": "m"}, ModelInfo("m")),
        ({"name": "m", "context_length": 4096}, ModelInfo("m", 4096)),
        ({"id": "m", "max_model_len": 8192}, ModelInfo("m", 8192)),
        ({"id": "m", "meta": {"n_ctx_train": 2048}}, ModelInfo("m", 2048)),
        ({"id": "m", "max_input_tokens": None}, ModelInfo("m")),
        ("m", ModelInfo("m")),
    ],
)
async def test_names_and_sizes_are_read_where_servers_put_them(
    server: ScriptedServer, entry: object, model: ModelInfo
) -> None:
    server.models_answer = Answer.json({"data": [entry, {"id": "all-*"}, {"id": ""}, 3, None]})
    assert await list_models(Endpoint(server.url)) == [model]


async def test_sizes_come_from_litellms_model_info_and_addresses_do_not(
    server: ScriptedServer,
) -> None:
    info = {
        "model_name": "zeta",
        "litellm_params": {"api_base": "http://secret.internal", "model": "openai/x"},
        "model_info": {"max_input_tokens": 200_000},
    }
    server.model_info = {"data": [info, {"model_name": "claude-*", "model_info": {}}]}
    models = await list_models(Endpoint(f"{server.url}/v1"))
    assert models == [ModelInfo("Alpha"), ModelInfo("zeta", 200_000)]
    assert "secret" not in repr(models)


async def test_the_key_is_sent(server: ScriptedServer) -> None:
    server.key = "sk-right"
    assert await list_models(Endpoint(server.url, key="sk-right"))
    with pytest.raises(ProviderError) as caught:
        await list_models(Endpoint(server.url, key="sk-wrong"))
    assert caught.value.code == "unauthorized"


async def test_a_test_tells_the_models_and_the_time(server: ScriptedServer) -> None:
    result = await catalogue.test_endpoint(Endpoint(server.url))
    assert (result.ok, result.problem) == (True, "")
    assert [model.name for model in result.models] == ["Alpha", "zeta"]
    assert 0 <= result.latency_ms < 10_000


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (BEHAVIOURS["html"], "not-a-stream"),
        (BEHAVIOURS["empty-body"], "not-a-stream"),
        (BEHAVIOURS["other-json"], "not-a-stream"),
        (BEHAVIOURS["401"], "unauthorized"),
        (BEHAVIOURS["404"], "bad-request"),
        (BEHAVIOURS["500-html"], "server-error"),
        (BEHAVIOURS["close-before-headers"], "unreachable"),
        (lambda: Answer.json({"data": []}), "no-model"),
    ],
)
async def test_a_test_names_the_problem(server: ScriptedServer, answer: object, code: str) -> None:
    assert callable(answer)
    server.models_answer = answer()
    result = await catalogue.test_endpoint(Endpoint(server.url))
    assert (result.ok, result.code) == (False, code)
    assert result.problem.endswith(".")
    assert "<" not in result.problem + result.details


async def test_nothing_there_is_a_problem_too() -> None:
    result = await catalogue.test_endpoint(Endpoint("http://127.0.0.1:1"))
    assert result.code == "unreachable"
    assert "127.0.0.1:1" in result.problem


async def test_local_servers_are_found_quickly_and_our_own_port_is_left_out(
    server: ScriptedServer,
) -> None:
    with serve() as other, serve(key="k") as locked, serve() as hanging:
        hanging.models_answer = BEHAVIOURS["hang-before-headers"]()
        with serve() as web:
            web.models_answer = BEHAVIOURS["html"]()
            candidates = [
                LocalServer("One", server.port),
                LocalServer("Locked", locked.port),
                LocalServer("Hanging", hanging.port),
                LocalServer("A web site", web.port),
                LocalServer("Ours", other.port),
            ]
            async with asyncio.timeout(60):  # one of them never answers
                found = await find_local_servers(
                    without_ports=frozenset({other.port}), candidates=candidates, seconds=2
                )
    assert [one.name for one in found] == ["One", "Locked"]
    assert [model.name for model in found[0].models] == ["Alpha", "zeta"]
    assert found[1].needs_key
    assert not other.requests
