"""Publish: the only way from a service or a turn to the sockets; nothing else sends."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from django.conf import settings
from django.db import transaction

from agents.delivery import hub
from agents.delivery.signals import ACCESS, CHANNEL, FEWER, read_signal
from agents.protocol.frames import Frame
from agents.protocol.topics import channel_topic, person_topic


def on_commit(topic: str, frame: Frame) -> None:
    """Publishes a durable frame when the transaction around it commits."""
    transaction.on_commit(lambda: _send(topic, frame))


def now(topic: str, frame: Frame) -> None:
    """Publishes a frame that nothing in the database stands for; call it from a thread."""
    _send(topic, frame)


def signal_on_commit(topic: str, name: str) -> None:
    """Signals the sockets of a topic when the transaction commits."""
    transaction.on_commit(lambda: _signal(topic, name))


def channel_changed(channel_id: str, *, fewer: bool = False) -> None:
    """Lets every process tell, once it commits, what the channel is in lists now.

    `fewer`: messages that may have counted as unread are gone.
    """
    signal_on_commit(channel_topic(channel_id), FEWER if fewer else CHANNEL)


def read_on_commit(user_id: int, channel_id: str) -> None:
    """Lets every process tell this person, once it commits, what is unread of a channel."""
    signal_on_commit(person_topic(user_id), read_signal(channel_id))


def signal(topic: str, name: str) -> None:
    """Signals the sockets of a topic at once, in every web process."""
    _signal(topic, name)


def rights_changed(user_id: int) -> None:
    """Lets every process look anew at what this person has open; this one also without Redis."""
    topic = person_topic(user_id)
    hub.from_thread(hub.signal, topic, ACCESS)
    if settings.REDIS_URL:
        _signal(topic, ACCESS)


def _send(topic: str, frame: Frame) -> None:
    if settings.REDIS_URL:
        from agents.delivery import relay  # costs half a second: only where there is a Redis

        relay.send(topic, frame)
    else:
        hub.from_thread(hub.publish, topic, frame)


def _signal(topic: str, name: str) -> None:
    if settings.REDIS_URL:
        from agents.delivery import relay  # costs half a second: only where there is a Redis

        relay.send(topic, name)
    else:
        hub.from_thread(hub.signal, topic, name)


def streaming(topic: str) -> Callable[[Frame], None]:
    """Returns what publishes that which is not durable (deltas) from this loop; it never blocks.

    What goes that way leaves in order with everything durable that this process publishes. How it
    goes is found out once, not with each delta.
    """
    if settings.REDIS_URL:
        from agents.delivery import relay  # costs half a second: only where there is a Redis

        return partial(relay.put, topic)
    if hub.is_here:
        return partial(hub.publish, topic)
    return partial(hub.from_thread, hub.publish, topic)
