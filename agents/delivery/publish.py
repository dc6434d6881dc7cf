"""Publish: the only way from a service or a turn to the sockets; nothing else sends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from django.conf import settings
from django.db import connection, transaction

from agents.delivery import hub
from agents.delivery.signals import ACCESS, CHANNEL, FEWER, read_signal
from agents.protocol.frames import Frame
from agents.protocol.topics import channel_topic, person_topic


def on_commit(topic: str, frame: Frame) -> None:
    """Publishes a durable frame when the transaction around it commits."""
    _on_commit(topic, frame)


def now(topic: str, frame: Frame) -> None:
    """Publishes a frame that nothing in the database stands for; call it from a thread."""
    _tell([(topic, frame)])


def signal_on_commit(topic: str, name: str) -> None:
    """Signals the sockets of a topic when the transaction commits."""
    _on_commit(topic, name)


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
    _tell([(topic, name)])


def rights_changed(user_id: int) -> None:
    """Lets every process look anew at what this person has open; this one also without Redis."""
    topic = person_topic(user_id)
    hub.from_thread(hub.signal, topic, ACCESS)
    if settings.REDIS_URL:
        signal(topic, ACCESS)


class _Told:
    """Frames and signals that one transaction has for the loop: it is woken once for all of them.

    Waking it costs as much as telling it, and frames that come together leave together.
    """

    def __init__(self, topic: str, what: Frame | str) -> None:
        self.all = [(topic, what)]

    def __call__(self) -> None:
        _tell(self.all)


def _tell(told: Sequence[tuple[str, Frame | str]]) -> None:
    if settings.REDIS_URL:
        from agents.delivery import relay  # costs half a second: only where there is a Redis

        for topic, what in told:
            relay.send(topic, what)
    else:
        hub.from_thread(hub.tell, told)


def _on_commit(topic: str, what: Frame | str) -> None:
    """Adds to what is told on commit: to the last that waits, if it is told or dropped with it."""
    waiting = connection.run_on_commit
    savepoints, last = waiting[-1][:2] if waiting else (None, None)
    if isinstance(last, _Told) and savepoints == set(connection.savepoint_ids):
        last.all.append((topic, what))
    else:
        transaction.on_commit(_Told(topic, what))


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
    return lambda frame: hub.from_thread(hub.publish, topic, frame)
