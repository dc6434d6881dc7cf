"""Every kind of blow once on each stack; `make chaos` strikes for as long as one likes."""

from __future__ import annotations

import asyncio
from asyncio.subprocess import PIPE
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from random import Random

import pytest

from tests.resilience.chaos.blows import BLOWS
from tests.resilience.chaos.crowd import crowd, prepare
from tests.resilience.chaos.stacks import Stack, missing, running_stack
from tests.support.openai_server import ScriptedServer, serve
from tests.support.services import missing_services

pytestmark = pytest.mark.timeout(600)


ONE = pytest.mark.xdist_group("one")
MANY = pytest.mark.xdist_group("many")
Data = Callable[[], AbstractContextManager[Path]]


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedServer]:
    with serve() as server:
        yield server


@pytest.fixture(scope="module")
def one(shared_data: Data, model: ScriptedServer) -> Iterator[Stack]:
    """One process with SQLite, for all blows that it takes."""
    with shared_data() as data, running_stack("one", data) as running:
        prepare(running, model)
        yield running


@pytest.fixture(scope="module")
def many(shared_data: Data, model: ScriptedServer) -> Iterator[Stack]:
    """PostgreSQL, Redis, two web processes and two workers, for all blows that they take."""
    lacking = missing_services()
    if lacking:
        pytest.skip(f"needs {lacking}")
    with shared_data() as data, running_stack("many", data) as running:
        prepare(running, model)
        yield running


@ONE
@pytest.mark.parametrize("kind", BLOWS["one"])
async def test_one_process_keeps_what_was_acknowledged_and_runs_nothing_twice_after(
    one: Stack, model: ScriptedServer, kind: str
) -> None:
    await holds_after(kind, one, model)


@MANY
@pytest.mark.services
@pytest.mark.parametrize("kind", BLOWS["many"])
async def test_many_processes_keep_what_was_acknowledged_and_run_nothing_twice_after(
    many: Stack, model: ScriptedServer, kind: str
) -> None:
    await holds_after(kind, many, model)


async def holds_after(kind: str, struck: Stack, model: ScriptedServer) -> None:
    """Lets one blow fall on five people who talk."""
    lacking = missing(kind)
    if lacking:
        pytest.skip(f"needs {lacking}")
    random = Random(kind)
    async with crowd(struck, model, random) as people:
        await people.strike(kind, random)


@ONE
async def test_the_harness_sees_what_is_lost_what_ran_twice_and_what_is_left_over(
    one: Stack, model: ScriptedServer
) -> None:
    async with crowd(one, model, Random("harness")) as people:
        while not people.ran():
            await people.speak()
            await people.quiet()
        await asyncio.to_thread(people.check)

        alice = people.people[0]
        alice.acknowledged["never"] = alice.said["never"] = "nothing"
        with pytest.raises(AssertionError, match=r"lost: .*nothing"):
            people.check()
        del alice.acknowledged["never"], alice.said["never"]

        left = await asyncio.create_subprocess_exec(
            "sh", "-c", "read gone", str(one.data), stdin=PIPE
        )
        assert [one.partition(":")[0] for one in people.orphans()] == [str(left.pid)]
        await left.communicate(b"")

        with people.ran_file.open("a") as file:
            file.write(f"{next(iter(people.ran()))}\n")
        with pytest.raises(AssertionError, match="ran more than once"):
            people.check()
