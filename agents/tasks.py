"""Celery's doorstep: a task waits while the host of this worker runs the turns of a channel."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import CancelledError

from celery import shared_task, signals

from agents.runtime.worker import Closing, stop_worker_host, worker_host

logger = logging.getLogger(__name__)


@shared_task(name="agents.tasks.answer")
def answer(channel_id: str) -> None:
    """Runs what waits in a channel; the claim in the database makes a second delivery harmless."""
    try:
        host, loop = worker_host()
        asyncio.run_coroutine_threadsafe(host.serve(channel_id), loop).result()
    except (Closing, CancelledError):
        logger.info("this worker closes; another one serves channel %s", channel_id)


@signals.worker_ready.connect
def _ready(**_sent: object) -> None:
    """Takes up what an earlier worker left, before any task arrives."""
    worker_host()


@signals.worker_shutting_down.connect
def _closing(**_sent: object) -> None:
    stop_worker_host()
