"""WebFetch: a page of the public internet as text; never of the inside (seed M §8)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from agents.domain.tools.parameters import LONGEST_PAGE
from agents.engine.ports.tools import ToolContext, ToolFailure, ToolOutput
from agents.tools.base import BuiltinTool, short
from agents.tools.web_page import FetchFailed, OpenClient, Page, fetch
from agents.tools.web_text import NotText, WebText, read_body
from agents.tools.web_texts import web_text
from maia_web.lib.network.addresses import OutgoingRefused

if TYPE_CHECKING:
    import httpx

SECONDS = 30.0
MAX_LENGTH = 20_000
LONGEST = LONGEST_PAGE


class WebFetchTool(BuiltinTool):
    """Fetches; `open_client` gives the guarded way out, once a call."""

    name = "WebFetch"
    kind = "fetch"
    default_permission = "ask"

    def __init__(self, language: str = "en", open_client: OpenClient | None = None) -> None:
        super().__init__(language)
        self._open_client = open_client or _open_client

    def title(self, input: dict[str, Any]) -> str:
        """The address."""
        return short(input.get("url"))

    async def run(self, input: dict[str, Any], context: ToolContext) -> ToolOutput:
        """Returns a header (address, type, title, a warning) and the content."""
        url, length = input["url"], input.get("max_length", MAX_LENGTH)
        page = await self._page(url, context.language)
        if page.moved:
            return ToolOutput(web_text("moved", context.language, url=page.url, moved=page.moved))
        try:
            read = await asyncio.to_thread(read_body, page.body, page.content_type, page.url)
        except NotText as error:
            text = web_text("not-text", context.language, url=page.url, kind=str(error)[:100])
            raise ToolFailure(text) from error
        return ToolOutput(_told(page, read, length, context.language))

    async def _page(self, url: str, language: str) -> Page:
        import httpx

        host = urlsplit(url).hostname or ""
        try:
            async with asyncio.timeout(SECONDS), self._open_client() as client:
                return await fetch(client, url)
        except OutgoingRefused as refused:
            text = web_text(f"{refused.code}", language, host=refused.host or host)
        except FetchFailed as failed:
            text = web_text(f"{failed.code}", language, url=url, **failed.data)
        except TimeoutError:
            text = web_text("timeout", language, url=url, limit=round(SECONDS))
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            reason = short(error) or type(error).__name__
            text = web_text("unreachable", language, url=url, message=reason)
        raise ToolFailure(text)


def _open_client() -> httpx.AsyncClient:
    from maia_web.lib.network.guarded_client import guarded_client

    return guarded_client()


def _told(page: Page, read: WebText, length: int, language: str) -> str:
    head = web_text("head", language, url=page.url, kind=read.kind)
    if read.title:
        head += "\n" + web_text("title", language, title=read.title)
    warning = web_text("untrusted", language)
    text = read.text[:length] or web_text("empty", language)
    if len(read.text) > length:
        text += "\n" + web_text("more", language, count=len(read.text) - length, most=LONGEST)
    return f"{head}\n{warning}\n\n{text}"
