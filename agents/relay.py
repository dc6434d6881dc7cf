"""Relay: carries frames between processes, by one Redis subscription per web process.

One published payload holds lines `topic TAB frame` or `topic TAB !signal`; JSON has no raw newline.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable

import redis
import redis.asyncio
from django.conf import settings
from pydantic import ValidationError

from agents.hub import Hub
from agents.protocol.frames import FRAME, Frame, encode

logger = logging.getLogger(__name__)
CHANNEL = "maia:frames"
_sync: redis.Redis | None = None


def line(topic: str, item: Frame | str) -> bytes:
    """Returns one line of a payload."""
    body = b"!" + item.encode() if isinstance(item, str) else encode(item)
    return topic.encode() + b"\t" + body


def send(lines: Iterable[bytes]) -> None:
    """Publishes lines from a thread."""
    global _sync  # one connection pool per process, made on first use
    if _sync is None:
        _sync = redis.Redis.from_url(settings.REDIS_URL)
    try:
        _sync.publish(CHANNEL, b"\n".join(lines))
    except redis.RedisError:  # what it tells of is committed; sockets heal by subscribing again
        logger.exception("frames could not be published")


class Outbox:
    """Publishes from the turn host's loop; what is pending goes out together."""

    def __init__(self) -> None:
        self._redis = redis.asyncio.Redis.from_url(settings.REDIS_URL)
        self._pending: list[bytes] = []
        self._task: asyncio.Task[None] | None = None

    def put(self, topic: str, item: Frame | str) -> None:
        """Queues an item; never blocks."""
        self._pending.append(line(topic, item))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._drain(), name="relay-outbox")

    async def flush(self) -> None:
        """Returns when everything queued so far is out."""
        if self._task is not None and not self._task.done():
            await asyncio.shield(self._task)

    async def _drain(self) -> None:
        while self._pending:
            lines, self._pending = self._pending, []
            try:
                await self._redis.publish(CHANNEL, b"\n".join(lines))
            except redis.RedisError:
                logger.exception("frames could not be published; sockets heal by subscribing again")


async def follow(hub: Hub) -> None:
    """Feeds the hub for as long as the process lives; reconnects by itself.

    After a lost connection frames may be missing: every socket is told to take a new snapshot.
    """
    connection = redis.asyncio.Redis.from_url(settings.REDIS_URL, socket_timeout=None)
    first = True
    while True:
        try:
            async with connection.pubsub(ignore_subscribe_messages=True) as subscription:
                await subscription.subscribe(CHANNEL)
                if not first:
                    hub.forget_streams()
                first = False
                async for message in subscription.listen():
                    _deliver(hub, message["data"])
        except redis.RedisError:
            logger.warning("Redis is away; trying again in a second")
            await asyncio.sleep(1)


def _deliver(hub: Hub, payload: bytes) -> None:
    for entry in payload.split(b"\n"):
        topic, _, body = entry.partition(b"\t")
        if body.startswith(b"!"):
            hub.signal(topic.decode(), body[1:].decode())
            continue
        try:
            hub.publish(topic.decode(), FRAME.validate_json(body))
        except ValidationError:
            logger.warning("a frame of another release was skipped")
