"""The host of a worker process: one event loop in a thread of its own."""

from __future__ import annotations

import asyncio
import threading

from django.conf import settings

from agents.delivery import relay
from agents.runtime.host import Host
from agents.runtime.web import LAST_WORDS

_lock = threading.RLock()
_running: tuple[Host, asyncio.AbstractEventLoop] | None = None
_closed = False


class Closing(Exception):
    """This process takes no more turns."""


def worker_host() -> tuple[Host, asyncio.AbstractEventLoop]:
    """Returns the host of this process, started on first use; raises `Closing` at its end."""
    global _running  # one host per process
    with _lock:
        if _closed:
            raise Closing
        if _running is None:
            loop = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="turn-host", daemon=True).start()
            host = Host()
            asyncio.run_coroutine_threadsafe(host.start(), loop).result()
            _running = (host, loop)
        return _running


def stop_worker_host() -> None:
    """Ends the turns of this process; another host takes them up."""
    global _running, _closed  # one host per process
    with _lock:
        _closed = True
        if _running is not None:
            host, loop = _running
            asyncio.run_coroutine_threadsafe(host.stop(), loop).result(timeout=20)
            loop.call_soon_threadsafe(loop.stop)
            if settings.REDIS_URL:
                relay.flush(LAST_WORDS)
            _running = None
