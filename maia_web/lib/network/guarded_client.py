"""Guarded client: an HTTP client that reaches the public internet and nothing else.

The only resolver sits inside the connection: a name is resolved once, refused if any of its
addresses is not public, and connected to one of exactly these addresses. TLS keeps the name.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache

import httpcore
import httpx

from maia_web.lib.network.addresses import (
    OutgoingRefused,
    check_port,
    check_url,
    is_internal,
    is_public,
)

Resolve = Callable[[str, int], Awaitable[list[str]]]
CONNECT_SECONDS = 10.0


async def resolve(host: str, port: int) -> list[str]:
    """Returns all addresses of a name; raises OSError."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class PinnedBackend(httpcore.AsyncNetworkBackend):
    """Resolves, judges and connects in one step, so that a name cannot change in between."""

    def __init__(self, internal: frozenset[str], resolve: Resolve) -> None:
        self._internal = internal
        self._resolve = resolve
        self._backend = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connects to the first address that answers; raises `OutgoingRefused`."""
        addresses = await self._allowed(host, port)
        for place, address in enumerate(addresses, start=1):
            try:
                return await self._backend.connect_tcp(
                    address, port, timeout, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if place == len(addresses):
                    raise
        raise OutgoingRefused("unknown-host", host)

    async def _allowed(self, host: str, port: int) -> list[str]:
        check_port(host, port, self._internal)
        try:
            addresses = await self._resolve(host, port)
        except (OSError, UnicodeError):
            raise OutgoingRefused("unknown-host", host) from None
        if is_internal(host, port, self._internal):
            return addresses
        if not all(is_public(address) for address in addresses):
            raise OutgoingRefused("private", host)
        return addresses

    async def sleep(self, seconds: float) -> None:
        """Waits between two tries of httpcore's (there are none)."""
        await asyncio.sleep(seconds)


class _Stream(httpx.AsyncByteStream):
    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _httpx_errors():
            async for part in self._response.aiter_stream():
                yield part

    async def aclose(self) -> None:
        await self._response.aclose()


class GuardedTransport(httpx.AsyncBaseTransport):
    """httpx over connections of `PinnedBackend`; each request's URL is checked too."""

    def __init__(self, internal: frozenset[str], resolve: Resolve) -> None:
        self._internal = internal
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=_trust(),
            network_backend=PinnedBackend(internal, resolve),
            max_connections=None,
            keepalive_expiry=5,
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Sends one request; raises `OutgoingRefused` and httpx's own errors."""
        check_url(str(request.url), self._internal)
        inner = httpcore.Request(
            method=request.method,
            url=httpcore.URL(
                scheme=request.url.raw_scheme,
                host=request.url.raw_host,
                port=request.url.port,
                target=request.url.raw_path,
            ),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        with _httpx_errors():
            response = await self._pool.handle_async_request(inner)
        return httpx.Response(
            status_code=response.status,
            headers=response.headers,
            stream=_Stream(response),
            extensions=response.extensions,
        )

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._pool.aclose()


def guarded_client(
    internal: Iterable[str] = (),
    *,
    resolve: Resolve = resolve,
    connect: float = CONNECT_SECONDS,
) -> httpx.AsyncClient:
    """Returns a client for one use, which the caller closes. No proxy, no redirects, no cookies
    of others, no limit on reading: callers set a deadline. `internal`: see `check_url`.
    """
    return httpx.AsyncClient(
        transport=GuardedTransport(frozenset(name.lower() for name in internal), resolve),
        trust_env=False,
        follow_redirects=False,
        timeout=httpx.Timeout(None, connect=connect),
    )


@cache
def _trust() -> ssl.SSLContext:
    return httpx.create_ssl_context(trust_env=False)


@contextmanager
def _httpx_errors() -> Iterator[None]:
    """Turns httpcore's errors into httpx's of the same name."""
    try:
        yield
    except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException) as error:
        raise getattr(httpx, type(error).__name__, httpx.TransportError)(str(error)) from error
