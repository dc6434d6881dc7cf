"""Relay: carries frames and hints between processes, through Redis.

One published payload holds lines `topic TAB frame` or `topic TAB !signal`; JSON has no raw newline.
Redis is never waited for longer than a second: what it loses heals by new snapshots.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import redis
import redis.asyncio
from django.conf import settings
from pydantic import ValidationError
from redis.backoff import NoBackoff
from redis.retry import Retry

from agents.delivery import Hub
from agents.delivery.signals import LOST
from agents.protocol.frames import FRAME, Frame, encode
from maia_web.lib.courier import PATIENCE, Courier

logger = logging.getLogger(__name__)
FRAMES = "maia:frames"
HINTS = "maia:hints"
EVERYWHERE = "*"
"""The topic of a signal to all sockets of a process."""
ASK_EVERY = 1.0
SILENT_FOR = 5.0
"""A subscription that neither says nor answers anything for so many seconds counts as dead."""
FAILURES = (redis.RedisError, OSError)


def line(topic: str, item: Frame | str) -> bytes:
    """Returns one line of a payload."""
    body = b"!" + item.encode() if isinstance(item, str) else encode(item)
    return topic.encode() + b"\t" + body


def send(topic: str, item: Frame | str) -> None:
    """Publishes from a thread; what follows in other processes comes after it."""
    _courier(settings.REDIS_URL, FRAMES).send(line(topic, item))


def put(topic: str, item: Frame | str) -> None:
    """Publishes without waiting, in order with everything else of this process."""
    _courier(settings.REDIS_URL, FRAMES).put(line(topic, item))


def hint(kind: str, id: str) -> None:
    """Wakes the hosts of turns of all processes."""
    _courier(settings.REDIS_URL, HINTS).send(line(kind, id))


def flush(seconds: float) -> None:
    """Waits at most so long until all is out that was published so far."""
    for channel in (FRAMES, HINTS):
        _courier(settings.REDIS_URL, channel).flush(seconds)


@lru_cache(maxsize=8)
def _courier(url: str, channel: str) -> Courier[bytes]:
    """One thread and connection for each; both are made when first something is sent."""
    client = redis.Redis.from_url(url, **_patience())

    def deliver(lines: Sequence[bytes]) -> None:
        client.publish(channel, b"\n".join(lines))

    return Courier(f"relay {channel}", deliver, lambda: deliver([line(EVERYWHERE, LOST)]), FAILURES)


def _patience() -> dict[str, Any]:
    return {
        "socket_timeout": PATIENCE,
        "socket_connect_timeout": PATIENCE,
        "retry": Retry(NoBackoff(), 0),
    }


async def follow(hub: Hub) -> None:
    """Feeds the hub for as long as the process lives; reconnects by itself.

    After a lost connection frames may be missing: every socket is told to take a new snapshot.
    """
    await listen(FRAMES, lambda payload: _deliver(hub, payload), hub.forget_streams, hub.redis_away)


async def listen(
    channel: str,
    take: Callable[[bytes], None],
    back: Callable[[], None] = lambda: None,
    away: Callable[[bool], None] = lambda _away: None,
) -> None:
    """Hands every payload of a channel to `take`, for ever.

    `back` is called when a connection that was lost is there again, `away` when it is known whether
    Redis answers.
    """
    connection = redis.asyncio.Redis.from_url(settings.REDIS_URL, **_patience())
    heard_before = False
    while True:
        try:
            async with connection.pubsub() as subscription:
                await subscription.subscribe(channel)
                async for message in _messages(subscription):
                    if message["type"] == "subscribe":
                        away(False)
                        if heard_before:
                            back()
                        heard_before = True
                    elif message["type"] == "message":
                        take(message["data"])
        except FAILURES as failure:
            logger.warning("Redis is away (%s); trying again in a second", failure)
            away(True)
            await asyncio.sleep(ASK_EVERY)


async def _messages(subscription: redis.asyncio.client.PubSub) -> Any:
    """Yields what comes; raises `redis.ConnectionError` when even a ping gets no answer."""
    loop = asyncio.get_running_loop()
    heard = loop.time()
    while True:
        message = await subscription.get_message(timeout=ASK_EVERY)
        if message is not None:
            heard = loop.time()
            yield message
        elif loop.time() - heard > SILENT_FOR:
            raise redis.ConnectionError(f"no answer for {SILENT_FOR:.0f} s")
        else:
            await subscription.ping()


def _deliver(hub: Hub, payload: bytes) -> None:
    for entry in payload.split(b"\n"):
        topic, _, body = entry.partition(b"\t")
        if topic == EVERYWHERE.encode():
            hub.forget_streams()
        elif body.startswith(b"!"):
            hub.signal(topic.decode(), body[1:].decode())
        else:
            _publish(hub, topic.decode(), body)


def _publish(hub: Hub, topic: str, body: bytes) -> None:
    try:
        hub.publish(topic, FRAME.validate_json(body))
    except ValidationError:
        logger.warning("a frame of another release was skipped")
