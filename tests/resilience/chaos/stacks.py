"""The two stacks that take blows: every process of MAIA and every service, each one by its name."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.processes import Program
from tests.support.server import MaiaServer
from tests.support.services import Postgres, Redis, run_postgres, run_redis

LEASE = 5.0
NAMES = ("one", "many")
CLOCK_AHEAD = (
    "env",
    "LD_PRELOAD=/usr/$LIB/faketime/libfaketimeMT.so.1",
    "FAKETIME=+120s",
    "FAKETIME_DONT_FAKE_MONOTONIC=1",
)
OWN_NAMESPACE = (
    "unshare",
    *(() if os.geteuid() == 0 else ("--map-current-user",)),
    *("--pid", "--fork", "--mount-proc", "--kill-child"),
)


@dataclass
class Process:
    """A web process or a worker: killed, frozen and started again as one."""

    name: str
    site: MaiaServer
    role: str
    under: tuple[str, ...] = ()
    started: list[Program] = field(default_factory=list)

    def start(self, under: tuple[str, ...] = ()) -> None:
        """Starts it; `under` is what its command line begins with."""
        self.under = under
        self.started.append(self.site.run(self.role, under))
        self.program.wait_for("MAIA is ready" if self.role == "serve" else "MAIA worker is ready")

    @property
    def program(self) -> Program:
        """The one that was started last."""
        return self.started[-1]

    def kill(self) -> None:
        """kill -9 of this process alone: what it started is its own to answer for."""
        os.kill(self._pid, signal.SIGKILL)
        self.program.ended()

    def freeze(self) -> None:
        """SIGSTOP."""
        os.kill(self._pid, signal.SIGSTOP)

    def wake(self) -> None:
        """SIGCONT."""
        with suppress(ProcessLookupError, IndexError):
            os.kill(self._pid, signal.SIGCONT)

    @property
    def is_elsewhere(self) -> bool:
        """Whether it has a clock or a PID namespace of its own."""
        own = Path(f"/proc/{self._pid}")
        faked = "libfaketime" in (own / "maps").read_text()
        return faked or (own / "ns" / "pid").readlink() != Path("/proc/self/ns/pid").readlink()

    @property
    def _pid(self) -> int:
        """Its number here; a process in a namespace is the only child of what made that."""
        own = self.program.process.pid
        return children(own)[0] if self.under == OWN_NAMESPACE else own


@dataclass
class Services:
    """PostgreSQL and a Redis that forgets everything when it restarts."""

    postgres: Postgres
    redis: Redis
    running: ExitStack

    def restart_redis(self) -> Callable[[], None]:
        """Ends Redis; returns what starts it again, at the same address."""
        port = self.redis.port
        self.running.close()

        def start() -> None:
            self.redis = self.running.enter_context(run_redis(port))

        return start


@dataclass
class Stack:
    """One way to run MAIA, and the folder with its data."""

    name: str
    data: Path
    webs: list[Process]
    workers: list[Process] = field(default_factory=list)
    services: Services | None = None

    @property
    def processes(self) -> list[Process]:
        """Every process of MAIA."""
        return [*self.webs, *self.workers]

    @property
    def site(self) -> MaiaServer:
        """The first web process, as tests speak to it."""
        return self.webs[0].site


@contextmanager
def running_stack(name: str, data: Path, more: Mapping[str, str] | None = None) -> Iterator[Stack]:
    """Runs one process with SQLite, or PostgreSQL, Redis, two web processes and two workers.

    `more`: variables for all of them.
    """
    with ExitStack() as running:
        env = {"MAIA_LEASE_SECONDS": str(LEASE), **(more or {})}
        if name == "one":
            made = Stack(name, data, [])
        else:
            redis = running.enter_context(ExitStack())
            services = Services(
                running.enter_context(run_postgres()), redis.enter_context(run_redis()), redis
            )
            env |= _addresses(services)
            made = Stack(name, data, [], services=services)
        running.callback(_end, made)
        _start(made, env, 1 if name == "one" else 2)
        yield made


def _addresses(services: Services) -> dict[str, str]:
    return {
        "DATABASE_URL": services.postgres.new_site(),
        "REDIS_URL": services.redis.url(0),
        "MAIA_BROKER_URL": services.redis.url(1),
        "MAIA_HOST_QUEUE": "maia.chaos",
    }


def _start(made: Stack, env: Mapping[str, str], webs: int) -> None:
    made.data.mkdir(parents=True, exist_ok=True)
    made.data.chmod(0o711)
    for number in range(webs):
        made.webs.append(Process(f"web-{number}", MaiaServer(made.data, env), "serve"))
        made.webs[-1].start()
    for number in range(2 if made.services else 0):
        made.workers.append(Process(f"worker-{number}", MaiaServer(made.data, env), "worker"))
        made.workers[-1].start()


def _end(made: Stack) -> None:
    for process in made.processes:
        if process.started:  # although it never said that it is ready
            process.wake()
            process.program.kill()


def missing(kind: str) -> str | None:
    """Returns what this machine lacks for a kind of blow, for the reason of a skip."""
    if "clock" in kind and not list(Path("/usr/lib").glob("**/faketime/libfaketimeMT.so.1")):
        return "libfaketime (Debian: faketime)"
    return None


def children(pid: int) -> list[int]:
    """The processes that a process started and that are alive; none where it is gone."""
    found: list[int] = []
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            found += [int(one) for one in listed.read_text().split()]
    return found
