"""The hub: every reader gets every text, however slow it is and whenever it joined."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.delivery import Client, Hub, client, packet
from agents.delivery.hub import AGAIN_AFTER
from agents.delivery.rounds import Bodies, Rounds
from agents.domain.content.live_parts import LiveParts
from agents.domain.content.messages import ChannelInfo, Message
from agents.domain.content.parts import TextPart, ThoughtPart, ToolPart, utf16_length
from agents.protocol.fold import fold_delta
from agents.protocol.frames import (
    FRAME,
    Answering,
    ChannelSnapshot,
    Frame,
    MessageDelta,
    MessageUpdated,
    NoticeGiven,
    Ping,
    TurnChanged,
)
from agents.protocol.topics import person_in
from tests.support.known import each, known

TOPIC = "channel.c"
TEXTS = st.lists(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
    | st.sampled_from(["🙂", "é", "👩‍👧"]),
    max_size=30,
)


class Wire:
    """The far end of a socket: keeps what was written, answers pings if it reads."""

    def __init__(self, own: Rounds | None = None) -> None:
        self.bodies: list[str] = []
        self.drops = 0
        self.signals: list[str] = []
        self.news = asyncio.Event()
        self.client = Client(
            self.write, self.drop, self.signals.append, own or Rounds(most_rest=0.0)
        )

    async def write(self, body: str) -> None:
        self.bodies.append(body)
        self.news.set()

    def drop(self, why: str = "") -> None:
        self.drops += 1

    @property
    def frames(self) -> list[Frame]:
        decoded = [orjson.loads(body) for body in self.bodies]
        flat = [one for each in decoded for one in (each if isinstance(each, list) else [each])]
        return [FRAME.validate_python(one) for one in flat]

    async def drained(self) -> None:
        """Lets rounds pass until nothing is pending any more."""
        for _ in range(20):
            await asyncio.sleep(0)


def delta(
    text: str, offset: int = 0, index: int = 0, message: str = "m", lease: int = 0
) -> MessageDelta:
    return MessageDelta(
        channel="c",
        message_id=message,
        index=index,
        kind="text",
        text=text,
        offset=offset,
        lease=lease,
    )


def changed(seq: int) -> TurnChanged:
    return TurnChanged(channel="c", seq=seq, busy=False, queued=0)


def message(
    *parts: TextPart | ThoughtPart | ToolPart, done: bool = False, id: str = "m"
) -> Message:
    return Message(
        id=id,
        channel="c",
        position=1,
        role="agent",
        parts=parts,
        done=done,
        created_at="2026-01-01T00:00:00Z",
    )


def state(*messages: Message, seq: int = 1) -> ChannelSnapshot:
    info = ChannelInfo(
        id="c", name="c", workspace="w", role="owner", last_activity="2026-01-01T00:00:00Z"
    )
    return ChannelSnapshot(
        channel=info, seq=seq, messages=messages, more=False, busy=True, queued=0
    )


def stream(texts: list[str], index: int = 0) -> list[MessageDelta]:
    offset = 0
    deltas: list[MessageDelta] = []
    for text in texts:
        deltas.append(delta(text, offset, index))
        offset += utf16_length(text)
    return deltas


def run(work: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(work(), 5))


@given(TEXTS, st.lists(st.booleans(), max_size=30))
def test_any_texts_arrive_whole_however_they_are_merged(
    texts: list[str], pauses: list[bool]
) -> None:
    async def work() -> None:
        wire = Wire()
        for number, frame in enumerate(stream(texts)):
            wire.client.push(packet(frame))
            if number < len(pauses) and pauses[number]:
                await wire.drained()
        await wire.drained()
        live = LiveParts(())
        offset = 0
        for frame in each(MessageDelta, wire.frames):
            assert frame.offset == offset
            offset += utf16_length(frame.text or "")
            fold_delta(live, frame)
        expected = (TextPart(text="".join(texts)),) if texts else ()
        assert live.parts == expected

    run(work)


async def test_what_waits_goes_out_together_and_text_as_one_frame() -> None:
    wire = Wire()
    frames: list[Frame] = [*stream(["a", "b"]), changed(2), *stream(["c", "d"], index=1)]
    for frame in frames:
        wire.client.push(packet(frame))
    await wire.drained()
    assert len(wire.bodies) == 1
    assert wire.frames == [delta("ab"), changed(2), delta("cd", index=1)]


async def test_text_of_other_parts_or_messages_or_after_a_gap_is_not_merged() -> None:
    wire = Wire()
    apart = [delta("a"), delta("b", index=1), delta("c", 1, 1, "n"), delta("d", 3, 1, "n")]
    for frame in apart:
        wire.client.push(packet(frame))
    await wire.drained()
    assert wire.frames == apart


async def test_frames_that_come_while_a_snapshot_is_read_follow_it() -> None:
    wire, hub = Wire(), Hub()
    hold = wire.client.hold(TOPIC)
    hub.join(TOPIC, wire.client)
    for frame in (changed(4), changed(5), delta("x"), changed(6)):
        hub.publish(TOPIC, frame)
    wire.client.push(packet(NoticeGiven(channel="d", code="x", message="another topic")))
    wire.client.release(hold, packet(state(seq=5)))
    hub.publish(TOPIC, changed(7))
    await wire.drained()
    assert [getattr(frame, "seq", frame.type) for frame in wire.frames] == [
        "notice", 5, "message:delta", 6, 7,
    ]  # fmt: skip


async def test_two_snapshots_read_at_once_lose_nothing_whichever_comes_last() -> None:
    """A tab that subscribes again before its first snapshot came must not end on the older one."""
    wire, hub = Wire(), Hub()
    first = wire.client.hold(TOPIC)
    hub.join(TOPIC, wire.client)
    second = wire.client.hold(TOPIC)
    hub.publish(TOPIC, changed(2))
    wire.client.release(first, packet(state(seq=2)))
    hub.publish(TOPIC, changed(3))
    wire.client.release(second, packet(state(seq=1)))
    await wire.drained()
    assert [getattr(frame, "seq", 0) for frame in wire.frames] == [2, 1, 2, 3]


async def test_held_frames_go_out_as_they_came_or_never() -> None:
    wire, hub = Wire(), Hub()
    hub.join(TOPIC, wire.client)
    resumed = wire.client.hold(TOPIC)
    hub.publish(TOPIC, changed(1))
    wire.client.resume(resumed)
    abandoned = wire.client.hold(TOPIC)
    hub.publish(TOPIC, changed(2))
    wire.client.abandon(TOPIC)
    wire.client.release(abandoned, packet(state(seq=1)))
    given_up = wire.client.hold(TOPIC)
    wire.client.give_up(given_up)
    hub.publish(TOPIC, changed(3))
    await wire.drained()
    assert wire.frames == [changed(1), changed(3)]


async def test_a_reader_that_answers_no_ping_is_paused_and_gets_the_rest_merged() -> None:
    wire = Wire()
    piece, offset, sent = "x" * 10_000, 0, 0

    async def push() -> None:
        nonlocal offset, sent
        wire.client.push(packet(delta(piece, offset)))
        offset, sent = offset + len(piece), sent + 1
        await asyncio.sleep(0)

    while not any(isinstance(frame, Ping) for frame in wire.frames):
        await push()
    while sum(map(len, wire.bodies)) < client.PAUSE_AFTER:
        await push()
    before = len(wire.bodies)
    for _ in range(10):
        await push()
    assert len(wire.bodies) == before

    for ping in [frame for frame in wire.frames if isinstance(frame, Ping)]:
        wire.client.acknowledge(ping.n)
    wire.client.acknowledge(99_999)
    wire.news.clear()
    async with asyncio.timeout(60):
        await wire.news.wait()
    await asyncio.sleep(0)
    texts = [frame.text or "" for frame in wire.frames if isinstance(frame, MessageDelta)]
    assert "".join(texts) == piece * sent
    assert len(texts) < sent


async def test_a_server_that_lets_one_wait_gets_one_text_at_a_time_in_order() -> None:
    doors: list[asyncio.Future[None]] = []
    sent: list[str] = []

    async def write(body: str) -> None:
        door: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        doors.append(door)
        await asyncio.sleep(0)
        await door
        sent.append(body)

    slow = Client(write, lambda _why: None, lambda _name: None)
    for number, frame in enumerate(stream(["a", "b", "c"])):
        slow.push(packet(frame))
        for _ in range(5):
            await asyncio.sleep(0)
        assert len(doors) == 1, f"after {number + 1} deltas"
    for _ in range(2):
        doors[-1].set_result(None)
        for _ in range(8):
            await asyncio.sleep(0)

    texts = [orjson.loads(body)["text"] for body in sent]
    assert texts == ["a", "bc"]
    slow.push(packet(delta("d", 3)))
    for _ in range(5):
        await asyncio.sleep(0)
    slow.close()
    await asyncio.sleep(0)
    assert doors[-1].cancelled()
    assert len(sent) == 2


@pytest.mark.parametrize("error", [ConnectionResetError("gone"), RuntimeError("closed")])
async def test_a_socket_that_breaks_stops_no_other(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(_body: str) -> None:
        raise error

    wire, hub = Wire(), Hub()
    dropped: list[str] = []
    gone = Client(broken, dropped.append, lambda _name: None)
    for one in (gone, wire.client):
        hub.join(TOPIC, one)
    for seq in (1, 2):
        hub.publish(TOPIC, changed(seq))
        await asyncio.sleep(0)

    assert wire.frames == [changed(1), changed(2)]
    is_fault = isinstance(error, RuntimeError)
    assert len(caplog.records) == int(is_fault)
    assert dropped == ["broken"] * is_fault  # who is gone needs no closing


async def test_readers_of_the_same_frames_share_their_bytes() -> None:
    own, hub = Rounds(most_rest=0.0), Hub()
    one, other, third = Wire(own), Wire(own), Wire(own)
    for wire in (one, other):
        hub.join(TOPIC, wire.client)
    third.client.push(packet(changed(1)))
    hub.join(TOPIC, third.client)
    for frame in stream(["a", "b"]):
        hub.publish(TOPIC, frame)
    await one.drained()

    assert one.bodies[0] is other.bodies[0]
    assert third.frames == [changed(1), delta("ab")]


async def test_after_a_long_round_what_comes_waits_and_goes_out_together() -> None:
    now = 0.0

    async def write(body: str) -> None:
        nonlocal now
        now += took
        wire.bodies.append(body)

    wire = Wire()
    wire.client = Client(write, wire.drop, wire.signals.append, Rounds(lambda: now, most_rest=60.0))
    a, b, c, d = stream(["a", "b", "c", "d"])
    took = 0.001
    wire.client.push(packet(a))
    await asyncio.sleep(0)
    took = 60.0
    wire.client.push(packet(b))
    await asyncio.sleep(0)
    assert len(wire.bodies) == 2, "a short round is followed by no rest"

    wire.client.push(packet(c))
    await wire.drained()
    wire.client.push(packet(d))
    await wire.drained()
    assert len(wire.bodies) == 2
    wire.client.write(Bodies())
    assert wire.frames == [a, b, delta("cd", 2)]


async def test_a_reader_too_far_behind_is_dropped_once_and_costs_no_memory() -> None:
    wire = Wire()
    big = NoticeGiven(channel="c", code="x", message="x" * 1_000_000)
    for _ in range(40):
        wire.client.push(packet(big))
    assert wire.drops == 1
    await wire.drained()
    assert wire.bodies == []


async def test_frames_published_in_other_threads_arrive_in_order() -> None:
    wire, hub = Wire(), Hub()
    hub.from_thread(hub.publish, TOPIC, changed(0))  # without a loop nobody is listening
    hub.loop = asyncio.get_running_loop()
    hub.join(TOPIC, wire.client)
    texts = [f"{number} " for number in range(200)]

    def publish() -> None:
        for frame in stream(texts):
            hub.from_thread(hub.publish, TOPIC, frame)
        hub.from_thread(hub.signal, TOPIC, "channels")

    thread = threading.Thread(target=publish)
    thread.start()
    await asyncio.to_thread(thread.join, 5)
    hub.from_thread(hub.publish, TOPIC, changed(1))
    await asyncio.sleep(0)
    await wire.drained()
    *deltas, last = wire.frames
    said = ""
    for one in each(MessageDelta, deltas):  # as many as there were rounds meanwhile
        piece = known(one.text)
        assert one == delta(piece, len(said))
        said += piece
    assert (said, last) == ("".join(texts), changed(1))
    assert wire.signals == ["channels"]


async def test_a_client_that_left_gets_nothing_more_and_leaves_nothing_behind() -> None:
    wire, hub = Wire(), Hub()
    hub.join(TOPIC, wire.client)
    hub.join("person.1", wire.client)
    hub.leave_all(wire.client)
    hub.publish(TOPIC, changed(1))
    hub.signal("person.1", "access")
    await wire.drained()
    assert (wire.bodies, wire.signals, dict(hub.clients)) == ([], [], {})


# --- what streams now -----------------------------------------------------------------------------


@given(TEXTS, st.data())
def test_a_snapshot_is_as_far_as_the_stream_whatever_was_saved(
    texts: list[str], data: st.DataObject
) -> None:
    hub = Hub()
    hub.publish(TOPIC, MessageUpdated(channel="c", seq=1, message=message()))
    frames = stream(["", *texts])
    for frame in frames:
        hub.publish(TOPIC, frame)
    saved = data.draw(st.integers(0, len(texts)))
    parts = (TextPart(text="".join(texts[:saved])),)
    shown = hub.with_streamed(state(message(*parts))).messages[0]
    assert shown.parts == (TextPart(text="".join(texts)),)


@given(TEXTS.filter(lambda texts: len(texts) > 1), st.data())
def test_a_process_that_comes_in_the_middle_shows_no_hole(
    texts: list[str], data: st.DataObject
) -> None:
    """What is saved lags behind; until it reaches the first delta seen, nothing is invented."""
    began = data.draw(st.integers(1, len(texts) - 1))
    saved = data.draw(st.integers(1, len(texts)))
    hub = Hub()
    for frame in stream(texts)[began:]:
        hub.publish(TOPIC, frame)
    before, whole = "".join(texts[:saved]), "".join(texts)
    shown = hub.with_streamed(state(message(TextPart(text=before)))).messages[0]
    reached = utf16_length(before) >= utf16_length("".join(texts[: began + 1]))
    assert shown.parts == (TextPart(text=whole if reached else before),)
    # what is saved later always reaches it
    shown = hub.with_streamed(state(message(TextPart(text=whole)))).messages[0]
    assert shown.parts == (TextPart(text=whole),)


async def test_readers_of_an_answer_that_is_not_known_yet_are_told_to_come_again() -> None:
    wire, hub = Wire(), Hub()
    hub.loop = asyncio.get_running_loop()
    hub.join(TOPIC, wire.client)
    hub.publish(TOPIC, delta("late", 100))
    told = asyncio.Event()
    wire.client.on_signal = lambda name: told.set() if name == "again" else None
    hub.with_streamed(state(message(TextPart(text="early"))))
    async with asyncio.timeout(60):
        await told.wait()


async def test_a_finished_answer_is_forgotten_and_shown_as_saved() -> None:
    hub = Hub()
    hub.publish(TOPIC, MessageUpdated(channel="c", seq=1, message=message()))
    hub.publish(TOPIC, delta("half"))
    final = message(TextPart(text="all of it"), done=True)
    hub.publish(TOPIC, MessageUpdated(channel="c", seq=2, message=final))
    hub.publish(TOPIC, delta("late", 4))
    assert hub.live == {}
    assert hub.with_streamed(state(final)).messages == (final,)


def answered_under(lease: int, *, seq: int = 9) -> TurnChanged:
    answering = Answering(agent="maia", message_id="m", started_at="2026-01-01", lease=lease)
    return TurnChanged(channel="c", seq=seq, busy=True, queued=0, answering=answering)


async def test_a_host_that_lost_an_answer_is_heard_no_more() -> None:
    wire, hub = Wire(), Hub()
    hub.join(TOPIC, wire.client)
    frames = (
        MessageUpdated(channel="c", seq=1, message=message()),
        answered_under(1, seq=2),
        delta("lost", lease=1),
        MessageUpdated(channel="c", seq=3, message=message()),
        answered_under(2, seq=4),
        delta("kept", lease=2),
    )
    for frame in frames:
        hub.publish(TOPIC, frame)
    hub.publish(TOPIC, delta(" and more", 4, lease=1))  # it was frozen, and woke
    await wire.drained()
    assert wire.frames == list(frames)
    assert wire.signals == []  # nobody has to ask again
    read = state(message()).model_copy(update={"answering": answered_under(2).answering})
    assert hub.with_streamed(read).messages[0].parts == (TextPart(text="kept"),)


@pytest.mark.parametrize(
    ("lease", "shown"), [(1, "read before"), (2, "streamed"), (3, "read after")]
)
async def test_a_snapshot_never_mixes_what_two_hosts_wrote(lease: int, shown: str) -> None:
    """It may be read before or after a change of hosts that this process has not heard of."""
    hub = Hub()
    hub.publish(TOPIC, MessageUpdated(channel="c", seq=1, message=message()))
    hub.publish(TOPIC, answered_under(2))
    hub.publish(TOPIC, delta("streamed", lease=2))
    saved = message(TextPart(text=shown if lease != 2 else "str"))
    read = state(saved).model_copy(update={"answering": answered_under(lease).answering})
    assert hub.with_streamed(read).messages[0].parts == (TextPart(text=shown),)


async def test_many_readers_of_an_unknown_answer_are_told_once_to_come_again() -> None:
    wire, hub = Wire(), Hub()
    hub.loop = asyncio.get_running_loop()
    hub.join(TOPIC, wire.client)
    hub.publish(TOPIC, delta("late", 100))
    told = asyncio.Event()
    heard: list[str] = []

    def on_signal(name: str) -> None:
        heard.append(name)
        told.set()

    wire.client.on_signal = on_signal
    for _ in range(50):
        hub.with_streamed(state(message(TextPart(text="early"))))
    async with asyncio.timeout(60):
        await told.wait()
    await asyncio.sleep(2 * AGAIN_AFTER)
    assert heard == ["again"]


async def test_after_a_loss_of_frames_nothing_that_streamed_is_trusted() -> None:
    wire, hub = Wire(), Hub()
    hub.join(TOPIC, wire.client)
    hub.publish(TOPIC, MessageUpdated(channel="c", seq=1, message=message()))
    hub.publish(TOPIC, delta("old"))
    hub.forget_streams()
    assert wire.signals == ["lost"]
    saved = message(TextPart(text="o"))
    assert hub.with_streamed(state(saved)).messages == (saved,)


@pytest.mark.parametrize("late", [delta("late", 50), delta("x", 0, 5)])
async def test_a_delta_that_does_not_fit_is_not_shown_to_those_who_join(
    late: MessageDelta,
) -> None:
    hub = Hub()
    hub.publish(TOPIC, MessageUpdated(channel="c", seq=1, message=message()))
    hub.publish(TOPIC, delta("one"))
    hub.publish(TOPIC, late)
    saved = message(TextPart(text="one"))
    assert hub.with_streamed(state(saved)).messages == (saved,)


async def test_the_process_hears_signals_of_people_who_have_no_socket_here() -> None:
    hub, heard, wire = Hub(), [], Wire()
    hub.listeners.add(lambda topic, name: heard.append((topic, name)))
    hub.signal("person.7", "access")
    hub.join(TOPIC, wire.client)
    hub.join("person.8", wire.client)
    hub.forget_streams()

    assert heard[0] == ("person.7", "access")
    assert set(heard[1:]) == {("person.", "access"), ("person.8", "access"), (TOPIC, "lost")}
    assert sorted(wire.signals) == ["access", "lost"]
    assert [person_in(topic) for topic in ("person.7", "person.")] == [7, None]
