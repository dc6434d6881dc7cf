"""Several processes on one database: they begin together, and see each other or are refused."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from tests.resilience.story import eventually
from tests.support.processes import ROOT
from tests.support.server import MaiaServer
from tests.support.services import Postgres, Redis

pytestmark = [pytest.mark.services, pytest.mark.xdist_group("many")]
LOCKS = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND classid = 1296124225 AND granted"
MIGRATE = """
import django
django.setup()
from maia_web.lib.schema import bring_up_to_date
bring_up_to_date()
"""
MakeServer = Callable[..., MaiaServer]


@pytest.fixture
def make_server(data: Path) -> Iterator[MakeServer]:
    """Makes servers on one data folder that are not started yet, and end with the test."""
    made: list[MaiaServer] = []

    def make(env: dict[str, str]) -> MaiaServer:
        made.append(MaiaServer(data, env))
        return made[-1]

    yield make
    for server in made:
        server.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, postgres: Postgres) -> dict[str, str]:
    return {"DATABASE_URL": postgres.new_site()} if request.param == "postgresql" else {}


def test_servers_that_begin_at_once_on_an_empty_database_all_begin(
    make_server: MakeServer, postgres: Postgres, redis_server: Redis
) -> None:
    env = {"DATABASE_URL": postgres.new_database(), "REDIS_URL": redis_server.url(3)}
    servers = [make_server(env) for _ in range(3)]
    with ThreadPoolExecutor(len(servers)) as threads:
        list(threads.map(MaiaServer.start, servers))
    for server in servers:
        with server.http() as client:
            assert client.get("/sign-in").status_code == 200


def test_many_who_bring_an_empty_database_up_to_date_do_it_once(
    data: Path, database: dict[str, str]
) -> None:
    env = {**os.environ, **database, "MAIA_DATA": str(data), "MAIA_TEST_RUN": ""}
    env["DJANGO_SETTINGS_MODULE"] = "maia_web.settings"
    running = [
        subprocess.Popen([sys.executable, "-c", MIGRATE], cwd=ROOT, env=env, stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    told = [(process.communicate()[1], process.returncode) for process in running]
    assert told == [(b"", 0)] * 4


def test_a_second_server_without_redis_is_refused_until_the_first_is_gone(
    make_server: MakeServer, database: dict[str, str]
) -> None:
    first, second = make_server(database), make_server(database)
    first.start()
    told = second.refusal()
    assert "Another MAIA uses the database" in told
    assert "REDIS_URL" in told
    first.kill()
    second.start()


def test_one_with_redis_and_one_without_refuse_each_other(
    make_server: MakeServer, database: dict[str, str], redis_server: Redis
) -> None:
    with_redis = {**database, "REDIS_URL": redis_server.url(3)}
    first = make_server(with_redis)
    first.start()
    assert "Another MAIA uses the database" in make_server(database).refusal()
    first.stop()
    alone = make_server(database)
    alone.start()
    assert "A MAIA without REDIS_URL uses the database" in make_server(with_redis).refusal()


def test_a_place_that_postgresql_lost_is_taken_again(
    make_server: MakeServer, postgres: Postgres
) -> None:
    url = postgres.new_database()
    server = make_server({"DATABASE_URL": url})
    server.start()
    with psycopg.connect(url, autocommit=True) as connection:
        [(lost,)] = connection.execute(LOCKS).fetchall()
        connection.execute("SELECT pg_terminate_backend(%s)", [lost])
        eventually(
            lambda: [pid for (pid,) in connection.execute(LOCKS) if pid != lost],
            "the lock is held again",
        )
    assert "Another MAIA" in make_server({"DATABASE_URL": url}).refusal()
