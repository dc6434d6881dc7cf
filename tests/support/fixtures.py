"""Fixtures that every test may ask for: services, servers, and the two ways to run MAIA."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.openai_server import ScriptedServer, serve
from tests.support.server import MaiaServer
from tests.support.services import (
    Postgres,
    Redis,
    missing_services,
    run_postgres,
    run_redis,
)

STACKS = ("default", "many")
StartServer = Callable[..., MaiaServer]


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> None:
    """Takes a guard of the audit log away: on SQLite tests begin anew by the DELETE it refuses.

    The tests of the audit log put it back for themselves.
    """
    from django.db import connection

    if connection.vendor == "sqlite":
        with django_db_blocker.unblock(), connection.cursor() as cursor:
            cursor.execute("DROP TRIGGER audit_keeps_young_lines")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL of this pytest worker."""
    _need_services()
    with run_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def redis_server() -> Iterator[Redis]:
    """A Redis of this pytest worker."""
    _need_services()
    with run_redis() as server:
        yield server


def _need_services() -> None:
    missing = missing_services()
    if missing:
        pytest.skip(f"needs {missing}")


@pytest.fixture
def data() -> Iterator[Path]:
    """A data folder that the accounts of sandboxes can reach, which pytest's own are not."""
    with _data() as folder:
        yield folder


@pytest.fixture(scope="session")
def shared_data() -> Callable[[], AbstractContextManager[Path]]:
    """The same for fixtures that outlive a test."""
    return _data


@contextmanager
def _data() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="maia-data-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o711)
        yield folder / "data"


@pytest.fixture
def model_server() -> Iterator[ScriptedServer]:
    """A scripted OpenAI-compatible server over real HTTP."""
    with serve() as server:
        yield server


@pytest.fixture(
    scope="module",
    params=[
        pytest.param("default", marks=[pytest.mark.xdist_group("one")]),
        pytest.param("many", marks=[pytest.mark.services, pytest.mark.xdist_group("many")]),
    ],
)
def stack(request: pytest.FixtureRequest) -> dict[str, str]:
    """Both ways to run MAIA: one process with SQLite, or PostgreSQL, Redis and Celery workers."""
    if request.param == "default":
        return {}
    postgres: Postgres = request.getfixturevalue("postgres")
    redis: Redis = request.getfixturevalue("redis_server")
    redis.clear()
    return {
        "DATABASE_URL": postgres.new_site(),
        "REDIS_URL": redis.url(0),
        "MAIA_BROKER_URL": redis.url(1),
        "MAIA_HOST_QUEUE": "maia.test",
    }


@pytest.fixture
def start_server(data: Path) -> Iterator[StartServer]:
    """Starts servers that end with the test: `start_server(env={}, workers=0)`."""
    started: list[MaiaServer] = []

    def start(env: Mapping[str, str] | None = None, **options: Any) -> MaiaServer:
        server = MaiaServer(data, env, **options)
        started.append(server)
        server.start()
        return server

    yield start
    for server in started:
        server.close()


@pytest.fixture(scope="module")
def maia(stack: dict[str, str]) -> Iterator[MaiaServer]:
    """A running server, once for each stack and module."""
    with _data() as folder, MaiaServer(folder, stack, workers=1 if stack else 0) as server:
        yield server
