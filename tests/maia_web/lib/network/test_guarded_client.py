"""The guarded client: a name is resolved once, inside the connection; servers are real."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest

from maia_web.lib.network.addresses import OutgoingRefused
from maia_web.lib.network.guarded_client import guarded_client, resolve
from tests.support.web_server import WebServer, answers, web_server


@pytest.fixture
async def site() -> AsyncIterator[WebServer]:
    async with web_server() as server:
        server.put("/", "hello")
        yield server


async def get(url: str, *internal: str, addresses: tuple[str, ...] = ("127.0.0.1",)) -> str:
    async with guarded_client(internal, resolve=answers(*addresses)) as client:
        return (await client.get(url)).text


async def test_a_named_internal_host_is_reached_by_its_name(site: WebServer) -> None:
    assert await get(f"http://wiki.corp:{site.port}/", f"Wiki.corp:{site.port}") == "hello"
    assert f"Host: wiki.corp:{site.port}" in site.requests[0]


async def test_the_port_belongs_to_what_is_allowed(site: WebServer) -> None:
    with pytest.raises(OutgoingRefused, match=r"^port"):
        await get(f"http://wiki.corp:{site.port}/", "wiki.corp")
    assert site.requests == []


@pytest.mark.parametrize(
    "addresses",
    [
        ("127.0.0.1",),
        ("93.184.216.34", "127.0.0.1"),  # one address of the inside is enough
        ("127.0.0.1", "93.184.216.34"),
        ("169.254.169.254",),
        ("::ffff:10.0.0.1",),
        ("64:ff9b::7f00:1",),
        ("168.63.129.16",),
    ],
)
async def test_a_name_with_any_inside_address_is_refused(addresses: tuple[str, ...]) -> None:
    with pytest.raises(OutgoingRefused, match=r"^private"):
        await get("http://rebind.example/", addresses=addresses)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "0x7f.1", "2130706433", "127.1", "[::1]", "0"]
)
async def test_the_real_resolver_is_judged_too(host: str) -> None:
    async with guarded_client() as client:
        with pytest.raises(OutgoingRefused, match=r"^(private|unknown-host)"):
            await client.get(f"http://{host}/")


async def test_a_name_is_resolved_once_for_a_connection(site: WebServer) -> None:
    asked = []

    async def turning(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["10.0.0.1"]

    internal = [f"wiki.corp:{site.port}"]
    async with guarded_client(internal, resolve=turning) as client:
        assert (await client.get(f"http://wiki.corp:{site.port}/")).text == "hello"
    assert asked == ["wiki.corp"]


async def test_the_next_address_is_tried(site: WebServer) -> None:
    url, internal = f"http://wiki.corp:{site.port}/", f"wiki.corp:{site.port}"
    assert await get(url, internal, addresses=("127.0.0.2", "127.0.0.1")) == "hello"


async def test_a_proxy_of_the_environment_is_left_out(
    site: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    assert await get(f"http://wiki.corp:{site.port}/", f"wiki.corp:{site.port}") == "hello"


async def test_redirects_are_left_to_the_caller(site: WebServer) -> None:
    site.move("/", "http://10.0.0.1/")
    async with guarded_client([f"a:{site.port}"], resolve=answers("127.0.0.1")) as client:
        assert (await client.get(f"http://a:{site.port}/")).status_code == 302


async def test_credentials_never_leave() -> None:
    with pytest.raises(OutgoingRefused, match=r"^credentials"):
        await get("http://me:secret@wiki.corp/", "wiki.corp")


@pytest.mark.parametrize("found", [(), ("127.0.0.1",)])
async def test_who_is_not_there_is_told(found: tuple[str, ...]) -> None:
    with pytest.raises((OutgoingRefused, httpx.ConnectError)):
        await get("http://wiki.corp:1/", "wiki.corp:1", addresses=found)


async def test_an_unknown_name_is_told() -> None:
    async with guarded_client() as client:
        with pytest.raises(OutgoingRefused, match=r"^unknown-host"):
            await client.get("http://no-such-name.invalid/")


async def test_all_addresses_of_a_name_are_found() -> None:
    assert "127.0.0.1" in await resolve("127.0.0.1", 80)
