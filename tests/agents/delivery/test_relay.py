"""The relay: what one process publishes reaches the hub of another through a real Redis."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import redis as redis_client
from hypothesis import given
from hypothesis import strategies as st

from agents.delivery import Client, Hub, relay
from agents.protocol.frames import FRAME, Frame, MessageDelta, TurnChanged
from maia_web.lib.courier import PATIENCE
from tests.support.services import Redis, run_redis

TOPIC = "channel.c"


def delta(text: str, offset: int = 0) -> MessageDelta:
    return MessageDelta(channel="c", message_id="m", index=0, kind="text", text=text, offset=offset)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_line_holds_any_text_on_one_line(text: str) -> None:
    line = relay.line(TOPIC, delta(text))
    assert b"\n" not in line
    topic, _, body = line.partition(b"\t")
    assert topic.decode() == TOPIC
    assert FRAME.validate_json(body) == delta(text)


class Ears:
    """A hub with one reader."""

    def __init__(self) -> None:
        self.hub = Hub()
        self.heard: list[str] = []
        self.news = asyncio.Condition()
        client = Client(self._write, lambda _why: None, self._signal)
        self.hub.join(TOPIC, client)

    async def _write(self, body: str) -> None:
        await self._hear(body)

    def _signal(self, name: str) -> None:
        self._telling = asyncio.create_task(self._hear("!" + name))

    async def _hear(self, what: str) -> None:
        async with self.news:
            self.heard.append(what)
            self.news.notify_all()

    async def until(self, true: Callable[[str], bool]) -> None:
        async with asyncio.timeout(60), self.news:
            await self.news.wait_for(lambda: true("".join(self.heard)))


@pytest.fixture
async def ears(redis_server: Redis, settings: Any) -> AsyncIterator[Ears]:
    redis_server.clear()
    settings.REDIS_URL = redis_server.url(0)
    ears = Ears()
    following = asyncio.create_task(relay.follow(ears.hub))
    await asyncio.to_thread(_until_subscribed, redis_server)
    yield ears
    following.cancel()
    await asyncio.gather(following, return_exceptions=True)


def _until_subscribed(server: Redis) -> None:
    end = time.monotonic() + 10
    with redis_client.Redis(port=server.port) as connection:
        while not connection.pubsub_numsub(relay.FRAMES)[0][1]:
            assert time.monotonic() < end, "the relay never subscribed"
            time.sleep(0.01)


@pytest.mark.services
@pytest.mark.xdist_group("many")
async def test_frames_and_signals_of_threads_and_streams_arrive_in_order(ears: Ears) -> None:
    frame: Frame = TurnChanged(channel="c", seq=4, busy=True, queued=0)
    await asyncio.to_thread(relay.send, TOPIC, frame)
    await asyncio.to_thread(relay.send, TOPIC, "channels")
    await ears.until(lambda heard: '"seq":4' in heard and "!channels" in heard)

    words = [f"{number}🙂 " for number in range(200)]
    offset = 0
    for word in words:
        relay.put(TOPIC, delta(word, offset))
        offset += len(word) + 1  # the emoji counts two
    await asyncio.to_thread(relay.send, TOPIC, "done")
    await ears.until(lambda heard: "!done" in heard and words[-1] in heard)
    assert "".join(words) in "".join(ears.heard)


@pytest.mark.services
@pytest.mark.xdist_group("many")
async def test_what_is_not_understood_is_skipped_and_the_rest_arrives(
    ears: Ears, redis_server: Redis
) -> None:
    junk = TOPIC.encode() + b'\t{"type":"later:invented"}'
    with redis_client.Redis(port=redis_server.port) as connection:
        connection.publish(relay.FRAMES, b"\n".join([junk, b"", relay.line(TOPIC, "after")]))
    await ears.until(lambda heard: heard == "!after")


@pytest.mark.services
@pytest.mark.xdist_group("many")
async def test_a_lost_connection_tells_every_reader_to_come_again(
    ears: Ears, redis_server: Redis
) -> None:
    with redis_client.Redis(port=redis_server.port) as connection:
        connection.client_kill_filter(_type="pubsub")
    await ears.until(lambda heard: "!lost" in heard)


async def test_without_redis_what_is_committed_stays_and_nothing_is_raised(
    settings: Any,
) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:9/0"
    async with asyncio.timeout(20):
        await asyncio.to_thread(relay.send, TOPIC, "lost")
        relay.put(TOPIC, delta("lost"))
        await asyncio.to_thread(relay.send, TOPIC, "lost")


@pytest.mark.services
@pytest.mark.xdist_group("many")
async def test_a_redis_that_does_not_answer_is_waited_for_once_and_heals_by_snapshots(
    settings: Any,
) -> None:
    """Stopped, not ended: its connections stay open and take what is written."""
    with run_redis() as server:
        settings.REDIS_URL = server.url(0)
        ears = Ears()
        following = asyncio.create_task(relay.follow(ears.hub))
        await asyncio.to_thread(_until_subscribed, server)
        try:
            os.kill(server.pid, signal.SIGSTOP)
            waits = [await asyncio.to_thread(_seconds, relay.send, "lost") for _ in range(20)]
            await ears.until(lambda heard: '"away":["redis"]' in heard)
            os.kill(server.pid, signal.SIGCONT)
            await ears.until(lambda heard: "!lost" in heard and '"away":[]' in heard)
            async with asyncio.timeout(60):  # the sender finds out for itself that it is back
                while "!after" not in ears.heard:
                    await asyncio.to_thread(relay.send, TOPIC, "after")
        finally:
            os.kill(server.pid, signal.SIGCONT)
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)
    # once a second or so, and never again; the machine may be busy
    assert sum(wait > PATIENCE / 2 for wait in waits) <= 2


def _seconds(send: Callable[[str, str], None], name: str) -> float:
    began = time.monotonic()
    send(TOPIC, name)
    return time.monotonic() - began
