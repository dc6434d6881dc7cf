"""Files of a place are read while a message is being posted there; each reading is used once."""

from __future__ import annotations

import asyncio

import pytest

from agents.runtime.answering.place_files import ReadAhead
from agents.runtime.answering.toolsets import MAIA
from agents.runtime.host import Host
from agents.services.typed.lines import say
from maia_web.accounts.models import User
from maia_web.lib.db import in_db
from tests.cast import Cast
from tests.support.listener import listening
from tests.support.openai_behaviours import answer, text
from tests.support.openai_server import ScriptedServer
from workspaces.domain.places import Place
from workspaces.files.local import LocalFiles

pytestmark = pytest.mark.django_db(transaction=True)


def place_of(cast: Cast, person: User) -> Place:
    return cast.access(person).place


def write(place: Place, words: str) -> None:
    LocalFiles(place).write("MAIA.md", words)


async def told(ahead: ReadAhead, place: Place) -> str:
    found = (await ahead.files(place, "maia", MAIA)).instructions
    return found[1] if found else ""


async def begun(ahead: ReadAhead, place: Place) -> None:
    """Begins a reading and waits until it is over."""
    before = asyncio.all_tasks()
    ahead.begin(place, "maia", "maia")
    await asyncio.gather(*(asyncio.all_tasks() - before))


async def test_what_was_read_ahead_is_used_once_and_by_nobody_else(cast: Cast) -> None:
    alices, bobs = [await in_db(place_of)(cast, person) for person in (cast.alice, cast.bob)]
    ahead = ReadAhead(fresh_seconds=1_000)
    await asyncio.to_thread(write, alices, "before")
    await begun(ahead, alices)
    await asyncio.to_thread(write, alices, "after")

    assert await told(ahead, bobs) == "after"
    assert await told(ahead, alices) == "before"
    assert await told(ahead, alices) == "after"
    assert len(ahead) == 0


async def test_what_was_read_for_a_post_that_came_to_nothing_is_not_used_for_the_next(
    cast: Cast,
) -> None:
    place = await in_db(place_of)(cast, cast.alice)
    ahead = ReadAhead(fresh_seconds=1_000)
    await asyncio.to_thread(write, place, "before")
    await begun(ahead, place)  # the transaction is rolled back: nobody uses it
    await asyncio.to_thread(write, place, "after")
    await begun(ahead, place)
    assert await told(ahead, place) == "after"


async def test_what_nobody_uses_soon_is_forgotten(cast: Cast) -> None:
    place = await in_db(place_of)(cast, cast.alice)
    ahead = ReadAhead(fresh_seconds=0)
    await begun(ahead, place)
    await asyncio.sleep(0)  # its time is over: what was due has run
    assert len(ahead) == 0


async def test_an_unknown_toolset_reads_nothing(cast: Cast) -> None:
    ahead = ReadAhead()
    ahead.begin(await in_db(place_of)(cast, cast.alice), "maia", "later")
    assert len(ahead) == 0


async def test_a_turn_has_what_its_place_says(
    cast: Cast, channel: str, host: Host, model: ScriptedServer
) -> None:
    await asyncio.to_thread(write, await in_db(place_of)(cast, cast.alice), "Be brief.")
    model.script(answer(text("Hello")))
    async with listening(cast.alice.pk, channel) as listener:
        await in_db(say)(cast.alice.pk, channel, "hi")
        await listener.until_idle()
    assert "Be brief." in str(model.chats[0].body["messages"][0]["content"])
    assert len(host.ahead) == 0
