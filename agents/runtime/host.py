"""Host: owns the turns of one process, from the claim to the last event."""

from __future__ import annotations

import asyncio
import contextvars
import logging
import time
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.db import DatabaseError

from agents.delivery import dispatch
from agents.delivery.dispatch import Hint
from agents.domain.content.leases import Lease
from agents.domain.content.turns import ClaimedTurn
from agents.domain.memory import tokens
from agents.providers import http
from agents.providers.kept_clients import KeptClients
from agents.runtime.answering.gate import Waiters
from agents.runtime.answering.place_files import ReadAhead
from agents.runtime.processes import ended, this_process
from agents.runtime.tenure import Tenure
from agents.runtime.turn_run import Taken, TurnRun
from agents.selectors.conversation.turns import channels_to_serve, running_hosts
from agents.selectors.models.context_sizes import site_model
from agents.services import leases
from agents.services.leases import LEASE, LostTurn
from agents.services.turns import hosts
from agents.services.turns.lost_access import stop_lost_turns
from maia_web.lib.db import in_db
from maia_web.lib.ids import new_id
from workspaces.domain.places import Place

logger = logging.getLogger(__name__)
RENEW_EVERY = LEASE.total_seconds() / 6
LOOK_EVERY = LEASE.total_seconds() / 3


