"""Choosing the model server: its key is sealed, kept, and sent to nobody else."""

from typing import Any

import pytest
from pytest_django import Settings

from agents.domain.model_servers.server import ModelServerSettings
from agents.models import Agent, ModelServer
from agents.selectors.models.servers import current_key, current_server
from agents.services.models.servers import key_for, save_model_server
from maia_web.lib.errors import InvalidInput
from tests.support.known import known

pytestmark = pytest.mark.django_db
KEY = "sk-canary-5f1d0c"


def lite(**changes: Any) -> ModelServerSettings:
    values: dict[str, Any] = {
        "kind": "litellm",
        "url": "http://llm.example:4000",
        "model": "qwen",
        **changes,
    }
    return ModelServerSettings(**values)


def test_nothing_is_chosen_at_first() -> None:
    assert current_server() is None
    assert current_key() == ""


def test_the_choice_is_kept_and_the_key_is_sealed() -> None:
    saved = save_model_server(lite(context_size=200_000), KEY)
    assert saved == current_server()
    assert (saved.model, saved.context_size, saved.max_steps, saved.has_key) == (
        "qwen", 200_000, 50, True,
    )  # fmt: skip
    assert current_key() == KEY
    assert KEY not in str(ModelServer.objects.values())
    assert KEY not in repr(saved)
    assert KEY not in str(saved.wire())


def test_there_is_one_choice() -> None:
    save_model_server(lite(), KEY)
    save_model_server(lite(model="other"))
    assert ModelServer.objects.count() == 1
    assert known(current_server()).model == "other"


def test_a_litellm_without_a_key_takes_that_of_the_environment(
    db: None, settings: Settings
) -> None:
    settings.LITELLM_API_KEY = "sk-environment"
    server = ModelServerSettings(kind="litellm", url="http://x", model="m")
    save_model_server(server, "")
    assert current_key() == "sk-environment"
    save_model_server(server, "sk-own")
    assert current_key() == "sk-own"
    save_model_server(server.model_copy(update={"kind": "openai"}), "")
    assert current_key() == ""


def test_the_key_stays_goes_and_changes_as_asked() -> None:
    save_model_server(lite(), KEY)
    save_model_server(lite(url="http://llm.example:4000/v1"))
    assert current_key() == KEY
    save_model_server(lite(), "another")
    assert current_key() == "another"
    assert not save_model_server(lite(), "").has_key


def test_a_kept_key_never_goes_to_another_address() -> None:
    save_model_server(lite(), KEY)
    for url in ("http://evil.example:4000", "https://llm.example:4000", "http://llm.example"):
        with pytest.raises(InvalidInput) as refused:
            save_model_server(lite(url=url))
        assert refused.value.data["field"] == "key"
        with pytest.raises(InvalidInput):
            key_for(url, None)
    assert known(current_server()).url == "http://llm.example:4000"
    save_model_server(lite(url="http://evil.example:4000"), "")
    assert current_key() == ""


def test_the_demo_forgets_address_and_key() -> None:
    save_model_server(lite(), KEY)
    saved = save_model_server(ModelServerSettings(kind="demo"))
    assert (saved.kind, saved.url, saved.has_key) == ("demo", "", False)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"url": "llm.example"}, "url"),
        ({"chat_path": "v1/chat"}, "chat_path"),
        ({"chat_path": "//evil.example/v1"}, "chat_path"),
        ({"models_path": "/v1/models x"}, "models_path"),
        ({"model": ""}, "model"),
        ({"context_size": 0}, "context_size"),
        ({"context_size": -1}, "context_size"),
        ({"max_steps": 0}, "max_steps"),
        ({"max_output_tokens": 10**9}, "max_output_tokens"),
    ],
)
def test_a_value_out_of_range_is_refused_with_its_field(
    changes: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        save_model_server(lite(**changes))
    assert refused.value.data["field"] == field
    assert current_server() is None


def test_a_key_sealed_with_another_secret_is_no_key(settings: Settings) -> None:
    save_model_server(lite(), KEY)
    settings.SECRET_KEY = "another"
    assert current_key() == ""


def test_a_migration_made_the_built_in_agent() -> None:
    agent = Agent.objects.get(name="maia")
    assert (agent.kind, agent.enabled) == ("maia", True)
