"""Web page: one address fetched within limits, redirects on the same host included (M §8)."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import urljoin, urlsplit

if TYPE_CHECKING:
    import httpx

MAX_BYTES = 5_000_000
MAX_REDIRECTS = 5
USER_AGENT = "Mozilla/5.0 (compatible; MAIA WebFetch)"
_ACCEPT = "text/html,application/xhtml+xml,application/json;q=0.9,text/*;q=0.8,*/*;q=0.1"
_MOVED = frozenset({301, 302, 303, 307, 308})
OpenClient = Callable[[], "httpx.AsyncClient"]


class FetchFailed(Exception):
    """The page cannot be read. `code` names a sentence, `data` its values."""

    def __init__(
        self, code: Literal["status", "too-big", "redirects", "encoding"], **data: object
    ) -> None:
        super().__init__(code)
        self.code = code
        self.data = data


@dataclass(frozen=True, slots=True)
class Page:
    """What was received; `moved` is set, and the rest empty, when it leads to another host."""

    url: str
    content_type: str = ""
    body: bytes = b""
    moved: str = ""


async def fetch(client: httpx.AsyncClient, url: str) -> Page:
    """Returns the page; raises `FetchFailed`, `OutgoingRefused` and httpx's errors.

    There is no time limit here: the caller sets one over all hops together.
    """
    for _hop in range(MAX_REDIRECTS + 1):
        page, following = await _get(client, url)
        if page is not None:
            return page
        if not _same_host(url, following):
            return Page(url, moved=following)
        url = following
    raise FetchFailed("redirects", count=MAX_REDIRECTS)


async def _get(client: httpx.AsyncClient, url: str) -> tuple[Page | None, str]:
    headers = {"Accept": _ACCEPT, "Accept-Encoding": "gzip, deflate", "User-Agent": USER_AGENT}
    async with client.stream("GET", url, headers=headers) as response:
        location = response.headers.get("location", "")
        if response.status_code in _MOVED and location:
            return None, urljoin(url, location)
        if not response.is_success:
            reason = f"{response.status_code} {response.reason_phrase}".strip()
            raise FetchFailed("status", status=reason)
        body = await _body(response)
        return Page(url, response.headers.get("content-type", ""), body), ""


async def _body(response: httpx.Response) -> bytes:
    """Counts what comes out of the decompression: a small answer may unfold to gigabytes."""
    unfold = _unfolder(response.headers.get("content-encoding", ""))
    parts: list[bytes] = []
    size = 0
    async for received in response.aiter_raw():
        part = unfold(received, MAX_BYTES + 1 - size)
        size += len(part)
        if size > MAX_BYTES:
            raise FetchFailed("too-big", limit=MAX_BYTES // 1_000_000)
        parts.append(part)
    return b"".join(parts)


def _unfolder(encoding: str) -> Callable[[bytes, int], bytes]:
    """Returns what unfolds a piece into at most so many bytes."""
    name = encoding.strip().lower()
    if name in {"", "identity"}:
        return lambda data, _room: data
    if name not in {"gzip", "x-gzip", "deflate"}:
        raise FetchFailed("encoding", name=name[:50])
    unfolding = zlib.decompressobj(zlib.MAX_WBITS | 32)  # finds out whether gzip or zlib

    def unfold(data: bytes, room: int) -> bytes:
        try:
            return unfolding.decompress(data, room)
        except zlib.error:
            raise FetchFailed("encoding", name=name) from None

    return unfold


def _same_host(one: str, other: str) -> bool:
    return (urlsplit(one).hostname or "").lower() == (urlsplit(other).hostname or "").lower()
