"""MAIA under watch: what its database thread does, and what it asks before it asks the model."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

from bench.clocks import at_rest, thread_seconds
from bench.servers.lean_socket import LeanSocket
from bench.servers.maia import Frame, MaiaSide, run_maia, said
from bench.servers.watched import ASKED, STATEMENTS, WATCHED
from tests.support.openai_behaviours import Answer, answer, text, tool_answer
from tests.support.openai_server import ScriptedServer, last_user_text, serve

THREAD = "database"


@dataclass
class Watched:
    """The server, its model, and the file of its statements."""

    maia: MaiaSide
    model: ScriptedServer
    file: Path

    def count(self) -> int:
        """Returns how many lines the file has so far."""
        return len(self.lines())

    def lines(self, since: int = 0) -> list[bytes]:
        """Returns the statements, and ASKED where a model was asked, from a line on."""
        return self.file.read_bytes().splitlines()[since:]

    def before_asking(self, since: int) -> list[bytes]:
        """Returns the statements up to when the model was asked, as its server process saw it."""
        return list(takewhile(lambda line: line != ASKED, self.lines(since)))

    def database_ms(self) -> float:
        """Returns the CPU time of the only thread that asks the database for sockets and turns."""
        return thread_seconds(self.maia.pid, THREAD) * 1000

    def answer(self, body: dict[str, Any]) -> Answer | None:
        """What the model says: `tools-5` calls a tool five times first; streams are streams."""
        said_last = last_user_text(body)
        wanted = re.search(r"tools-(\d+)", said_last)
        if wanted is None:
            return None if re.search(r"(rate|burst)-", said_last) else answer(text("Done."))
        called = _tool_results(body)
        if called < int(wanted[1]):
            return tool_answer("Glob", {"pattern": f"*.{called}"}, id=f"call_{called}")
        return answer(text("Done."))

    async def turns(self, socket: LeanSocket, room: str, says: str, count: int) -> float:
        """Lets so many turns run; returns ms of the database's thread for each.

        Each one alone: what several turns tell of lists is told once.
        """
        await at_rest(self.maia.pids)
        before = self.database_ms()
        for _ in range(count):
            await said(socket, turn_over(), type="channel:send", channel=room, text=says)
            await at_rest(self.maia.pids)
        return (self.database_ms() - before) / count


def turn_over() -> Callable[[Frame], bool]:
    """Returns what says yes to the frame that tells that the turn which began since is over."""
    begun = False

    def is_over(frame: Frame) -> bool:
        nonlocal begun
        if frame["type"] != "turn:changed":
            return False
        begun = begun or frame["busy"]
        return begun and not frame["busy"]

    return is_over


def _tool_results(body: dict[str, Any]) -> int:
    """Returns how many tool results came since somebody said something."""
    count = 0
    for message in reversed(body["messages"]):
        if message["role"] == "user":
            break
        count += message["role"] == "tool"
    return count


@contextmanager
def run_watched() -> Iterator[Watched]:
    """Runs MAIA under watch, with a model in this process."""
    with tempfile.TemporaryDirectory(prefix="maia-bench-") as folder, serve() as model:
        statements = Path(folder) / "statements"
        statements.touch()
        env = {STATEMENTS: str(statements)}
        with run_maia(model.url, env, under=WATCHED) as maia:
            watched = Watched(maia, model, statements)
            model.chooser = watched.answer
            yield watched
