"""Stories with a server that dies: real processes, a real sandbox, a scripted model."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.resilience.story import Story
from tests.support.fixtures import StartServer
from tests.support.openai_server import ScriptedServer


@pytest.fixture
def story(start_server: StartServer, model_server: ScriptedServer) -> Iterator[Story]:
    told = Story.begin(start_server(), model_server)
    yield told
    told.close()
