"""Publish: the only way from a service or a turn to the sockets; nothing else sends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction

from agents.hub import hub
from agents.protocol.frames import Frame

if TYPE_CHECKING:
    from agents.relay import Outbox


def on_commit(topic: str, frame: Frame) -> None:
    """Publishes a durable frame when the transaction around it commits."""
    transaction.on_commit(lambda: _send(topic, frame))


def now(topic: str, frame: Frame) -> None:
    """Publishes a frame that nothing in the database stands for; call it from a thread."""
    _send(topic, frame)


def signal_on_commit(topic: str, name: str) -> None:
    """Signals the sockets of a topic when the transaction commits."""
    transaction.on_commit(lambda: _signal(topic, name))


def signal(topic: str, name: str) -> None:
    """Signals the sockets of a topic at once, in every web process."""
    _signal(topic, name)


def _send(topic: str, frame: Frame) -> None:
    if settings.REDIS_URL:
        from agents import relay  # costs half a second: only where there is a Redis

        relay.send([relay.line(topic, frame)])
    else:
        hub.from_thread(hub.publish, topic, frame)


def _signal(topic: str, name: str) -> None:
    if settings.REDIS_URL:
        from agents import relay  # costs half a second: only where there is a Redis

        relay.send([relay.line(topic, name)])
    else:
        hub.from_thread(hub.signal, topic, name)


class Stream:
    """Publishes what is not durable (deltas) from the loop on which a turn runs."""

    def __init__(self) -> None:
        self._outbox = _outbox() if settings.REDIS_URL else None

    def send(self, topic: str, frame: Frame) -> None:
        """Publishes at once; never blocks."""
        if self._outbox is None:
            hub.from_thread(hub.publish, topic, frame)
        else:
            self._outbox.put(topic, frame)

    async def flush(self) -> None:
        """Returns when everything sent so far has left, so that a durable frame may follow."""
        if self._outbox is not None:
            await self._outbox.flush()


def _outbox() -> Outbox:
    from agents.relay import Outbox

    return Outbox()
