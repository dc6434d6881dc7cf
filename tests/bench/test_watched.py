"""MAIA under watch: what is counted is what the server asked its database, and when."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bench.servers.maia import command, said
from bench.servers.play import play
from bench.servers.watched import ASKED
from bench.servers.watched_maia import Watched, run_watched, turn_over

pytestmark = [pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def watched() -> Iterator[Watched]:
    with run_watched() as running:
        yield running


@pytest.mark.promise("I10-bench-turn")
async def test_statements_are_counted_up_to_the_models_request(watched: Watched) -> None:
    maia = watched.maia
    (person,) = maia.people(1)
    room = await maia.new_room(person)
    socket = await maia.join(room, person)
    before = watched.count()
    took = await watched.turns(socket, room, "Well?", 1)
    assert took > 0
    told = [line.decode() for line in watched.before_asking(before)]
    assert any("agents_message" in statement for statement in told), told
    assert any(one.startswith("BEGIN") for one in told), told
    after = watched.lines(before)[len(told) :]
    assert after[0] == ASKED
    assert after.count(ASKED) == 1
    assert len(after) > 1  # what comes after it is not counted
    socket.close()


async def test_a_turn_calls_as_many_tools_as_it_is_told_to(watched: Watched) -> None:
    maia = watched.maia
    (person,) = maia.strangers(1)
    room = await maia.new_room(person)
    socket = await maia.join(room, person)
    asked = len(watched.model.chats)
    for calls in (3, 0):
        await said(socket, turn_over(), type="channel:send", channel=room, text=f"tools-{calls}")
        assert len(watched.model.chats) == asked + calls + 1
        asked = len(watched.model.chats)
    results = [
        message for message in watched.model.chats[-1].body["messages"] if message["role"] == "tool"
    ]
    assert len(results) == 3
    assert not [one for one in results if "denied" in one["content"].casefold()]
    socket.close()


@pytest.mark.promise("I10-bench-people")
async def test_a_crowd_are_different_people_who_all_see_the_stream(watched: Watched) -> None:
    maia = watched.maia
    crowd = maia.crowd(5)
    assert len({person.id for person in crowd}) == 5
    assert len({person.session for person in crowd}) == 5
    assert len({person.workspace for person in crowd}) == 1
    told = await play(maia, "rate-0x50", [crowd])
    assert told.lost == 0
    assert len(told.firsts) == 5


async def test_people_have_workspaces_of_their_own(watched: Watched) -> None:
    maia = watched.maia
    one, two = maia.strangers(2)
    assert one.workspace != two.workspace
    room = await maia.new_room(one)
    socket = await maia.connect(two)
    with pytest.raises(RuntimeError):
        await command(socket, type="channel:subscribe", channel=room)
    socket.close()
