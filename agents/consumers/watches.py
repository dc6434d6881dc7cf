"""Watches: the workspaces whose files one socket follows."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from functools import partial

from agents.delivery import Client, packet
from agents.protocol.frames import WorkspaceChanged
from maia_web.lib.db import in_db
from workspaces.files.watch import Watcher, watch
from workspaces.selectors import workspace_for

MOST = 8
MOST_PATHS = 200


class Watches:
    """Sends `workspace:changed` to its client; at most eight workspaces at once."""

    def __init__(self, client: Client, user_id: int) -> None:
        self._client = client
        self._user = user_id
        self._watchers: dict[str, Watcher] = {}
        self._lock = asyncio.Lock()

    async def start(self, workspace: str) -> None:
        """Follows a workspace this person may see; raises `NotFound`."""
        access = await in_db(workspace_for)(self._user, workspace)
        async with self._lock:
            if workspace in self._watchers:
                return
            while len(self._watchers) >= MOST:
                await self._watchers.pop(next(iter(self._watchers))).stop()
            self._watchers[workspace] = await watch(access.place, partial(self._tell, workspace))

    async def stop(self, workspace: str) -> None:
        """Ends that."""
        async with self._lock:
            watcher = self._watchers.pop(workspace, None)
            if watcher is not None:
                await watcher.stop()

    async def stop_all(self) -> None:
        """Ends all of it."""
        for workspace in tuple(self._watchers):
            await self.stop(workspace)

    async def keep_only(self, workspaces: Collection[str]) -> None:
        """Ends what this person may not see any more."""
        for workspace in [one for one in self._watchers if one not in workspaces]:
            await self.stop(workspace)

    def _tell(self, workspace: str, folders: frozenset[str]) -> None:
        paths = tuple(sorted(folders)[:MOST_PATHS])
        self._client.push(packet(WorkspaceChanged(workspace=workspace, paths=paths)))
