"""Catalogue: which models a server offers, which servers run here, whether one works (M §7.4)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from agents.domain.model_servers.endpoint import Endpoint, join_url
from agents.engine.ports.model import ProviderError
from agents.providers import errors
from agents.providers.clean import clean_text, read_json
from agents.providers.echoes import without_key
from agents.providers.http import headers, open_client
from agents.providers.local_model import wake
from agents.providers.sentences import sentence
from maia_web.lib.network.addresses import OutgoingRefused

if TYPE_CHECKING:
    import httpx

LIST_SECONDS = 15.0
PROBE_SECONDS = 0.5
LARGEST_LIST = 8 * 1024 * 1024
INFO_PATH = "/model/info"
_SIZES = (
    "max_input_tokens",
    "max_model_len",
    "context_length",
    "max_context_length",
    "context_window",
    "n_ctx",
    "n_ctx_train",
)


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model a server offers; `context_size` in tokens where the server tells it."""

    name: str
    context_size: int | None = None


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A kind of server that people run on their machine, and its usual port."""

    name: str
    port: int


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A server that answers on this machine; `needs_key` when it lists nothing without one."""

    name: str
    url: str
    models: tuple[ModelInfo, ...] = ()
    needs_key: bool = False


@dataclass(frozen=True, slots=True)
class EndpointTest:
    """What trying an endpoint showed; `problem` is a sentence for people, "" when it works."""

    ok: bool
    latency_ms: int
    models: tuple[ModelInfo, ...] = ()
    code: str = ""
    problem: str = ""
    details: str = ""


LOCAL_SERVERS = (
    LocalServer("LiteLLM", 4000),
    LocalServer("Ollama", 11434),
    LocalServer("LM Studio", 1234),
    LocalServer("llama.cpp", 8080),
    LocalServer("vLLM", 8000),
)


async def list_models(endpoint: Endpoint, *, timeout: float = LIST_SECONDS) -> list[ModelInfo]:
    """Returns the models by name, without doubles; raises `ProviderError`.

    Sizes come from the list itself, else from LiteLLM's `/model/info`, of which nothing but
    names and sizes is read: it also shows the addresses behind the proxy.
    """
    sent = headers(endpoint, "application/json")
    await wake(endpoint)
    with without_key(endpoint.key):
        async with open_client(endpoint, connect=timeout) as client:
            listed, known = await asyncio.gather(
                _get(client, endpoint.models_url, sent, timeout),
                _sizes_of_litellm(client, endpoint, sent, timeout),
            )
        models = dict(_entries(listed, endpoint.models_url))
    return [
        ModelInfo(name, models[name] or known.get(name)) for name in sorted(models, key=str.lower)
    ]


async def test_endpoint(endpoint: Endpoint) -> EndpointTest:
    """Lists the models of `endpoint` and tells how long it took, or why it failed; never raises."""
    started = time.monotonic()
    try:
        models = await list_models(endpoint)
    except ProviderError as error:
        result = EndpointTest(False, 0, (), error.code, error.message, error.details)
    else:
        words = "" if models else sentence("no-models", url=errors.origin(endpoint.url))
        code = "" if models else "no-model"
        result = EndpointTest(bool(models), 0, tuple(models), code, words)
    return replace(result, latency_ms=round((time.monotonic() - started) * 1000))


async def find_local_servers(
    *,
    without_ports: frozenset[int] = frozenset(),
    candidates: Iterable[LocalServer] = LOCAL_SERVERS,
    seconds: float = PROBE_SECONDS,
) -> list[FoundServer]:
    """Returns the servers that answer on this machine within `seconds`, asked all at once.

    `without_ports`: ports not to ask, such as MAIA's own.
    """
    asked = [one for one in candidates if one.port not in without_ports]
    found = await asyncio.gather(*(_probe(one, seconds) for one in asked))
    return [server for server in found if server is not None]


async def _probe(candidate: LocalServer, seconds: float) -> FoundServer | None:
    url = f"http://127.0.0.1:{candidate.port}"
    try:
        async with asyncio.timeout(seconds):
            models = await list_models(Endpoint(url), timeout=seconds)
    except TimeoutError:
        return None
    except ProviderError as error:
        needs_key = error.code == "unauthorized"
        return FoundServer(candidate.name, url, needs_key=True) if needs_key else None
    return FoundServer(candidate.name, url, tuple(models))


async def _get(client: httpx.AsyncClient, url: str, sent: dict[str, str], timeout: float) -> Any:
    import httpx

    try:
        async with asyncio.timeout(timeout), client.stream("GET", url, headers=sent) as response:
            body = b""
            async for data in response.aiter_bytes():
                body += data
                if len(body) > LARGEST_LIST:
                    raise errors.too_large(f"more than {LARGEST_LIST} bytes")
    except TimeoutError:
        raise errors.silent(timeout, url=url, begun=False) from None
    except OutgoingRefused as refused:
        raise errors.not_reached(url, refused) from refused
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise errors.from_transport(error, url=url, begun=False) from error
    if not response.is_success:
        raise errors.from_response(response.status_code, response.headers, body, url=url)
    try:
        return read_json(body)
    except ValueError:
        raise errors.not_a_stream(url, body) from None


async def _sizes_of_litellm(
    client: httpx.AsyncClient, endpoint: Endpoint, sent: dict[str, str], timeout: float
) -> dict[str, int]:
    url = join_url(endpoint.url.strip().rstrip("/").removesuffix("/v1"), INFO_PATH)
    try:
        entries = _entries(await _get(client, url, sent, timeout), url)
    except ProviderError:
        return {}  # every other server has no such route
    return {name: size for name, size in entries if size is not None}


def _entries(listed: Any, url: str) -> list[tuple[str, int | None]]:
    data = listed.get("data", listed.get("models")) if isinstance(listed, dict) else listed
    if not isinstance(data, list):
        raise errors.not_a_stream(url, b"no list of models")
    named = [(_name(entry), _size(entry)) for entry in data if isinstance(entry, dict | str)]
    return [(name, size) for name, size in named if name and "*" not in name]


def _name(entry: dict[str, Any] | str) -> str:
    if isinstance(entry, str):
        return clean_text(entry)
    names = (entry.get(field) for field in ("id", "model_name", "name"))
    return clean_text(next((name for name in names if isinstance(name, str) and name), ""))


def _size(entry: dict[str, Any] | str) -> int | None:
    if isinstance(entry, str):
        return None
    places = [entry, entry.get("model_info"), entry.get("meta")]
    values = (place.get(size) for place in places if isinstance(place, dict) for size in _SIZES)
    return next((int(one) for one in values if isinstance(one, int | float) and one >= 1), None)
