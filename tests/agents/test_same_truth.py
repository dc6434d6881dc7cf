"""The same truth everywhere: a snapshot and the frames after it give the next snapshot.

The sessions in tests/golden/sessions are folded by the browser's reducers too (tests/js). Record
them anew with MAIA_RECORD=1.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.delivery import hub
from agents.models import Agent
from agents.protocol.frames import FRAME, ChannelReset, ChannelSnapshot
from agents.protocol.state import apply_frame
from agents.services.channels.channels import create_channel
from maia_web.lib.db import in_db
from maia_web.lib.ids import new_id
from tests.agents.conversation_world import NAMES, World
from tests.cast import Cast, make_cast
from tests.support.listener import fresh_snapshot
from tests.support.reader import essence
from tests.support.tab import Tab

pytestmark = pytest.mark.django_db(transaction=True)
SESSIONS = Path(__file__).parents[1] / "golden" / "sessions"
RECORDED = (1, 2, 3, 4, 5, 6)
LENGTH = 120
ACTION = st.tuples(st.sampled_from(NAMES), st.integers(0, 23))


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    Agent.objects.get_or_create(name="maia", defaults={"kind": "maia", "title": "MAIA"})
    return make_cast()


async def begin(cast: Cast) -> World:
    hub.loop = asyncio.get_running_loop()
    channel = await in_db(create_channel)(
        cast.alice.pk, cast.atelier.id, new_id(), members=("maia",)
    )
    return World(cast, channel)


def shown(state: ChannelSnapshot) -> dict[str, Any]:
    """What must be alike; the context is saved only now and then while an answer streams."""
    kept = essence(state)
    if state.busy:
        del kept["usage"]
    return kept


async def assert_same(world: World, tab: Tab) -> None:
    fresh = await in_db(fresh_snapshot)(world.cast.alice.pk, world.channel)
    assert shown(await tab.settle()) == shown(hub.with_streamed(fresh))


@given(
    before=st.lists(ACTION, max_size=20),
    after=st.lists(st.tuples(ACTION, st.booleans()), min_size=20, max_size=60),
)
@settings(max_examples=15, suppress_health_check=list(HealthCheck))
async def test_whenever_a_tab_joined_it_shows_what_a_new_one_would(
    cast: Cast,
    before: list[tuple[str, int]],
    after: list[tuple[tuple[str, int], bool]],
) -> None:
    world = await begin(cast)
    for action in before:
        await world.act(*action)
    tab = Tab(hub, cast.alice.pk, world.channel)
    try:
        await tab.settle()
        for action, look in after:
            await world.act(*action)
            if look:
                await assert_same(world, tab)
        await assert_same(world, tab)
    finally:
        await tab.close()


@given(
    before=st.lists(ACTION, max_size=20),
    gone=st.lists(st.lists(ACTION, max_size=4), min_size=4, max_size=12),
)
@settings(max_examples=10, suppress_health_check=list(HealthCheck))
async def test_whoever_comes_back_and_says_how_far_shows_what_a_new_tab_would(
    cast: Cast, before: list[tuple[str, int]], gone: list[list[tuple[str, int]]]
) -> None:
    world = await begin(cast)
    tab = Tab(hub, cast.alice.pk, world.channel)
    try:
        for action in before:
            await world.act(*action)
        await tab.settle()
        for actions in gone:
            await tab.leave()
            for action in actions:
                await world.act(*action)
            await tab.come_back()
            for action in actions:
                await world.act(*action)
            await assert_same(world, tab)
    finally:
        await tab.close()


@pytest.mark.parametrize("seed", RECORDED)
async def test_recorded_sessions_fold_to_their_last_snapshot(cast: Cast, seed: int) -> None:
    path = SESSIONS / f"{seed}.json"
    if os.environ.get("MAIA_RECORD"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(await recorded(cast, seed), indent=1, ensure_ascii=False) + "\n")
    session = json.loads(path.read_text())
    state = ChannelSnapshot.model_validate(session["snapshot"])
    for frame in map(FRAME.validate_python, session["frames"]):
        state = apply_frame(state, frame)
    assert len(session["frames"]) > 20
    assert shown(state) == shown(ChannelSnapshot.model_validate(session["final"]))


async def recorded(cast: Cast, seed: int) -> dict[str, Any]:
    """Plays a session without a reset: a tab that subscribes once and sees it all."""
    chance = random.Random(seed)
    world = await begin(cast)
    names = [name for name in NAMES if name != "clear"]
    for _ in range(chance.randrange(30)):
        await world.act(chance.choice(names), chance.randrange(24))
    tab = Tab(hub, cast.alice.pk, world.channel)
    await tab.settle()
    subscribed = tab.history.index(tab.state)
    names = [name for name in names if name != "crash"]
    for _ in range(LENGTH):
        await world.act(chance.choice(names), chance.randrange(24))
        await tab.settle()
    await world.act("stop", 1)
    await assert_same(world, tab)
    await tab.close()
    first, *frames = tab.history[subscribed:]
    assert not any(isinstance(frame, ChannelSnapshot | ChannelReset) for frame in frames)
    return {
        "snapshot": first.wire(),
        "frames": [frame.wire() for frame in frames],
        "final": tab.state.wire(),
    }
