"""Every kind of blow: what it does to a stack while the block lasts, and how it is mended."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from random import Random

from tests.resilience.chaos.stacks import (
    CLOCK_AHEAD,
    LEASE,
    OWN_NAMESPACE,
    Process,
    Services,
    Stack,
    children,
)

Blow = Callable[[Stack, Random], AbstractAsyncContextManager[Process | None]]
"""Gives the process that was struck; None where it was a service."""
Choose = Callable[[Stack], list[Process]]


def a_web(stack: Stack) -> list[Process]:
    """One of the processes that people are connected to."""
    return stack.webs


def a_worker(stack: Stack) -> list[Process]:
    """One of those that answer."""
    return stack.workers


def killed(choose: Choose) -> Blow:
    """kill -9; it is started again at once, as a service manager does."""

    @asynccontextmanager
    async def blow(stack: Stack, random: Random) -> AsyncIterator[Process]:
        struck = random.choice(choose(stack))
        struck.kill()
        await asyncio.to_thread(struck.start)
        yield struck

    return blow


def frozen(choose: Choose) -> Blow:
    """SIGSTOP, and SIGCONT afterwards: longer or shorter than the lease."""

    @asynccontextmanager
    async def blow(stack: Stack, random: Random) -> AsyncIterator[Process]:
        struck = random.choice(choose(stack))
        struck.freeze()
        try:
            yield struck
            await asyncio.sleep(random.choice((0, 1.5 * LEASE)))  # so long the blow itself lasts
        finally:
            struck.wake()

    return blow


def started_under(choose: Choose, *under: str) -> Blow:
    """Killed and started elsewhere for a while; killed there and started as before."""

    @asynccontextmanager
    async def blow(stack: Stack, random: Random) -> AsyncIterator[Process]:
        struck = random.choice(choose(stack))
        struck.kill()
        await asyncio.to_thread(struck.start, under)
        assert struck.is_elsewhere, f"{under} changes nothing on this machine"
        yield struck
        struck.kill()
        await asyncio.to_thread(struck.start)

    return blow


@asynccontextmanager
async def _redis_frozen(stack: Stack, _random: Random) -> AsyncIterator[None]:
    pid = _services(stack).redis.pid
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


@asynccontextmanager
async def _redis_restarted(stack: Stack, _random: Random) -> AsyncIterator[None]:
    start = await asyncio.to_thread(_services(stack).restart_redis)
    try:
        yield
    finally:
        await asyncio.to_thread(start)


@asynccontextmanager
async def _database_frozen(stack: Stack, _random: Random) -> AsyncIterator[None]:
    own = _services(stack).postgres.pid
    every = [own, *children(own)]
    for pid in every:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in reversed(every):
            os.kill(pid, signal.SIGCONT)


@asynccontextmanager
async def _database_restarted(stack: Stack, _random: Random) -> AsyncIterator[None]:
    postgres = _services(stack).postgres
    await asyncio.to_thread(postgres.stop)
    try:
        yield
    finally:
        await asyncio.to_thread(postgres.start)


def _services(stack: Stack) -> Services:
    assert stack.services is not None
    return stack.services


BLOWS: dict[str, dict[str, Blow]] = {
    "one": {
        "kill": killed(a_web),
        "freeze": frozen(a_web),
        "clock": started_under(a_web, *CLOCK_AHEAD),
        "namespace": started_under(a_web, *OWN_NAMESPACE),
    },
    "many": {
        "kill-web": killed(a_web),
        "kill-worker": killed(a_worker),
        "freeze-web": frozen(a_web),
        "freeze-worker": frozen(a_worker),
        "clock-web": started_under(a_web, *CLOCK_AHEAD),
        "clock-worker": started_under(a_worker, *CLOCK_AHEAD),
        "namespace-worker": started_under(a_worker, *OWN_NAMESPACE),
        "freeze-redis": _redis_frozen,
        "restart-redis": _redis_restarted,
        "freeze-database": _database_frozen,
        "restart-database": _database_restarted,
    },
}
