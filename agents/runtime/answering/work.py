"""Work: one claimed turn, as its answerer receives it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from agents.domain.content.turns import ClaimedTurn
from agents.engine.ports.tools import TurnCounters
from agents.runtime.answering.gate import Waiters
from agents.runtime.answering.recorder import Recorder

Spawn = Callable[[Coroutine[Any, Any, None], str], None]


@dataclass(frozen=True, slots=True)
class Work:
    """A turn, what is written of it, and who wakes what waits.

    `spawn` begins a named task that outlives the turn; `over` is set when the turn has ended.
    """

    turn: ClaimedTurn
    recorder: Recorder
    waiters: Waiters
    counters: TurnCounters
    spawn: Spawn
    over: asyncio.Event
