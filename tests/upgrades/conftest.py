"""Databases of earlier commits, laid out as their servers left them (see record.py)."""

from __future__ import annotations

import json
import lzma
import sqlite3
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.services import Postgres, postgres_programs

HERE = Path(__file__).parent
FIRST = "6a098b9"  # whatever came after it starts on its data
COMMITS = sorted(folder.name for folder in HERE.iterdir() if (folder / "told.json").exists())


@dataclass
class Earlier:
    """What an earlier commit left: `told` of it, and the environment that serves it now."""

    told: dict[str, Any]
    site: dict[str, Any]
    env: dict[str, str]
    data: Path

    def execute(self, sql: str, values: tuple[Any, ...] = ()) -> None:
        """Changes the database before it is started."""
        if "DATABASE_URL" in self.env:
            import psycopg

            with psycopg.connect(self.env["DATABASE_URL"]) as connection:
                connection.execute(sql.replace("?", "%s"), values)
        else:
            with sqlite3.connect(self.data / "maia.sqlite3") as database:
                database.execute(sql, values)
            database.close()


@pytest.fixture(params=COMMITS)
def commit(request: pytest.FixtureRequest) -> Path:
    return HERE / str(request.param)


@pytest.fixture(
    params=[
        pytest.param("sqlite"),
        pytest.param("postgresql", marks=[pytest.mark.services, pytest.mark.xdist_group("many")]),
    ]
)
def earlier(commit: Path, data: Path, request: pytest.FixtureRequest) -> Earlier:
    """The site of a commit: each recorded one, where a test does not choose."""
    told = json.loads((commit / "told.json").read_text())
    env = {"MAIA_SECRET_KEY": told["secret"]}
    data.mkdir()
    data.chmod(0o711)
    if request.param == "sqlite":
        rows = lzma.decompress((commit / "data.sqlite3.xz").read_bytes())
        (data / "maia.sqlite3").write_bytes(rows)
    else:
        postgres: Postgres = request.getfixturevalue("postgres")
        env["DATABASE_URL"] = postgres.new_database()
        programs = postgres_programs()
        assert programs is not None
        subprocess.run(
            [programs / "psql", "-q", "-v", "ON_ERROR_STOP=1", env["DATABASE_URL"]],
            input=lzma.decompress((commit / "data.sql.xz").read_bytes()),
            capture_output=True,
            check=True,
        )
    return Earlier(told, told[request.param], env, data)
