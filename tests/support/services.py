"""PostgreSQL and Redis for tests, each started on a free port in a folder of its own.

One of each per pytest worker, and only where a test asks for it: put such tests into
`pytest.mark.xdist_group("many")`, so that one worker runs them all.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from tests.support.migrated import migrate
from tests.support.processes import Program, free_port

_numbers = count(1)


def missing_services() -> str | None:
    """Returns what this machine lacks, for the reason of a skip."""
    lacking = [
        name
        for name, found in (
            ("PostgreSQL (Debian: postgresql)", postgres_programs()),
            ("Redis (Debian: redis-server)", shutil.which("redis-server")),
        )
        if not found
    ]
    return " and ".join(lacking) or None


def postgres_programs() -> Path | None:
    """Returns the folder of initdb and postgres, the newest version first."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    on_path = shutil.which("initdb")
    return next(iter(folders), Path(on_path).parent if on_path else None)


@dataclass
class Postgres:
    """A server that may be stopped and started; every database it makes is new."""

    port: int
    run: Callable[[], Program]
    program: Program = field(init=False)
    _migrated: str | None = None

    def __post_init__(self) -> None:
        self.start()

    @property
    def pid(self) -> int:
        """The process that all others of the server come from."""
        return self.program.process.pid

    def start(self) -> None:
        """Starts it, on the data of before."""
        self.program = self.run()
        self.program.wait_for("ready to accept connections")

    def stop(self) -> None:
        """Ends it and every connection."""
        self.program.stop(signal.SIGINT)

    def url(self, database: str) -> str:
        """Returns the address of a database."""
        return f"postgresql://maia@127.0.0.1:{self.port}/{database}"

    def new_database(self) -> str:
        """Makes a database that is empty; returns its address."""
        return self._make("template1")

    def new_site(self) -> str:
        """Makes a database that is migrated; returns its address."""
        if self._migrated is None:
            url = self.new_database()
            migrate({"DATABASE_URL": url})
            self._migrated = url.rpartition("/")[2]
        return self._make(self._migrated)

    def _make(self, like: str) -> str:
        import psycopg

        name = f"maia_{os.getpid()}_{next(_numbers)}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {like}")
        return self.url(name)


@dataclass(frozen=True)
class Redis:
    """A running server with 16 databases."""

    port: int
    pid: int

    def url(self, database: int = 0) -> str:
        """Returns the address of a database."""
        return f"redis://127.0.0.1:{self.port}/{database}"

    def clear(self) -> None:
        """Forgets everything."""
        import redis

        with redis.Redis(port=self.port) as connection:
            connection.flushall()


def _account() -> int | None:
    """Returns who runs PostgreSQL: it refuses to run as root."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name: entry.pw_uid for entry in pwd.getpwall()}
    return names.get("postgres", names.get("nobody"))


@contextmanager
def _folder(account: int | None) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="maia-service-", dir="/tmp") as name:
        if account is not None:
            os.chown(name, account, -1)
        yield Path(name)


@contextmanager
def run_postgres() -> Iterator[Postgres]:
    """Runs PostgreSQL until the block ends; what is in it is lost then."""
    programs = postgres_programs()
    assert programs is not None, "no PostgreSQL on this machine"
    account = _account()
    with _folder(account) as folder:
        data = folder / "data"
        arguments = f"-U maia --auth=trust -E UTF8 --locale=C.UTF-8 --no-sync -D {data}".split()
        subprocess.run(
            [programs / "initdb", *arguments],
            user=account,
            cwd=folder,
            check=True,
            capture_output=True,
        )
        port = free_port()
        settings = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"]
        settings += [f"unix_socket_directories={folder}", "listen_addresses=127.0.0.1"]
        options = [word for setting in settings for word in ("-c", setting)]
        words: list[str | Path] = [programs / "postgres", "-D", data, "-p", str(port), *options]
        server = Postgres(port, lambda: Program(words, account=account))
        try:
            yield server
        finally:
            server.program.kill()


@contextmanager
def run_redis(port: int = 0) -> Iterator[Redis]:
    """Runs Redis until the block ends, without a file; on a free port unless one is given."""
    with _folder(None) as folder:
        port = port or free_port()
        words = f"--port {port} --bind 127.0.0.1 --appendonly no --dir {folder}".split()
        program = Program(["redis-server", *words, "--save", ""])
        try:
            program.wait_for("Ready to accept connections")
            yield Redis(port, program.process.pid)
        finally:
            program.kill()
