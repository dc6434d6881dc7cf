"""Fixtures around workspaces."""

from __future__ import annotations

import itertools
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from django.conf import settings

from maia_web.lib.ids import new_id
from tests.cast import Cast, make_cast
from workspaces.domain.places import Place
from workspaces.sandboxes.base import probed
from workspaces.sandboxes.folders import folders_of

_numbers = itertools.count(50_000 + os.getpid() % 1_000 * 100)


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.fixture
def place() -> Place:
    """A place with new folders; no row in the database stands behind it."""
    number = next(_numbers)
    return Place(new_id(), number, number)


@pytest.fixture
def workspace(place: Place) -> Path:
    return folders_of(place).workspace


@pytest.fixture
def home(place: Place) -> Path:
    return folders_of(place).home


async def _need_sandbox() -> None:
    found = await probed()
    if found.bwrap is None:
        if os.environ.get("CI") == "true":
            pytest.fail(found.problem)
        pytest.skip(found.problem)


@pytest.fixture
def sandbox_needed() -> Callable[[], Awaitable[None]]:
    """Returns what skips a test where this machine has no working sandbox (never under CI)."""
    return _need_sandbox


@pytest.fixture
async def sandboxed() -> None:
    """Skips where this machine has no working sandbox (never under CI=true)."""
    await _need_sandbox()


@pytest.fixture
def data() -> Path:
    folder: Path = settings.DATA
    return folder
