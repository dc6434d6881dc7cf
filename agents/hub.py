"""Hub: fans frames out to the sockets of this process, without the channel layer.

Durable frames and deltas are encoded once. Each client has one pending list and one writer; what
is pending when the writer runs goes out together, so that a slow reader gets larger frames and
loses nothing (docs/decisions/0003-seq-and-snapshot.md).
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

from agents.domain.live_parts import LiveParts
from agents.domain.parts import Part, utf16_length
from agents.domain.transcript import OutOfOrder, offset_of
from agents.protocol.fold import fold_delta
from agents.protocol.frames import (
    ChannelSnapshot,
    Frame,
    MessageDelta,
    MessageUpdated,
    Ping,
    encode,
)

logger = logging.getLogger(__name__)
T = TypeVar("T")

PING_EVERY = 256 * 1024
PAUSE_AFTER = 1024 * 1024
DROP_AFTER = 16 * 1024 * 1024
MERGE_LIMIT = 64 * 1024


@dataclass(slots=True)
class Packet:
    """An encoded frame; `delta` is kept where neighbours may still be merged into one."""

    body: bytes
    seq: int | None = None
    delta: MessageDelta | None = None


def packet(frame: Frame) -> Packet:
    """Encodes a frame once for all its readers."""
    mergeable = isinstance(frame, MessageDelta) and frame.text is not None and frame.seconds is None
    return Packet(
        encode(frame),
        seq=getattr(frame, "seq", None),
        delta=frame if mergeable and isinstance(frame, MessageDelta) else None,
    )


class Client:
    """One socket: `write` sends bytes, `drop` closes it when it reads too slowly.

    `on_signal` hears what is meant for the server's side of the socket: "channels" (the list
    changed), "access" (rights changed), "again" (frames may be missing).
    """

    def __init__(
        self,
        write: Callable[[bytes], Awaitable[None]],
        drop: Callable[[], None],
        on_signal: Callable[[str], None],
    ) -> None:
        self._write = write
        self._drop = drop
        self.on_signal = on_signal
        self._pending: list[Packet] = []
        self._size = 0
        self._wakened = asyncio.Event()
        self._unacknowledged = 0
        self._since_ping = 0
        self._pings: dict[int, int] = {}
        self._next_ping = 0
        self._held: dict[str, list[Packet]] = {}
        self.topics: set[str] = set()

    def offer(self, topic: str, item: Packet) -> None:
        """Queues a packet of a topic, or holds it back while the topic's snapshot is read."""
        held = self._held.get(topic)
        if held is not None:
            held.append(item)
        else:
            self.push(item)

    def push(self, item: Packet) -> None:
        """Queues a packet; text for the same part as the last one joins it."""
        self._size += len(item.body)
        if self._size > DROP_AFTER:
            self._drop()
            return
        last = self._pending[-1] if self._pending else None
        merged = _merge(last, item) if last else None
        if merged:
            self._pending[-1] = merged
        else:
            self._pending.append(item)
        self._wakened.set()

    def hold(self, topic: str) -> None:
        """From now on packets of `topic` wait for `release`, `resume` or `abandon`."""
        self.topics.add(topic)
        self._held.setdefault(topic, [])

    def release(self, topic: str, snapshot: Packet) -> None:
        """Sends the snapshot, then what was held and is newer."""
        held = self._held.pop(topic, [])
        self.push(snapshot)
        for item in held:
            if item.seq is None or snapshot.seq is None or item.seq > snapshot.seq:
                self.push(item)

    def resume(self, topic: str) -> None:
        """Sends what was held, as it came."""
        for item in self._held.pop(topic, []):
            self.push(item)

    def abandon(self, topic: str) -> None:
        """Forgets what was held: the snapshot never came, or the person may not see it."""
        self._held.pop(topic, None)

    def acknowledge(self, n: int) -> None:
        """The client has read everything up to ping `n`."""
        size = self._pings.pop(n, None)
        if size is not None:
            self._unacknowledged = max(0, self._unacknowledged - size)
            self._wakened.set()

    async def run(self) -> None:
        """Writes for as long as the socket lives; the consumer cancels it."""
        while True:
            await self._wakened.wait()
            self._wakened.clear()
            if self._pending and self._unacknowledged < PAUSE_AFTER:
                await self._flush()

    async def _flush(self) -> None:
        pending, self._pending, self._size = self._pending, [], 0
        bodies = [item.body for item in pending]
        body = bodies[0] if len(bodies) == 1 else b"[" + b",".join(bodies) + b"]"
        self._unacknowledged += len(body)
        self._since_ping += len(body)
        await self._write(body)
        if self._since_ping >= PING_EVERY:
            self._next_ping += 1
            self._pings[self._next_ping] = self._since_ping
            self._since_ping = 0
            await self._write(encode(Ping(n=self._next_ping)))


