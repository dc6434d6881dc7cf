"""A real host on the test's loop, a real model server over HTTP, a real sandbox."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
from django.db import connections

from agents.domain.model_servers.server import ModelServerSettings
from agents.models import Agent, ModelServer, Rule
from agents.runtime.host import Host
from agents.services.channels.channels import create_channel, open_direct
from maia_web.lib.db import in_db
from tests.agents.runtime.talk import Talk
from tests.cast import Cast, make_cast
from tests.support.openai_server import ScriptedServer, serve

READ_RULES = ("Read(**)", "Glob(**)", "Grep(**)", "TodoWrite")


@pytest.fixture
def model() -> Iterator[ScriptedServer]:
    with serve() as server:
        yield server


@pytest.fixture
def cast(transactional_db: None, model: ScriptedServer) -> Cast:
    Agent.objects.get_or_create(name="maia", defaults={"kind": "maia", "title": "MAIA"})
    for text in READ_RULES:
        Rule.objects.get_or_create(scope="site", family="allow", text=text)
    settings = ModelServerSettings(
        kind="openai", url=model.url, model="scripted", context_size=200_000
    )
    ModelServer.objects.create(**settings.model_dump(by_alias=False))
    return make_cast()


@pytest.fixture
def channel(cast: Cast) -> str:
    return create_channel(cast.alice.pk, cast.atelier.id, "release", members=("maia",))


@pytest.fixture
def direct(cast: Cast) -> str:
    return open_direct(cast.alice.pk, cast.atelier.id, "maia")


@pytest.fixture
async def host(cast: Cast) -> AsyncIterator[Host]:
    running = Host()
    await running.start()
    yield running
    await running.stop()
    await in_db(connections.close_all)()


@pytest.fixture
def talk(cast: Cast, direct: str, host: Host) -> Talk:
    """Alice's direct conversation, with a host that answers in it."""
    return Talk(cast, direct, host)
