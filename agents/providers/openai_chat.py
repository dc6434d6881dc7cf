"""OpenAIChat: a model behind an OpenAI-compatible server, LiteLLM first (seed M §7)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    aclosing,
    asynccontextmanager,
    suppress,
)
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agents.domain.content.model_messages import tool_uses
from agents.domain.model_servers.endpoint import Endpoint
from agents.domain.model_servers.traits import Traits
from agents.engine.ports.model import (
    ChatRequest,
    LeftOut,
    ProviderError,
    Retrying,
    StreamEvent,
    TextDelta,
)
from agents.providers import errors
from agents.providers.answer_bytes import AnswerBytes
from agents.providers.chat_chunks import ChatChunks
from agents.providers.clean import read_json
from agents.providers.debug_log import DebugLog, debug_path
from agents.providers.echoes import hidden, without_key
from agents.providers.http import CONNECT_SECONDS, headers, open_client
from agents.providers.kept_clients import KeptClients
from agents.providers.local_model import wake
from agents.providers.refusals import Learned, learn
from agents.providers.request_body import NO_TRAITS, build_body, dump
from agents.providers.sse import LARGEST_EVENT, EventTooLarge, SseParser
from maia_web.lib.network.addresses import OutgoingRefused

if TYPE_CHECKING:
    import httpx

log = logging.getLogger(__name__)
LONGEST_WAIT = 30.0
END_SECONDS = 0.02
"""So long is waited for the end of an answer that is complete."""
_KEPT_BODY = 64 * 1024
_MOST_REFUSALS = 8
Learn = Callable[[Traits], Awaitable[None]]
_LOGGED = ("x-litellm-call-id", "x-litellm-model-id", "x-litellm-response-cost", "x-request-id")


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait, in seconds, and how often to try."""

    connect: float = CONNECT_SECONDS
    first_byte: float = 300.0
    between_chunks: float = 300.0
    after_finish: float = 1.0
    backoff: float = 1.0
    tries: int = 3


