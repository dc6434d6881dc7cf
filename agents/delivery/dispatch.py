"""Dispatch: hands work to the host of turns, wherever it lives, and wakes it with hints.

The rows are the truth; a lost hint only costs the time until the host looks by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol

from django.conf import settings
from django.db import transaction

from agents.domain.content.turns import ClaimedTurn
from maia_web.lib.courier import PATIENCE, Courier
from workspaces.domain.places import Place

Hint = dict[str, str]


class LocalHost(Protocol):
    """The host of this process; its methods are called from any thread."""

    @property
    def name(self) -> str:
        """Under which it holds turns."""

    def receive(self, hint: Hint) -> None:
        """Takes a hint."""

    def expect(self, place: Place, agent: str, toolset: str) -> None:
        """Soon a turn of this person's begins here, or none: what it needs can be made ready."""

    def take(self, begun: ClaimedTurn, asked: float) -> None:
        """Takes a turn that was begun in its name by a question asked at `asked` (monotonic)."""


_local: LocalHost | None = None


def register_local(host: LocalHost | None) -> None:
    """The host of this process takes hints and turns from now on; None: there is none any more."""
    global _local  # one host per process, set at start-up
    _local = host


def host_here() -> str | None:
    """Returns the name of this process's host where it may begin turns itself.

    None where there is none, and where a broker gives turns to workers.
    """
    return _local.name if _local is not None and not settings.BROKER_URL else None


def expect(place: Place, agent: str, toolset: str) -> None:
    """Tells this process's host, at once, which turn is about to be begun in its name."""
    if _local is not None:
        _local.expect(place, agent, toolset)


def begun_on_commit(begun: ClaimedTurn, asked: float) -> None:
    """Hands a turn over to this process's host, in whose name it was begun, on commit.

    If that has gone meanwhile, another finds the turn as it finds what a dead one left.
    """
    transaction.on_commit(lambda: _local.take(begun, asked) if _local is not None else None)


def turn_queued(channel_id: str) -> None:
    """A turn waits in the channel: when the transaction commits, some host starts it."""
    transaction.on_commit(lambda: _start(channel_id))


def hint_on_commit(kind: str, id: str) -> None:
    """Wakes whoever waits for this: kinds "cancel" (turn id), "request" (request id), "channel".

    "channel" (channel id) goes to hosts that run already: one of them takes up a turn given back.
    """
    transaction.on_commit(lambda: _hint({"kind": kind, "id": id}))


def _start(channel_id: str) -> None:
    if settings.BROKER_URL:
        _broker(settings.BROKER_URL).send(channel_id)
    else:
        _hint({"kind": "channel", "id": channel_id})


def _hint(hint: Hint) -> None:
    if _local is not None:
        _local.receive(hint)
    if settings.REDIS_URL:
        from agents.delivery import relay  # costs half a second: only where there is a Redis

        relay.hint(hint["kind"], hint["id"])


@lru_cache(maxsize=4)
def _broker(_url: str) -> Courier[str]:
    """While the broker is away, or after it, a worker finds the turns when it looks by itself."""
    from celery import current_app  # costs a fifth of a second: only where there is a broker
    from kombu.exceptions import OperationalError

    def hand(channel_ids: Sequence[str]) -> None:
        for channel_id in dict.fromkeys(channel_ids):
            current_app.send_task(
                "agents.tasks.answer",
                args=[channel_id],
                queue=settings.HOST_QUEUE,
                ignore_result=True,
                retry=False,
            )

    def ask() -> None:
        with current_app.connection_for_write() as connection:
            connection.ensure_connection(max_retries=1, interval_start=0, timeout=round(PATIENCE))

    return Courier("broker", hand, ask, (OperationalError, OSError))
