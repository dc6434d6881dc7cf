"""Opening a conversation of 10 000 messages, beside a bare ninja page and one of 100 messages."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from bench.long_conversation import make
from bench.report import Row
from bench.sides import FloorSide, MaiaSide, wait_for_page
from tests.support.processes import Program, free_port

LONG, SHORT = "10000", "100"
EACH = 9


async def conversation(maia: MaiaSide, floor: FloorSide, rounds: int) -> list[Row]:
    """All GETs that opening it takes: the page is there, the conversation is not."""
    ids = _made(maia)
    page = Row("f  open 10 000 messages", "ms", 2, other="page")
    length = Row("f  open 10 000 messages", "ms", 1.2, other="open 100")
    with _bare_page(maia) as bare:
        cookies = {"maia-session": maia.cookie().partition("=")[2]}
        with httpx.Client(cookies=cookies, trust_env=False, timeout=60) as client:
            ours = {name: f"{maia.server.url}/api/channels/{id}" for name, id in ids.items()}
            theirs = f"{bare}/api/{ids[LONG]}"
            for url in (*ours.values(), theirs):
                _get(client, url)
            for _ in range(rounds * EACH):
                long = _get(client, ours[LONG])
                page.add(long, _get(client, theirs))
                length.add(long, _get(client, ours[SHORT]))
    return [page, length]


def _get(client: httpx.Client, url: str) -> float:
    began = time.perf_counter()
    answer = client.get(url)
    took = (time.perf_counter() - began) * 1000
    body = answer.raise_for_status().json()
    assert len(body if isinstance(body, list) else body["messages"]) == 100
    return took


def _made(maia: MaiaSide) -> dict[str, str]:
    lengths = (LONG, SHORT)
    wanted = [(maia.person(), maia.workspace(), int(length), 255) for length in lengths]
    return dict(zip(lengths, make(wanted, maia.server.env), strict=True))


@contextmanager
def _bare_page(maia: MaiaSide) -> Iterator[str]:
    port = free_port()
    database = str(maia.server.data / "maia.sqlite3")
    program = Program(
        [sys.executable, "-m", "bench.page", "--port", str(port), "--database", database]
    )
    try:
        wait_for_page(f"http://127.0.0.1:{port}/")
        yield f"http://127.0.0.1:{port}"
    finally:
        program.kill()
