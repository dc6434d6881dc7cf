"""Known models: an administrator's figure first, a list's before an answer's, and all anew."""

from __future__ import annotations

import pytest

from agents.domain.model_servers.server import ModelServerSettings
from agents.domain.model_servers.traits import Traits
from agents.models import ContextSize, KnownModel
from agents.selectors.models.context_sizes import known_size, server_with, site_model
from agents.selectors.models.known import known_models
from agents.selectors.models.traits import traits_of
from agents.services.memory.context_sizes import forget_size, keep_size, may_look
from agents.services.models.known import forget_model, say_of_model
from agents.services.models.servers import save_model_server
from agents.services.models.traits import forget_traits, keep_traits
from maia_web.lib.errors import InvalidInput

pytestmark = pytest.mark.django_db
SITE = ModelServerSettings(kind="openai", url="http://site", model="m")


@pytest.fixture(autouse=True)
def site() -> None:
    save_model_server(SITE)


@pytest.mark.parametrize("model", ["m", "other"])
def test_the_administrators_figure_counts_before_a_list_and_a_list_before_an_answer(
    model: str,
) -> None:
    server = server_with(model)
    assert server is not None
    keep_size(server, 1_000, "asked")
    keep_size(server, 2_000, "listed")
    keep_size(server, 3_000, "asked")
    assert known_size(server) == 2_000
    say_of_model(model, context_size=4_000, written_calls=False)
    assert known_size(server) == 4_000
    found = site_model(model)
    assert found is not None
    assert found.told == 4_000
    assert not may_look(server)


def test_a_size_that_was_asked_is_looked_for_again_and_forgotten_where_it_is_chosen() -> None:
    server = server_with("other")
    assert server is not None
    assert may_look(server)
    keep_size(server, 1_000, "asked")
    assert not may_look(server)
    ContextSize.objects.update(at="2020-01-01T00:00Z")
    assert may_look(server)
    keep_size(server, 2_000, "listed")
    ContextSize.objects.update(at="2020-01-01T00:00Z")
    assert not may_look(server)
    forget_size(server)
    assert may_look(server)


def test_what_was_learned_leaves_what_an_administrator_said() -> None:
    server = server_with("other")
    assert server is not None
    say_of_model("other", context_size=None, written_calls=True)
    keep_traits(server, Traits(left_out=("stream_options",)))
    assert traits_of(server) == Traits(left_out=("stream_options",), written_calls=True)
    (row,) = known_models()
    assert (row.model, row.traits.names) == ("other", "stream_options")
    forget_traits(server)
    assert traits_of(server) == Traits(written_calls=True)
    forget_model("other")
    assert known_models() == ()
    forget_traits(server)
    assert not KnownModel.objects.exists()


@pytest.mark.parametrize(
    ("name", "size", "field"),
    [(" ", 1, "model"), ("m\n", 0, "context_size"), ("m", -1, "context_size")],
)
def test_what_cannot_be_is_refused(name: str, size: int, field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        say_of_model(name, context_size=size, written_calls=False)
    assert caught.value.data["field"] == field