class Host:
    """Runs turns as tasks of one event loop; several hosts may share a database."""

    def __init__(self) -> None:
        self.name = f"{this_process()}:{new_id()}"
        self.waiters = Waiters()
        self.clients = KeptClients()
        self.ahead = ReadAhead()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._drains: dict[str, asyncio.Task[None]] = {}
        self._begun: dict[str, Taken] = {}
        self._again: set[str] = set()
        self._runs: dict[str, TurnRun] = {}
        self._background: set[asyncio.Task[None]] = set()
        self._closing = False

    async def start(self) -> None:
        """Takes hints, and takes up what an earlier process left."""
        self._loop = asyncio.get_running_loop()
        dispatch.register_local(self)
        if settings.REDIS_URL:
            self._spawn(self._listen(), "host-hints")
        self._spawn(self._look(), "host-look")
        self._spawn(asyncio.to_thread(_warm_up), "host-warm-up")

    async def stop(self) -> None:
        """Ends everything; running turns stay in the database for the next host."""
        self._closing = True
        dispatch.register_local(None)
        tasks = [*self._background, *self._drains.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        begun, self._begun = self._begun, {}
        for one in begun.values():
            await in_db(hosts.release_turn)(one.turn.lease, one.turn.parts)
        await self.clients.close()

    def receive(self, hint: Hint) -> None:
        """Takes a hint from any thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._on_hint, hint, context=contextvars.Context())

    def expect(self, place: Place, agent: str, toolset: str) -> None:
        """Reads the files of a place while a turn is being begun there, from any thread."""
        if self._loop is not None and not self._loop.is_closed():
            wanted = (place, agent, toolset)
            self._loop.call_soon_threadsafe(
                self.ahead.begin, *wanted, context=contextvars.Context()
            )

    def take(self, begun: ClaimedTurn, asked: float) -> None:
        """Takes a turn that was begun in its name, from the thread that has just committed it."""
        taken = _with_site(begun, asked)
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._on_begun, taken, context=contextvars.Context())

    async def serve(self, channel_id: str) -> None:
        """Runs the turns of a channel until nothing waits there (for Celery's tasks)."""
        await asyncio.shield(self._drain(channel_id))

    def _on_hint(self, hint: Hint) -> None:
        match hint["kind"]:
            case "channel":
                self._drain(hint["id"])
            case "cancel":
                self._cancel(hint["id"])
            case "request":
                self.waiters.wake(hint["id"])

    def _on_begun(self, taken: Taken) -> None:
        self._begun[taken.turn.channel] = taken
        if not self._closing:
            self._drain(taken.turn.channel)

    def _drain(self, channel_id: str) -> asyncio.Task[None]:
        running = self._drains.get(channel_id)
        if running is not None and not running.done():
            self._again.add(channel_id)
            return running
        task = self._task(self._serve_channel(channel_id), f"channel-{channel_id}")
        self._drains[channel_id] = task
        return task

    async def _serve_channel(self, channel_id: str) -> None:
        waits = True
        try:
            while not self._closing:
                waits = waits or channel_id in self._again
                self._again.discard(channel_id)
                taken = self._begun.pop(channel_id, None)
                if taken is None and waits:
                    taken = await in_db(self._claim)(channel_id)
                if taken is not None:
                    waits = await self._run(taken)
                elif channel_id not in self._again:
                    return
        except Exception:
            logger.exception("the turns of channel %s could not be served", channel_id)
        finally:
            self._drains.pop(channel_id, None)

    def _claim(self, channel_id: str) -> Taken | None:
        asked = time.monotonic()
        claimed = hosts.claim_turn(channel_id, self.name, self._dead())
        return None if claimed is None else _with_site(claimed, asked)

    async def _run(self, taken: Taken) -> bool:
        """Runs a turn; returns whether another may wait in its channel."""
        claimed = taken.turn
        run = TurnRun(taken, self.waiters, self.clients, self.ahead.files, self._spawn)
        self._runs[claimed.id] = run
        task = self._task(run.run(), f"turn-{claimed.id}")  # first: its questions go first
        lease = self._task(self._hold(claimed.lease, run), f"lease-{claimed.id}")
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            run.stop("host")
            await asyncio.gather(task, return_exceptions=True)
            if self._closing:
                raise
        finally:
            self._runs.pop(claimed.id, None)
            lease.cancel()
        return run.waits

    async def _hold(self, lease: Lease, run: TurnRun) -> None:
        """Renews the lease; a turn that another host took up, or a person stopped, ends here."""
        with suppress(TimeoutError):
            async with asyncio.timeout(RENEW_EVERY):
                await run.under_way()
        while True:
            asked = time.monotonic()
            try:  # soon: a person may have stopped it before it was known here
                if await in_db(leases.renew_lease)(lease):
                    run.stop("person")
                run.renewed(asked)
            except LostTurn:
                logger.warning(
                    "turn %s was taken up by another host, or its channel deleted", lease.turn
                )
                run.stop("host")
                return
            except DatabaseError:
                logger.exception("the lease of turn %s could not be renewed", lease.turn)
            await asyncio.sleep(RENEW_EVERY)

    def _cancel(self, turn_id: str) -> None:
        run = self._runs.get(turn_id)
        if run is not None:
            run.stop("person")
        for channel, taken in self._begun.items():
            if taken.turn.id == turn_id:
                stopped = replace(taken.turn, cancel_asked=True)
                self._begun[channel] = replace(taken, turn=stopped)

    def _dead(self) -> frozenset[str]:
        """Returns the hosts of running turns that are known to have ended."""
        return frozenset(host for host in running_hosts() - {self.name} if ended(host))

    def _to_serve(self) -> tuple[str, ...]:
        return channels_to_serve(self._dead())

    async def _look(self) -> None:
        """Looks for work that no hint told of: after a start, a crash, a lost message."""
        while True:
            try:
                await in_db(stop_lost_turns)()
                for channel_id in await in_db(self._to_serve)():
                    self._drain(channel_id)
            except Exception:
                logger.exception("looking for waiting turns failed; trying again")
            await asyncio.sleep(LOOK_EVERY)

    async def _listen(self) -> None:
        from agents.delivery import relay  # a fifth of a start: only where there is a Redis

        await relay.listen(relay.HINTS, self._heard)

    def _heard(self, payload: bytes) -> None:
        for entry in payload.decode().split("\n"):
            kind, _, id = entry.partition("\t!")
            self._on_hint({"kind": kind, "id": id})

    def _spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = self._task(work, name)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    def _task(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        """Starts a task in a fresh context: the request that caused it may be long gone."""
        return asyncio.get_running_loop().create_task(
            work, name=name, context=contextvars.Context()
        )


def _with_site(turn: ClaimedTurn, asked: float) -> Taken:
    """Returns a turn with the model server it asks, in the same turn at the database.

    Whoever came later must not be served in between. Where it cannot be read now, it is read later.
    """
    site = None
    if turn.kind != "command":
        try:
            site = site_model(turn.model)
        except Exception:  # the turn itself says what is wrong with it
            logger.exception("the model server of turn %s could not be read", turn.id)
    return Taken(turn, Tenure(asked), site)


def _warm_up() -> None:
    """Loads what the first turn would otherwise wait for: certificates and the vocabulary."""
    http.warm_up()
    tokens.load()
