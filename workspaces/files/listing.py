"""Listing: every file and folder of a workspace by name, kept while somebody types.

ripgrep lists in the person's sandbox. A listing older than two seconds is given once more while a
thread takes a new one, so that nobody waits for a key they press.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass

from asgiref.sync import async_to_sync

from maia_web.lib.names.folding import fold
from workspaces.domain.argv import RIPGREP
from workspaces.domain.commands import Run
from workspaces.domain.places import Place
from workspaces.domain.search_arguments import SEARCHED
from workspaces.domain.spelling import spelled
from workspaces.sandboxes import open_sandbox

logger = logging.getLogger(__name__)
FRESH_FOR = 2.0
MOST_KEPT = 32
MOST_NAMES = 200_000
_TIMEOUT = 10.0
_MAX_OUTPUT = 32_000_000
_ARGV = (RIPGREP, *SEARCHED, "--files", "--null")


@dataclass(frozen=True, slots=True)
class Listing:
    """Paths relative to the workspace, folders with a `/` at their end; and the same folded."""

    paths: tuple[str, ...]
    folded: tuple[str, ...]


@dataclass(slots=True)
class _Kept:
    listing: Listing
    at: float
    refreshing: bool = False


_kept: OrderedDict[tuple[str, int], _Kept] = OrderedDict()
_lock = threading.Lock()


def listing_of(place: Place, fresh_for: float = FRESH_FOR) -> Listing:
    """Returns the names; older ones than `fresh_for` seconds are taken anew for who asks next.

    For threads: the first time it waits for ripgrep.
    """
    key = (place.workspace, place.user)
    with _lock:
        kept = _kept.get(key)
        if kept is not None:
            _kept.move_to_end(key)
            if time.monotonic() - kept.at > fresh_for and not kept.refreshing:
                kept.refreshing = True
                threading.Thread(target=_refresh, args=(place,), name="listing").start()
            return kept.listing
    return _keep(key, async_to_sync(take_listing)(place))


async def take_listing(place: Place) -> Listing:
    """Lists the workspace now; empty where nothing can be listed."""
    command = Run(_ARGV, timeout=_TIMEOUT, max_output=_MAX_OUTPUT, stop_when_full=True, names=True)
    result = await open_sandbox(place, read_only=True).run(command)
    if result.status == "not-started":
        logger.warning("a workspace could not be listed: %s", result.error)
    files = [spelled(name) for name in result.output.split("\0") if name][:MOST_NAMES]
    folders = {f"{above}/" for name in files for above in _above(name)}
    paths = tuple(sorted(folders)) + tuple(files)
    return Listing(paths, tuple(map(fold, paths)))


def forget_listings() -> None:
    """Forgets everything kept, for tests."""
    with _lock:
        _kept.clear()


def _above(name: str) -> list[str]:
    parts = name.split("/")[:-1]
    return ["/".join(parts[: n + 1]) for n in range(len(parts))]


def _refresh(place: Place) -> None:
    key = (place.workspace, place.user)
    try:
        _keep(key, asyncio.run(take_listing(place)))
    finally:
        with _lock:
            kept = _kept.get(key)
            if kept is not None:
                kept.refreshing = False


def _keep(key: tuple[str, int], listing: Listing) -> Listing:
    with _lock:
        _kept[key] = _Kept(listing, time.monotonic())
        _kept.move_to_end(key)
        while len(_kept) > MOST_KEPT:
            _kept.popitem(last=False)
    return listing
