"""Place files: what agents find in a place unasked; read ahead, beside the database, where it can.

It is read as soon as it is known that somebody may post, while their message is being posted.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

from agents.domain.library.found import Library
from agents.library.found import instructions_of
from agents.library.model_config import configured_model
from agents.library.own_server import FoundServer, own_server
from agents.runtime.answering.policies import read_checked
from agents.runtime.answering.toolsets import TOOLSETS, Toolset
from workspaces.domain.places import Place
from workspaces.domain.real_paths import PathCheck

logger = logging.getLogger(__name__)
FRESH_SECONDS = 2.0
"""So long after it was begun a reading is used; then all is read again."""

Wanted = tuple[Place, str, Toolset]
"""A place, whose person it is included, an agent and its toolset."""


@dataclass(frozen=True, slots=True)
class PlaceFiles:
    """Name and text of the file with instructions, and the library of skills and tools.

    `own_server`: what the person's settings say of models. `model`: with which a conversation
    begins here, "" where nobody says.
    """

    instructions: tuple[str, str] | None
    library: Library
    own_server: FoundServer
    model: str


ReadFiles = Callable[[Place, str, Toolset], Awaitable[PlaceFiles]]
"""Reads what an agent finds in a place."""


async def read_place(place: Place, agent: str, toolset: Toolset) -> PlaceFiles:
    """Reads all of it in one thread hop, as this agent may read it."""
    return await read_checked(place, agent, partial(_read, place, toolset))


def first_of(files: PlaceFiles) -> ReadFiles:
    """Returns what gives these the first time; after that, all is read again."""
    left = [files]

    async def read(place: Place, agent: str, toolset: Toolset) -> PlaceFiles:
        return left.pop() if left else await read_place(place, agent, toolset)

    return read


class ReadAhead:
    """Readings that were begun before their turn was; each is used once. On the host's loop."""

    def __init__(self, fresh_seconds: float = FRESH_SECONDS) -> None:
        self._fresh = fresh_seconds
        self._begun: dict[Wanted, asyncio.Task[PlaceFiles]] = {}

    def __len__(self) -> int:
        """How many readings nobody has used yet."""
        return len(self._begun)

    def begin(self, place: Place, agent: str, toolset: str) -> None:
        """Reads ahead; what nobody uses soon, or before the next post, is forgotten."""
        known = TOOLSETS.get(toolset)
        if known is None:
            return
        wanted, loop = (place, agent, known), asyncio.get_running_loop()
        task = loop.create_task(
            read_place(*wanted), name="read-ahead", context=contextvars.Context()
        )
        self._begun[wanted] = task
        loop.call_later(self._fresh, self._forget, wanted, task)

    async def files(self, place: Place, agent: str, toolset: Toolset) -> PlaceFiles:
        """Returns what was read ahead, else reads it now."""
        task = self._begun.pop((place, agent, toolset), None)
        if task is not None:
            try:
                return await asyncio.shield(task)
            except Exception:
                logger.exception("what a turn finds in its place was not read ahead")
        return await read_place(place, agent, toolset)

    def _forget(self, wanted: Wanted, task: asyncio.Task[PlaceFiles]) -> None:
        if self._begun.get(wanted) is task:
            del self._begun[wanted]


def _read(place: Place, toolset: Toolset, check: PathCheck) -> PlaceFiles:
    model, _broken = configured_model(place)
    return PlaceFiles(
        instructions=instructions_of(place, check),
        library=toolset.library_of(place, check),
        own_server=own_server(place),
        model=model,
    )
