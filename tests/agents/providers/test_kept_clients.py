"""Kept clients: one connection for many answers, and nothing of one person in another's."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from agents.domain.model_servers.endpoint import Endpoint
from agents.engine.ports.model import ChatRequest, TextDelta
from agents.providers.kept_clients import KeptClients
from agents.providers.openai_chat import OpenAIChat, Patience

ASK = ChatRequest(system="", messages=())
EVENT = b'data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n"
ANSWER = HEAD + b"Set-Cookie: who=you\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(EVENT), EVENT)


@dataclass
class KeepingServer:
    """Answers as often as it is asked on a connection; `deaf`: it closes at the next request."""

    url: str = ""
    connections: int = 0
    heads: list[str] = field(default_factory=list)
    deaf: bool = False

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                length = int(head.partition("content-length: ")[2].split("\r\n")[0])
                await reader.readexactly(length)
                if self.deaf:
                    self.deaf = False
                    return
                self.heads.append(head)
                writer.write(ANSWER)
                await writer.drain()
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def keeping() -> AsyncIterator[tuple[KeepingServer, KeptClients]]:
    server, kept = KeepingServer(), KeptClients(most=2)
    listener = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    try:
        yield server, kept
    finally:
        await kept.close()
        listener.close()


async def ask(server: KeepingServer, kept: KeptClients, key: str = "") -> str:
    # who waits between two tries waits for longer than the test may take
    patience = Patience(backoff=1_000)
    chat = OpenAIChat(Endpoint(server.url, key=key), "m", kept=kept, patience=patience)
    async with asyncio.timeout(20):
        events = [event async for event in chat.stream(ASK)]
    return "".join(event.text for event in events if isinstance(event, TextDelta))


async def test_the_next_answer_comes_over_the_same_connection() -> None:
    async with keeping() as (server, kept):
        assert [await ask(server, kept, "a") for _ in range(3)] == ["hi"] * 3
        assert (server.connections, len(kept)) == (1, 1)


async def test_no_cookie_goes_back_and_another_key_gets_another_connection() -> None:
    async with keeping() as (server, kept):
        for key in ("a", "b", "a"):
            await ask(server, kept, key)
        assert server.connections == 2
        assert not any("cookie" in head for head in server.heads)
        keys = [head.partition("authorization: bearer ")[2][0] for head in server.heads]
        assert keys == ["a", "b", "a"]


async def test_a_connection_that_ended_meanwhile_costs_no_waiting() -> None:
    async with keeping() as (server, kept):
        await ask(server, kept)
        server.deaf = True
        assert await ask(server, kept) == "hi"
        assert server.connections == 2


async def test_only_so_many_wait_and_none_is_taken_from_who_uses_it() -> None:
    async with keeping() as (server, kept):
        async with kept.use(Endpoint(server.url, key="used")) as client:
            for key in ("a", "b", "c", "d"):
                await ask(server, kept, key)
            assert len(kept) == 3
            assert not client.is_closed
        assert len(kept) == 2


async def test_a_persons_own_server_is_kept_too() -> None:
    async with keeping() as (server, kept):
        endpoint = Endpoint(server.url, guarded=frozenset({server.url.removeprefix("http://")}))
        for _ in range(2):
            async for _event in OpenAIChat(endpoint, "m", kept=kept).stream(ASK):
                pass
        assert server.connections == 1
