"""Hub: fans frames out to the sockets of this process, without the channel layer."""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeVarTuple

from agents.delivery.client import Client
from agents.delivery.packets import packet
from agents.delivery.signals import ACCESS, AGAIN, LOST
from agents.delivery.unknown_answers import UnknownAnswers
from agents.domain.content.live_parts import LiveParts
from agents.domain.content.parts import Part
from agents.domain.content.transcript import OutOfOrder, offset_of
from agents.protocol.fold import fold_delta
from agents.protocol.frames import (
    Answering,
    ChannelCurrent,
    ChannelSnapshot,
    Frame,
    MessageDelta,
    MessageUpdated,
    SiteState,
    TurnChanged,
)
from agents.protocol.topics import EVERYBODY, channel_topic, is_person

logger = logging.getLogger(__name__)
Ts = TypeVarTuple("Ts")
AGAIN_AFTER = 0.5


@dataclass(slots=True)
class Hub:
    """Topics, their clients, and the answers that stream now. Only used on its event loop.

    `leases`: under which lease each of these answers is written now, as far as is known.
    """

    clients: defaultdict[str, set[Client]] = field(default_factory=lambda: defaultdict(set))
    live: dict[str, LiveParts] = field(default_factory=dict)
    leases: dict[str, int] = field(default_factory=dict)
    unknown: UnknownAnswers = field(default_factory=UnknownAnswers)
    is_redis_away: bool = False
    coming_again: set[str] = field(default_factory=set)
    loop: asyncio.AbstractEventLoop | None = None
    listeners: set[Callable[[str, str], None]] = field(default_factory=set)
    """Each hears every signal of this process, whoever else does: topic and name."""

    def join(self, topic: str, client: Client) -> None:
        """Sends the topic's packets to the client from now on."""
        client.topics.add(topic)
        self.clients[topic].add(client)

    def leave(self, topic: str, client: Client) -> None:
        """Ends that."""
        client.topics.discard(topic)
        members = self.clients.get(topic)
        if members is not None:
            members.discard(client)
            if not members:
                del self.clients[topic]

    def leave_all(self, client: Client) -> None:
        """Forgets a client whose socket is gone."""
        for topic in tuple(client.topics):
            self.leave(topic, client)

    def publish(self, topic: str, frame: Frame) -> None:
        """Folds the frame into what streams now and offers it to every client of the topic."""
        if isinstance(frame, MessageDelta) and self._is_void(frame):
            return
        self._follow(frame)
        readers = self.clients.get(topic)
        if readers:
            item = packet(frame)
            for client in tuple(readers):
                client.offer(topic, item)

    def forget_streams(self) -> None:
        """Frames and signals may be missing: every socket takes a new snapshot, from what is saved.

        Whoever's rights may have changed meanwhile is looked at.
        """
        self.live.clear()
        self.leases.clear()
        self.unknown.clear()
        for topic in {*self.clients, EVERYBODY}:
            self.signal(topic, ACCESS if is_person(topic) else LOST)

    def redis_away(self, away: bool) -> None:
        """Tells every socket of this process, once, that what others do is seen late or again."""
        if away != self.is_redis_away:
            self.is_redis_away = away
            told = packet(self.site_state())
            for client in {one for readers in self.clients.values() for one in readers}:
                client.push(told)

    def site_state(self) -> SiteState:
        """Says what this process cannot reach."""
        return SiteState(away=("redis",) if self.is_redis_away else ())

    def _is_void(self, delta: MessageDelta) -> bool:
        """Whether it comes from a host that lost the answer to another one."""
        return delta.lease < self.leases.get(delta.message_id, 0)

    def signal(self, topic: str, name: str) -> None:
        """Tells the server's side of every client of the topic, and of this process."""
        for hears in tuple(self.listeners):
            hears(topic, name)
        for client in tuple(self.clients.get(topic, ())):
            client.on_signal(name)

    def tell(self, told: Iterable[tuple[str, Frame | str]]) -> None:
        """Publishes frames and signals, in order; one that fails keeps back no other."""
        for topic, what in told:
            try:
                if isinstance(what, str):
                    self.signal(topic, what)
                else:
                    self.publish(topic, what)
            except Exception:
                logger.exception("%s could not be told", topic)

    @property
    def is_here(self) -> bool:
        """Whether whoever asks is on its event loop."""
        try:
            return asyncio.get_running_loop() is self.loop
        except RuntimeError:
            return False

    def from_thread(self, do: Callable[[*Ts], None], *what: *Ts) -> None:
        """Calls `publish`, `signal` or `tell` from any thread; without a loop nobody listens."""
        loop = self.loop
        if loop is None or loop.is_closed():
            return
        if self.is_here:
            do(*what)
        else:
            # The thread's context belongs to its request; what is started here must not inherit it.
            loop.call_soon_threadsafe(do, *what, context=contextvars.Context())

    def streamed(self, message_id: str, saved: tuple[Part, ...]) -> tuple[Part, ...]:
        """Returns the parts of an unfinished answer: the saved ones, or newer ones that stream."""
        live = self.live.get(message_id)
        if live is None:
            live = self.unknown.known_from(message_id, saved)
        if live is None:
            return saved
        self.live[message_id] = live
        streamed = live.parts
        return streamed if _progress(streamed) >= _progress(saved) else saved

    def with_streamed(self, state: ChannelSnapshot) -> ChannelSnapshot:
        """Returns a snapshot whose unfinished answers are as far as they have streamed.

        Where that is not known yet, its readers are told to come again.
        """
        self._learn(state.answering)
        messages = tuple(
            message
            if message.done or self._lags(state.answering, message.id)
            else message.model_copy(update={"parts": self.streamed(message.id, message.parts)})
            for message in state.messages
        )
        if self.loop is not None and any(self.unknown.waits(one.id) for one in messages):
            self._come_again(channel_topic(state.channel.id))
        return state.model_copy(update={"messages": messages})

    def current(
        self, channel: str, seq: int, answer: str | None, lease: int | None
    ) -> ChannelCurrent | None:
        """Returns what somebody who is at `seq` needs; None where only a snapshot helps.

        `answer`: the message that was written under `lease` when `seq` was the latest.
        """
        if answer is None:
            return ChannelCurrent(channel=channel, seq=seq)
        live = self.live.get(answer)
        if live is None or self.leases.get(answer) != lease:
            return None
        return ChannelCurrent(channel=channel, seq=seq, message_id=answer, parts=live.parts)

    def _lags(self, answering: Answering | None, message_id: str) -> bool:
        """Whether a snapshot was read before the host changed: newer frames follow it."""
        lease = answering.lease if answering and answering.message_id == message_id else 0
        return lease < self.leases.get(message_id, 0)

    def _learn(self, answering: Answering | None) -> None:
        """What streamed under an earlier lease is void as soon as a later one is known."""
        if answering is None or answering.message_id is None:
            return
        known = self.leases.get(answering.message_id, 0)
        if known < answering.lease:
            self.leases[answering.message_id] = answering.lease
            if known:
                self.live.pop(answering.message_id, None)
                self.unknown.forget(answering.message_id)

    def _come_again(self, topic: str) -> None:
        """Signals "again" in a moment, once for all who cannot be told yet."""
        if self.loop is None or topic in self.coming_again:
            return
        self.coming_again.add(topic)
        self.loop.call_later(AGAIN_AFTER, self._again, topic)

    def _again(self, topic: str) -> None:
        self.coming_again.discard(topic)
        self.signal(topic, AGAIN)

    def _follow(self, frame: Frame) -> None:
        match frame:
            case TurnChanged(answering=answering) if answering and answering.message_id:
                self.leases[answering.message_id] = answering.lease
            case MessageUpdated(message=message):
                self.live.pop(message.id, None)
                self.unknown.forget(message.id)
                if message.done:
                    self.leases.pop(message.id, None)
                else:
                    self.live[message.id] = LiveParts(message.parts)
            case MessageDelta(message_id=message_id):
                live = self.live.get(message_id)
                if live is not None:
                    self._fold(live, frame)
                else:
                    self.unknown.add(frame)
            case _:
                pass

    def _fold(self, live: LiveParts, delta: MessageDelta) -> None:
        try:
            fold_delta(live, delta)
        except OutOfOrder:
            logger.warning("a delta of message %s is out of order", delta.message_id)
            self.live.pop(delta.message_id, None)
            self.unknown.add(delta)


def _progress(parts: tuple[Part, ...]) -> tuple[int, int]:
    return len(parts), sum(offset_of(part) for part in parts)
