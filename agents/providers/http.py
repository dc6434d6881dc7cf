"""HTTP: clients for model servers, made late because httpx costs a cold start."""

from __future__ import annotations

from functools import lru_cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING

from agents.domain.model_servers.endpoint import Endpoint
from agents.providers.errors import unfit_key

if TYPE_CHECKING:
    import ssl

    import httpx

CONNECT_SECONDS = 10.0
IDLE_CONNECTIONS = 20
"""Connections that wait for the next answer, for one endpoint."""
IDLE_SECONDS = 60.0


def open_client(
    endpoint: Endpoint, *, connect: float = CONNECT_SECONDS, keep: bool = False
) -> httpx.AsyncClient:
    """Returns a client which the caller closes; `keep`: it is for more than one answer.

    No read limit: callers watch the silence themselves. A proxy of the environment is left out
    for a server on this machine. Redirects are not followed: a key must not travel on. No cookie
    is kept: what a server tells one person is not told it again for the next.
    """
    import httpx

    if endpoint.guarded is not None:
        from maia_web.lib.network.guarded_client import guarded_client

        client = guarded_client(endpoint.guarded, connect=connect)
    else:
        client = httpx.AsyncClient(
            verify=_trust(),
            trust_env=not endpoint.is_local,
            timeout=httpx.Timeout(None, connect=connect),
            limits=httpx.Limits(
                max_connections=None,
                max_keepalive_connections=IDLE_CONNECTIONS if keep else 0,
                keepalive_expiry=IDLE_SECONDS,
            ),
        )
    client.cookies = CookieJar(DefaultCookiePolicy(allowed_domains=()))
    return client


def headers(endpoint: Endpoint, accept: str) -> dict[str, str]:
    """Returns the headers of a request; raises `ProviderError` when the key cannot be sent."""
    sent = {"Accept": accept, "Accept-Encoding": "identity", "Content-Type": "application/json"}
    if endpoint.key:
        if not (endpoint.key.isascii() and endpoint.key.isprintable()):
            raise unfit_key()
        sent["Authorization"] = f"Bearer {endpoint.key}"
    return sent


@lru_cache(maxsize=1)
def _trust() -> ssl.SSLContext:
    import httpx

    return httpx.create_ssl_context()


def warm_up() -> None:
    """Loads httpx and the trusted certificates (some 0.3 s): call it in a thread at the start."""
    _trust()
