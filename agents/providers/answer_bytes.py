"""AnswerBytes: the bytes of a server's answer as they come; silence and breaks are failures."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from types import TracebackType
from typing import TYPE_CHECKING, Self, cast

from agents.providers import errors
from agents.providers.arrivals import Arrivals
from agents.providers.debug_log import DebugLog

if TYPE_CHECKING:
    import httpx


class AnswerBytes:
    """Waits `first` seconds for the first bytes, `between` for each that follow."""

    def __init__(
        self, response: httpx.Response, url: str, debug: DebugLog, first: float, between: float
    ) -> None:
        # decoded only where the server encoded them
        encoded = response.headers.get("content-encoding", "identity") != "identity"
        read = response.aiter_bytes() if encoded else response.aiter_raw()
        self._arrivals = Arrivals(cast("AsyncGenerator[bytes, None]", read))
        self._clock = asyncio.get_running_loop().time
        self._url = url
        self._debug = debug
        self._limit, self._between = first, between
        self._begun = False

    async def __aenter__(self) -> Self:
        await self._arrivals.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._arrivals.__aexit__(kind, error, trace)

    async def take(self, over: float | None = None) -> bytes | None:
        """Returns what has come; None at the end, which is at `over` (the loop's time) at last.

        Raises `ServerFailure`.
        """
        import httpx

        until = self._clock() + self._limit
        ends = over is not None and over < until
        try:
            data = await self._arrivals.take(over if over is not None and ends else until)
        except TimeoutError:
            if ends:
                return None
            raise errors.silent(self._limit, url=self._url, begun=self._begun) from None
        except httpx.HTTPError as error:
            raise errors.from_transport(error, url=self._url, begun=True) from error
        if data is not None:
            self._limit, self._begun = self._between, True
            self._debug.write(data)
        return data