def _merge(last: Packet, item: Packet) -> Packet | None:
    """Returns both text deltas as one, if they continue each other and stay small."""
    a, b = last.delta, item.delta
    if a is None or b is None or a.text is None or b.text is None:
        return None
    same = (a.message_id, a.index, a.kind) == (b.message_id, b.index, b.kind)
    if not same or len(a.text) > MERGE_LIMIT or b.offset != a.offset + utf16_length(a.text):
        return None
    return packet(a.model_copy(update={"text": a.text + b.text}))


@dataclass(slots=True)
class Hub:
    """Topics, their clients, and the answers that stream now. Only used on its event loop."""

    clients: defaultdict[str, set[Client]] = field(default_factory=lambda: defaultdict(set))
    live: dict[str, LiveParts] = field(default_factory=dict)
    loop: asyncio.AbstractEventLoop | None = None

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
        self._follow(frame)
        readers = self.clients.get(topic)
        if readers:
            item = packet(frame)
            for client in tuple(readers):
                client.offer(topic, item)

    def signal(self, topic: str, name: str) -> None:
        """Tells the server's side of every client of the topic."""
        for client in tuple(self.clients.get(topic, ())):
            client.on_signal(name)

    def from_thread(self, do: Callable[[str, T], None], topic: str, item: T) -> None:
        """Calls `publish` or `signal` from any thread; without a loop nobody is listening."""
        loop = self.loop
        if loop is None or loop.is_closed():
            return
        try:
            running = asyncio.get_running_loop()
        except RuntimeError:
            running = None
        if running is loop:
            do(topic, item)
        else:
            # The thread's context belongs to its request; what is started here must not inherit it.
            loop.call_soon_threadsafe(do, topic, item, context=contextvars.Context())

    def streamed(self, message_id: str, saved: tuple[Part, ...]) -> tuple[Part, ...]:
        """Returns the parts of an unfinished answer: the saved ones, or newer ones that stream."""
        live = self.live.get(message_id)
        if live is None:
            return saved
        streamed = live.parts
        return streamed if _progress(streamed) >= _progress(saved) else saved

    def with_streamed(self, state: ChannelSnapshot) -> ChannelSnapshot:
        """Returns a snapshot whose unfinished answers are as far as they have streamed."""
        messages = tuple(
            message
            if message.done
            else message.model_copy(update={"parts": self.streamed(message.id, message.parts)})
            for message in state.messages
        )
        return state.model_copy(update={"messages": messages})

    def _follow(self, frame: Frame) -> None:
        match frame:
            case MessageUpdated(message=message) if message.done:
                self.live.pop(message.id, None)
            case MessageUpdated(message=message):
                if message.role == "agent":
                    self.live[message.id] = LiveParts(message.parts)
            case MessageDelta(message_id=message_id):
                live = self.live.get(message_id)
                if live is not None:
                    self._fold(live, frame)
            case _:
                pass

    def _fold(self, live: LiveParts, delta: MessageDelta) -> None:
        try:
            fold_delta(live, delta)
        except OutOfOrder:
            logger.warning("a delta of message %s is out of order", delta.message_id)
            self.live.pop(delta.message_id, None)


def _progress(parts: tuple[Part, ...]) -> tuple[int, int]:
    return len(parts), sum(offset_of(part) for part in parts)


hub = Hub()
