"""What the bench streams is what real servers send, and what it counts is what arrived."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterator
from typing import Any, cast

import pytest

from bench.servers.lean_socket import Recorder
from bench.servers.play import deltas_of, outcome, play
from bench.servers.side import FloorSide, Person, run_floor
from tests.support.openai_behaviours import Answer, burst, rated
from tests.support.openai_server import ScriptedServer, by_name

CHUNK = re.compile(rb"([0-9a-f]+)\r\n")


class Writer:
    """Keeps each write by itself, as a socket would send it."""

    def __init__(self) -> None:
        self.writes: list[bytes] = []

    def write(self, data: bytes) -> None:
        self.writes.append(data)

    async def drain(self) -> None:
        pass


async def written(played: Answer) -> list[bytes]:
    """Returns the writes of an answer."""
    writer = Writer()
    await played.play(cast(Any, writer))
    return writer.writes


def chunks(body: bytes) -> list[bytes]:
    """Returns the chunks of a chunked body, to the one that ends it."""
    found, at = [], 0
    while True:
        head = CHUNK.match(body, at)
        assert head, body[at : at + 20]
        size = int(head[1], 16)
        found.append(body[head.end() : head.end() + size])
        at = head.end() + size
        assert body[at : at + 2] == b"\r\n"
        at += 2
        if not size:
            assert at == len(body)
            return found[:-1]


def numbers(events: list[bytes]) -> list[int]:
    """Returns the numbers of the deltas, in order."""
    return [int(found[1]) for event in events if (found := re.search(rb"(\d+)@\d", event))]


@pytest.mark.parametrize("played", [rated(0, 20), rated(2_000, 20), burst(20)])
@pytest.mark.promise("I10-bench-streams")
async def test_a_stream_is_chunked_one_event_a_chunk(played: Answer) -> None:
    head, _, body = b"".join(await written(played)).partition(b"\r\n\r\n")
    events = chunks(body)
    assert b"Transfer-Encoding: chunked" in head
    assert all(event.startswith(b"data: ") for event in events)
    assert all(event.count(b"\n\n") == 1 and event.endswith(b"\n\n") for event in events)
    assert numbers(events) == list(range(20))
    assert events[-1] == b"data: [DONE]\n\n"


@pytest.mark.parametrize("rate", [0, 2_000])
async def test_each_delta_of_a_rated_stream_is_a_write_of_its_own(rate: int) -> None:
    writes = await written(rated(rate, 20))
    deltas = [one for one in writes if b"@" in one]
    assert len(deltas) == 20
    assert all(one.count(b"data: ") == 1 for one in deltas)


async def test_a_burst_is_one_write() -> None:
    assert len(await written(burst(500))) == 1


async def test_a_stream_is_asked_for_by_its_name() -> None:
    for name in ("rate-0x7", "burst-7"):
        played = by_name({"messages": [{"role": "user", "content": name}]})
        assert deltas_of(name) == b"".join(await written(played)).count(b"@") == 7


def recorded(asked: float, *arrived: float) -> Recorder:
    """A recorder whose deltas arrived so many seconds after the asking, a second after sending."""
    made = Recorder(len(arrived))
    made.delays = [1.0] * len(arrived)
    made.first, made.last = asked + arrived[0], asked + arrived[-1]
    return made


def test_deltas_a_second_are_counted_from_the_asking() -> None:
    """A server that thinks for three seconds and then sends all at once is not fast."""
    told = outcome([recorded(100.0, 3.0, 3.5, 4.0)], 4, 100.0, 0.0)
    assert told.rate == 4 / 4.0


def test_what_did_not_arrive_is_lost() -> None:
    told = outcome([recorded(0, 1, 2), recorded(0, 1, 2, 3)], 4, 0.0, 0.0)
    assert told.lost == 3


def test_first_deltas_are_those_of_each_person_the_quickest_first() -> None:
    told = outcome([recorded(0, 3, 4), recorded(0, 1, 4), recorded(0, 2, 4)], 2, 0.0, 0.0)
    assert told.firsts == (1000, 2000, 3000)
    assert told.first == 2000


def test_cpu_is_of_one_delivery() -> None:
    assert outcome([recorded(0, 1, 2), recorded(0, 1, 2)], 2, 0.0, 0.004).cpu == 1_000


def test_a_delta_counts_once_and_in_order() -> None:
    now = time.monotonic()
    recorder = Recorder(3)
    for payload in (b"0@%f " % now, b"0@%f 2@%f " % (now, now), b"1@%f " % now):
        recorder.take(payload)
    assert recorder.next == 2
    assert not recorder.done.is_set()


@pytest.fixture(scope="module")
def floor(model_server_of_the_bench: ScriptedServer) -> Iterator[FloorSide]:
    with run_floor(model_server_of_the_bench.url) as side:
        yield side


@pytest.fixture(scope="module")
def model_server_of_the_bench() -> Iterator[ScriptedServer]:
    from tests.support.openai_server import serve

    with serve() as server:
        yield server


@pytest.mark.parametrize("stream", ["rate-0x300", "burst-300", "rate-500x30"])
async def test_all_of_a_stream_reaches_everybody_by_way_of_the_bare_fan_out(
    floor: FloorSide, stream: str
) -> None:
    begun = asyncio.Event()
    told = await play(floor, stream, [[Person(), Person()], [Person()]], begun)
    assert begun.is_set()
    assert told.lost == 0
    assert len(told.firsts) == 3
    assert 0 < told.p50 <= told.p95
    assert told.cpu > 0
