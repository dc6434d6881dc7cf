"""How a request is carried out: middleware and view in one go, in one thread."""

from __future__ import annotations

from typing import Any

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from maia_web.lib.request_threads import request_threads


class PageHandler(ASGIHandler):
    """Django's, whose asynchronous chain changes threads twice for each middleware.

    All of our views are synchronous; what they await runs on the server's loop meanwhile.
    """

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Serves one HTTP request."""
        async with request_threads.lent():
            await self.handle(scope, receive, send)

    def load_middleware(self, is_async: bool = False) -> None:
        """Makes the synchronous chain, as under WSGI."""
        super().load_middleware(is_async=False)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        """Runs that chain in the thread of the request."""
        return await sync_to_async(self.get_response, thread_sensitive=True)(request)
