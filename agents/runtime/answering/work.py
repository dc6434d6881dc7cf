"""Work: one claimed turn, as its answerer receives it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from agents.domain.content.turns import ClaimedTurn
from agents.engine.ports.tools import TurnCounters
from agents.providers.kept_clients import KeptClients
from agents.runtime.answering.gate import Waiters
from agents.runtime.answering.place_files import ReadFiles
from agents.runtime.answering.recorder import Recorder
from agents.selectors.models.servers import SiteServer

Spawn = Callable[[Coroutine[Any, Any, None], str], None]


@dataclass(frozen=True, slots=True)
class Work:
    """A turn, what is written of it, and who wakes what waits.

    `site`: the site's model server, where it was read with the turn. `spawn` begins a named task
    that outlives the turn; `under_way` is set when nothing of it waits to be asked of a model any
    more, `over` when it has ended.
    """

    turn: ClaimedTurn
    recorder: Recorder
    waiters: Waiters
    counters: TurnCounters
    spawn: Spawn
    over: asyncio.Event
    under_way: asyncio.Event
    site: SiteServer | None
    clients: KeptClients
    files: ReadFiles
