"""The small local model: a real llama.cpp, a real model, streamed through real HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path

import pytest

from agents.domain.endpoint import Endpoint
from agents.domain.model_messages import ModelMessage, TextBlock
from agents.engine.ports import ChatRequest, Done, ProviderError, TextDelta, UsageDelta
from agents.providers.catalogue import list_models
from agents.providers.local_model import LocalModel
from agents.providers.local_server import MODEL
from agents.providers.openai_chat import OpenAIChat
from tests.support.environments import environment

REQUIREMENTS = Path(__file__).parents[2] / "support" / "local-model-requirements.txt"
pytestmark = [pytest.mark.services, pytest.mark.xdist_group("local-model")]


@pytest.fixture
def model(tmp_path: Path) -> Iterator[LocalModel]:
    bin = environment("local-model", REQUIREMENTS, "--no-deps")
    started = LocalModel(tmp_path, str(bin / "python"))
    yield started
    started.close()


async def test_it_starts_when_it_is_needed_and_streams(model: LocalModel) -> None:
    await model.wake()
    endpoint = Endpoint(model.url)
    (listed,) = await list_models(endpoint)
    assert listed.name == MODEL
    question = ModelMessage(role="user", content=(TextBlock(text="Name three colours."),))
    request = ChatRequest("You are helpful.", (question,), max_tokens=24)
    async with aclosing(OpenAIChat(endpoint, MODEL).stream(request)) as stream:
        events = [event async for event in stream]
    deltas = [event.text for event in events if isinstance(event, TextDelta)]
    assert len(deltas) > 3
    assert "".join(deltas).strip()
    assert any(isinstance(event, UsageDelta) and event.output_tokens for event in events)
    assert isinstance(events[-1], Done)
    assert events[-1].stop_reason in ("end_turn", "max_tokens")


async def test_it_keeps_its_address_and_comes_back_after_its_end(model: LocalModel) -> None:
    url = model.url
    await model.wake()
    model.close()
    assert model.url == url
    await model.wake()
    assert [one.name for one in await list_models(Endpoint(url))] == [MODEL]


async def test_a_model_that_cannot_start_is_told(tmp_path: Path) -> None:
    broken = LocalModel(tmp_path, "/bin/false")
    with pytest.raises(ProviderError, match="did not start") as caught:
        await broken.wake()
    assert caught.value.code == "unreachable"
    broken.close()
