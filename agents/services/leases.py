"""Leases: who may write of a running turn, by the database's clock alone."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db.models import DateTimeField, ExpressionWrapper, QuerySet
from django.db.models.functions import Now

from agents.domain.content.leases import Lease
from agents.models import Agent, Turn
from agents.services.channels.frames import lock_channel_of
from maia_web.lib.fixed import Fixed, FixedUpdate, Row, instance

LEASE = timedelta(seconds=settings.LEASE_SECONDS)


class LostTurn(Exception):
    """Another host has taken the turn up; this one must stop touching it."""


def give_lease(turn: Turn, host: str) -> None:
    """Gives a turn, whose channel is locked, to a host; the caller saves it."""
    turn.host, turn.lease = host, turn.lease + 1
    turn.lease_until = _END


def renew_lease(lease: Lease) -> bool:
    """Extends the lease; returns whether a person asked to cancel. Raises `LostTurn`."""
    if not _RENEW(lease.turn, lease.number):
        raise LostTurn(lease)
    row = _CANCEL_ASKED.first(lease.turn, lease.number)
    if row is None:
        raise LostTurn(lease)
    return bool(row[0])


def held_turn(lease: Lease) -> Turn:
    """Returns the running turn of a lease, for a transaction that writes of it.

    Its channel is locked: nobody takes the turn up until the transaction ends. Raises `LostTurn`.
    """
    lock_channel_of(lease.turn)
    return running_turn(lease)


def running_turn(lease: Lease) -> Turn:
    """Returns the running turn of a lease that is still held, to read; or raises `LostTurn`.

    Its agent is read with it; what else belongs to it, when it is asked for.
    """
    found = _RUNNING.first(lease.turn, lease.number)
    if found is None:
        raise LostTurn(lease)
    turn = instance(Turn, _TURN, found[: len(_TURN)])
    turn.agent = instance(Agent, _AGENT, found[len(_TURN) :])
    return turn


def held_turns(lease: Lease) -> QuerySet[Turn]:
    """Returns the running turn of a lease as a query; an empty one once it is lost."""
    return Turn.objects.filter(id=lease.turn, lease=lease.number, state="running")


_TURN = tuple(field.attname for field in Turn._meta.concrete_fields)
_AGENT = tuple(field.attname for field in Agent._meta.concrete_fields)


def _running(turn: str, number: int) -> QuerySet[Turn, Row]:
    agent = (f"agent__{column}" for column in _AGENT)
    return held_turns(Lease(turn, number)).values_list(*_TURN, *agent)


_RUNNING = Fixed(_running)
_END = ExpressionWrapper(Now() + LEASE, output_field=DateTimeField())
"""By the database's clock, the only one that all hosts share."""
_RENEW = FixedUpdate(lambda *lease: (held_turns(Lease(*lease)), {"lease_until": _END}))
_CANCEL_ASKED = Fixed(lambda *lease: held_turns(Lease(*lease)).values_list("cancel_asked"))