class OpenAIChat:
    """A `Provider` over chat completions; cancelling a stream closes its connection at once."""

    def __init__(
        self,
        endpoint: Endpoint,
        model: str,
        client: httpx.AsyncClient | None = None,
        *,
        kept: KeptClients | None = None,
        patience: Patience | None = None,
        traits: Traits = NO_TRAITS,
        learned: Learn | None = None,
    ) -> None:
        self.endpoint = endpoint
        self.model = model
        self.source = f"{endpoint.chat_url} {model}"
        self._client = client
        self._kept = kept
        self._patience = patience or Patience()
        self._traits = traits
        self._learned = learned

    async def stream(self, request: ChatRequest) -> AsyncGenerator[StreamEvent, None]:
        """Yields the events of one answer, ended by `Done`; raises `ProviderError`.

        Busy, broken and unreachable servers are tried again while no event has left yet, and a
        request of which a field was refused is made without it: if that helps, `learned` hears of
        it, to make the next one so from the beginning. Use it within `contextlib.aclosing`, so that
        leaving early closes the connection.
        """
        attempt = 1
        found: list[Learned] = []
        while True:
            begun = False
            try:
                async with aclosing(self._answer(request)) as events:
                    with without_key(self.endpoint.key):
                        async for event in events:
                            if not begun:
                                begun = True
                                for told in await self._keep(found):
                                    yield told
                            yield event
            except errors.ServerFailure as failure:
                if (
                    not begun
                    and len(found) < _MOST_REFUSALS
                    and self._adapt(failure, request, found)
                ):
                    continue
                delay = self._delay(failure, attempt)
                if begun or delay is None:
                    raise
                log.info("model server: %s; try %d in %.1f s", failure.details, attempt, delay)
                yield Retrying(attempt, delay, failure.message)
                await asyncio.sleep(delay)
                attempt += 1
            else:
                return

    def _delay(self, failure: errors.ServerFailure, attempt: int) -> float | None:
        """Returns the seconds to wait before the next try, or None to give up."""
        if not failure.passing or attempt >= self._patience.tries:
            return None
        delay = self._patience.backoff * 2 ** (attempt - 1)
        if failure.retry_after is not None:
            delay = max(delay, failure.retry_after)
        return delay if delay <= LONGEST_WAIT else None

    def _adapt(
        self, failure: errors.ServerFailure, request: ChatRequest, found: list[Learned]
    ) -> bool:
        """Notes which field the server refused; returns whether to ask again without it."""
        new = learn(self._traits, failure, self._request_body(request))
        if new is None:
            return False
        log.info("model server refuses %s: %s", new.field, failure.details)
        found.append(new)
        self._traits = new.traits
        return True

    async def _keep(self, found: list[Learned]) -> list[StreamEvent]:
        """What was left out helped: tells whoever keeps it, and the person."""
        lasting = [one for one in found if one.lasting]
        if lasting and self._learned is not None:
            passing = {one.field for one in found if not one.lasting}
            kept = tuple(name for name in self._traits.left_out if name not in passing)
            await self._learned(self._traits.model_copy(update={"left_out": kept}))
        key = self.endpoint.key
        return [LeftOut(one.field, hidden(one.message, key)) for one in lasting if one.message]

    def _request_body(self, request: ChatRequest) -> dict[str, Any]:
        return build_body(
            self.model,
            request,
            self.endpoint.max_output_tokens,
            traits=self._traits,
            source=self.source,
        )

    async def _answer(self, request: ChatRequest) -> AsyncGenerator[StreamEvent, None]:
        chunks, parser, head = self._chunks(request), SseParser(), bytearray()
        end = _End(self._patience.after_finish)
        async with self._asked(request) as answer:
            while (data := await answer.take(end.after(chunks))) is not None:
                if not parser.seen_any and len(head) < LARGEST_EVENT:
                    head += data
                for event in joined(_split(parser, data), chunks):
                    yield event
                if chunks.done:
                    await self._read_end(answer)
                    break
            for one in parser.finish():
                for event in chunks.read(one):
                    yield event
            last = chunks.finish() if parser.seen_any else self._completion(chunks, bytes(head))
            for event in last:
                yield event

    def _chunks(self, request: ChatRequest) -> ChatChunks:
        return ChatChunks(
            self.model,
            frozenset(use.id for message in request.messages for use in tool_uses(message)),
            request.max_tokens or self.endpoint.max_output_tokens,
            self.source,
            frozenset(tool.name for tool in request.tools),
            written_calls=self._traits.written_calls,
        )

    @asynccontextmanager
    async def _asked(self, request: ChatRequest) -> AsyncIterator[AnswerBytes]:
        async with AsyncExitStack() as stack:
            debug = stack.enter_context(DebugLog(debug_path()))
            response = await self._send(request, stack)
            debug.note(f"HTTP {response.status_code} {self.endpoint.chat_url} {self.model}")
            yield await stack.enter_async_context(self._bytes(response, debug))

    def _bytes(self, response: httpx.Response, debug: DebugLog) -> AnswerBytes:
        patience = self._patience
        return AnswerBytes(
            response, self.endpoint.chat_url, debug, patience.first_byte, patience.between_chunks
        )

    async def _read_end(self, answer: AnswerBytes) -> None:
        """Reads what follows the last event, mostly nothing: a connection that is over is kept."""
        if self._kept is not None:
            over = asyncio.get_running_loop().time() + END_SECONDS
            with suppress(ProviderError):
                while await answer.take(over) is not None:
                    pass

    def _completion(self, chunks: ChatChunks, body: bytes) -> list[StreamEvent]:
        """Reads an answer that is one JSON completion although a stream was asked for."""
        try:
            value = read_json(body)
        except ValueError:
            value = None
        if not isinstance(value, dict) or not ("choices" in value or value.get("error")):
            raise errors.not_a_stream(self.endpoint.chat_url, body)
        events = chunks.take(value)
        chunks.done = True
        return events + chunks.finish()

    async def _send(self, request: ChatRequest, stack: AsyncExitStack) -> httpx.Response:
        import httpx

        body = self._request_body(request)
        sent = headers(self.endpoint, "text/event-stream")
        await wake(self.endpoint)
        client = self._client
        if client is None:
            client = await stack.enter_async_context(self._open())
        url, content = self.endpoint.chat_url, dump(body)
        try:
            async with asyncio.timeout(self._patience.first_byte):
                response = await self._ask(client, url, content, sent)
        except TimeoutError:
            raise errors.silent(self._patience.first_byte, url=url, begun=False) from None
        except OutgoingRefused as refused:
            raise errors.not_reached(url, refused) from refused
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise errors.from_transport(error, url=url, begun=False) from error
        stack.push_async_callback(response.aclose)
        log.debug("model server: %s", {name: response.headers.get(name) for name in _LOGGED})
        if not response.is_success:
            refusal = await self._body(response, _KEPT_BODY)
            raise errors.from_response(
                response.status_code, response.headers, refusal, url=url, model=self.model
            )
        return response

    def _open(self) -> AbstractAsyncContextManager[httpx.AsyncClient]:
        opening = open_client if self._kept is None else self._kept.use
        return opening(self.endpoint, connect=self._patience.connect)

    async def _ask(
        self, client: httpx.AsyncClient, url: str, content: bytes, headers: dict[str, str]
    ) -> httpx.Response:
        """Sends a request; once more where it met the end of a connection that was kept."""
        import httpx

        def message() -> httpx.Request:
            return client.build_request("POST", url, content=content, headers=headers)

        try:
            return await client.send(message(), stream=True)
        except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError):
            if self._kept is None:
                raise
            return await client.send(message(), stream=True)

    async def _body(self, response: httpx.Response, most: int) -> bytes:
        body = b""
        async with self._bytes(response, DebugLog(None)) as answer:
            while len(body) <= most and (data := await answer.take()) is not None:
                body += data
        return body


class _End:
    """Some servers send neither `[DONE]` nor an end, but go on with heartbeats for ever."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._over: float | None = None
        self._said = 0

    def after(self, chunks: ChatChunks) -> float | None:
        """Returns when an answer that is finished counts as over, as the loop's time."""
        if chunks.finished and (self._over is None or chunks.said > self._said):
            self._over = asyncio.get_running_loop().time() + self._seconds
            self._said = chunks.said
        return self._over


def joined(data: list[bytes], chunks: ChatChunks) -> Iterator[StreamEvent]:
    """Yields the events of what arrived at once; text that goes on is one event.

    A model that is quicker than its readers then costs per network packet, not per token.
    """
    texts: list[str] = []
    try:
        for one in data:
            for event in chunks.read(one):
                if isinstance(event, TextDelta):
                    texts.append(event.text)
                    continue
                yield from _text(texts)
                yield event
    except ProviderError:
        yield from _text(texts)
        raise
    yield from _text(texts)


def _text(texts: list[str]) -> Iterator[StreamEvent]:
    if texts:
        yield TextDelta("".join(texts))
        texts.clear()


def _split(parser: SseParser, data: bytes) -> list[bytes]:
    try:
        return parser.feed(data)
    except EventTooLarge as error:
        raise errors.too_large(str(error)) from error
