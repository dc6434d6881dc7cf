"""Stories with servers that die: real processes, a real sandbox, a scripted model."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.resilience.story import Story
from tests.support.fixtures import StartServer
from tests.support.openai_server import ScriptedServer, serve
from tests.support.server import MaiaServer


@pytest.fixture
def story(start_server: StartServer, model_server: ScriptedServer) -> Iterator[Story]:
    """Alice on a server with SQLite."""
    told = Story.begin(start_server(), model_server)
    yield told
    told.close()


@pytest.fixture(scope="module")
def begun(maia: MaiaServer) -> Iterator[Story]:
    """Alice on a site of either stack, which the tests of a module share."""
    with serve() as model:
        told = Story.begin(maia, model)
        yield told
        told.close()


@pytest.fixture
def site(begun: Story) -> Iterator[Story]:
    """Alice there, in a workspace of this test."""
    told = begun.elsewhere()
    yield told
    told.close()
    told.model.forget()
