"""A schema that goes back to an earlier version leaves nothing behind that is in its way."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from tests.support.processes import ROOT
from tests.support.services import Postgres

pytestmark = [pytest.mark.services, pytest.mark.xdist_group("many")]
OWN_TRIGGERS = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'rules_%'",
    "postgresql": "SELECT tgname FROM pg_trigger WHERE tgname LIKE 'rules_%'",
}


def migrate(data: Path, url: str, *target: str) -> None:
    env = {**os.environ, "MAIA_DATA": str(data), "DATABASE_URL": url}
    subprocess.run(
        [sys.executable, "manage.py", "migrate", "-v0", *target], cwd=ROOT, env=env, check=True
    )


def triggers(data: Path, url: str) -> int:
    if url:
        with psycopg.connect(url) as server:
            return len(server.execute(OWN_TRIGGERS["postgresql"]).fetchall())
    [file] = data.glob("*.sqlite3")
    with sqlite3.connect(file) as base:
        return len(base.execute(OWN_TRIGGERS["sqlite"]).fetchall())


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_no_trigger_outlives_the_table_it_writes(kind: str, data: Path, postgres: Postgres) -> None:
    url = postgres.new_database() if kind == "postgresql" else ""

    migrate(data, url)
    there = triggers(data, url)
    migrate(data, url, "agents", "0018")
    gone = triggers(data, url)
    migrate(data, url)

    assert (there > 0, gone, triggers(data, url)) == (True, 0, there)
