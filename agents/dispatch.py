"""Dispatch: hands work to the host of turns, wherever it lives, and wakes it with hints.

The rows are the truth; a lost hint only costs the time until the host looks by itself.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.conf import settings
from django.db import transaction

logger = logging.getLogger(__name__)
HOSTS = "maia.hosts"
Hint = dict[str, str]

_local: Callable[[Hint], None] | None = None


def register_local(receive: Callable[[Hint], None] | None) -> None:
    """The host of this process takes hints from now on; `receive` is called from any thread."""
    global _local  # one host per process, set at start-up
    _local = receive


def turn_queued(channel_id: str) -> None:
    """A turn waits in the channel: when the transaction commits, some host starts it."""
    transaction.on_commit(lambda: _start(channel_id))


def hint_on_commit(kind: str, id: str) -> None:
    """Wakes whoever waits for this: kinds "cancel" (turn id), "request" (request id), "channel".

    "channel" (channel id) goes to hosts that run already: one of them takes up a turn given back.
    """
    transaction.on_commit(lambda: _hint({"kind": kind, "id": id}))


def _start(channel_id: str) -> None:
    if settings.BROKER_URL:
        _to_broker(channel_id)
    else:
        _hint({"kind": "channel", "id": channel_id})


def _to_broker(channel_id: str) -> None:
    from celery import current_app  # costs a fifth of a second: only where there is a broker
    from kombu.exceptions import OperationalError

    try:
        current_app.send_task(
            "agents.tasks.answer", args=[channel_id], queue=settings.HOST_QUEUE, ignore_result=True
        )
    except OperationalError:
        logger.exception("the broker is away; a worker finds the turn when it looks by itself")


def _hint(hint: Hint) -> None:
    if _local is not None:
        _local(hint)
    if settings.REDIS_URL:
        _to_other_hosts(hint)


def _to_other_hosts(hint: Hint) -> None:
    from redis.exceptions import RedisError  # costs a fifth of a start: only where there is a Redis

    try:
        async_to_sync(get_channel_layer().group_send)(HOSTS, {"type": "hint", **hint})
    except (OSError, RedisError):
        logger.exception("a hint was lost; the hosts look by themselves")
