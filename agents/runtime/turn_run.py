"""TurnRun: one claimed turn, run to its last event whatever happens."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass
from typing import Literal

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _

from agents.domain.content.events import TurnEnded
from agents.domain.content.messages import MessageError, StopReason, failed
from agents.domain.content.turns import ClaimedTurn
from agents.engine.ports.model import ProviderError
from agents.engine.ports.tools import TurnCounters
from agents.providers.kept_clients import KeptClients
from agents.runtime.answering.answerers import answerer_of
from agents.runtime.answering.gate import Waiters
from agents.runtime.answering.place_files import ReadFiles
from agents.runtime.answering.recorder import Recorder
from agents.runtime.answering.work import Spawn, Work
from agents.runtime.tenure import Tenure
from agents.selectors.models.servers import SiteServer
from agents.services.leases import LostTurn
from agents.services.turns import hosts
from maia_web.lib import storage
from maia_web.lib.db import UNREACHABLE, in_db
from maia_web.lib.languages import translated

logger = logging.getLogger(__name__)
StopCause = Literal["person", "host"]


@dataclass(frozen=True, slots=True)
class Taken:
    """A turn that its host begins to run; `site`: the model server it asks, where that was read."""

    turn: ClaimedTurn
    tenure: Tenure
    site: SiteServer | None = None


class TurnRun:
    """Runs a turn in the language of the person who started it."""

    def __init__(
        self,
        taken: Taken,
        waiters: Waiters,
        clients: KeptClients,
        files: ReadFiles,
        spawn: Spawn,
    ) -> None:
        self._turn = turn = taken.turn
        self._tenure = tenure = taken.tenure
        self._recorder = Recorder(turn, tenure, lambda: self._answerer.context_size())
        self._counters = TurnCounters()
        self._ended_once = asyncio.Event()
        self._under_way = asyncio.Event()
        self._answerer = answerer_of(
            Work(
                turn=turn,
                recorder=self._recorder,
                waiters=waiters,
                counters=self._counters,
                spawn=spawn,
                over=self._ended_once,
                under_way=self._under_way,
                site=taken.site,
                clients=clients,
                files=files,
            )
        )
        self._began = time.monotonic()
        self._task: asyncio.Task[None] | None = None
        self._stopped: StopCause | None = None
        self._over = False
        self.waits = True
        """Whether another turn may wait in the channel; its end says so if none does."""

    def stop(self, cause: StopCause) -> None:
        """Ends the turn soon. "person": cancelled for good; "host": it goes on elsewhere.

        The first cause counts: a second cancellation would break what ends the first one.
        """
        if self._stopped is None and not self._over:
            self._stopped = cause
            if self._task is not None:
                self._task.cancel()

    async def under_way(self) -> None:
        """Returns once the model was asked, or is not going to be."""
        await self._under_way.wait()

    def renewed(self, asked: float) -> None:
        """The lease was renewed by a question asked at `asked` (monotonic seconds)."""
        self._tenure.renewed(asked)
        self._recorder.go_on()

    async def run(self) -> None:
        """Ends the turn in the database, unless another host has it or this process is closing."""
        self._task = asyncio.current_task()
        with translation.override(self._turn.starter_language or settings.LANGUAGE_CODE):
            try:
                await self._run()
            except LostTurn:
                logger.warning(
                    "turn %s was taken up by another host, or its channel deleted", self._turn.id
                )
            except UNREACHABLE as failure:
                logger.warning("turn %s waits for the database: %s", self._turn.id, failure)
            finally:
                self._under_way.set()
                self._ended_once.set()

    async def _run(self) -> None:
        recorder = self._recorder
        saving = asyncio.create_task(recorder.keep_saving(), name=f"save-{self._turn.id}")
        try:
            ended = await self._ended()
        except asyncio.CancelledError:
            await self._release()
            raise
        finally:
            self._over = True
            saving.cancel()
            await asyncio.gather(saving, return_exceptions=True)
        await asyncio.shield(self._finish(ended))

    async def _ended(self) -> TurnEnded:
        """Returns how the turn ended; `CancelledError` goes through if it goes on elsewhere."""
        if self._turn.cancel_asked or self._stopped == "person":
            return TurnEnded(stop_reason=StopReason.CANCELLED)
        if self._stopped == "host":
            raise asyncio.CancelledError
        if self._turn.given_up:
            return TurnEnded(error=_given_up())
        try:
            return await self._answerer.answer()
        except asyncio.CancelledError:
            if self._stopped != "person":
                raise
            return TurnEnded(stop_reason=StopReason.CANCELLED)
        except ProviderError as failure:
            return TurnEnded(error=failed(failure.code, failure.message, failure.details))
        except (LostTurn, *UNREACHABLE):
            raise  # without its journal it goes no further; a host takes it up once there is one
        except Exception as error:
            logger.exception("turn %s failed", self._turn.id)
            return TurnEnded(error=_failure(error))

    async def _release(self) -> None:
        """Leaves the turn, with all that has streamed, to the next host."""
        await self._recorder.close()
        await in_db(hosts.release_turn)(self._turn.lease, self._recorder.parts)

    async def _finish(self, ended: TurnEnded) -> None:
        recorder, used = self._recorder, self._recorder.context_used
        counters = recorder.counters.model_copy(
            update={
                "commands": self._counters.commands,
                "file_ops": self._counters.file_ops,
                "skills": self._counters.skills,
                "seconds": round(time.monotonic() - self._began, 1),
            }
        )
        self.waits = await in_db(hosts.end_turn)(
            self._turn.lease,
            parts=recorder.parts,
            counters=counters,
            stop_reason=ended.stop_reason,
            error=ended.error,
            used=used,
        )
        recorder.context_saved(used)
        await self._answerer.after(ended)


def _failure(error: Exception) -> MessageError:
    known = storage.explain(error)
    if known is not None:
        return failed(known.code, translated(lambda: (storage.explain(error) or known).message))
    words = translated(
        lambda: _(
            "Something went wrong inside MAIA. Send your message again; if it happens again, "
            "an administrator finds the cause in the server's log."
        )
    )
    return failed("internal", words)


def _given_up() -> MessageError:
    words = translated(
        lambda: _(
            "The server stopped several times during this answer. Continue when it is well again."
        )
    )
    return failed("interrupted", words)
