"""OwnServer: what `~/.maia/settings.json` says of models (seed M §7.3)."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.library.own_server import OwnServer, OwnServerProblem, parse_own_server
from agents.domain.model_servers.server import ModelServerInfo

SERVER = {
    "LiteLLM_URL": "https://litellm.example",
    "OpenAI_EndPoint": "/v1/chat/completions",
    "LiteLLM_Models": "/v1/models",
}
SITE = ModelServerInfo(kind="litellm", url="http://site", model="m", max_steps=50)


def parsed(**fields: Any) -> OwnServer | None:
    return parse_own_server(json.dumps(fields))


def test_all_keys_are_read() -> None:
    own = parsed(**SERVER, LiteLLM_API_Key="sk-1", MaxIterations=7, MaxOutputTokens=900)
    assert own == OwnServer(
        url="https://litellm.example",
        chat_path="/v1/chat/completions",
        models_path="/v1/models",
        key="sk-1",
        max_steps=7,
        max_output_tokens=900,
    )


def test_it_stands_in_for_the_sites_server() -> None:
    own = parsed(**SERVER, MaxIterations=7)
    assert own is not None
    server = own.over(SITE, "chosen")
    assert server is not None
    assert (server.url, server.model, server.max_steps) == ("https://litellm.example", "chosen", 7)
    assert own.over(SITE) == server.model_copy(update={"model": "m"})
    alone = parsed(**SERVER, DefaultModel="mine")
    assert alone is not None
    assert (one := alone.over(None)) is not None
    assert (one.model, one.max_steps, one.has_key) == ("mine", 50, False)


def test_numbers_alone_change_the_sites_server() -> None:
    own = parsed(MaxIterations=3, permissions={"allow": []})
    assert own is not None
    assert own.over(SITE) == SITE.model_copy(update={"max_steps": 3})
    assert own.over(None) is None


def test_numbers_count_up_to_the_administrators() -> None:
    own = parsed(MaxIterations=900, MaxOutputTokens=900)
    site = SITE.model_copy(update={"max_output_tokens": 800})
    assert own is not None
    assert own.over(site) == site
    assert [one.sentence("en") for one in own.without_effect(site)] == [
        "MaxIterations is above what an administrator allows: 50 counts",
        "MaxOutputTokens is above what an administrator allows: 800 counts",
    ]
    assert own.over(SITE) == SITE.model_copy(update={"max_output_tokens": 900})
    server = parse_own_server(json.dumps({**SERVER, "MaxIterations": 60}))
    assert server is not None
    assert (one := server.over(SITE)) is not None
    assert one.max_steps == 50


def test_where_no_server_of_ones_own_is_allowed_the_numbers_count_alone() -> None:
    text = json.dumps({**SERVER, "LiteLLM_URL": 5, "MaxIterations": 7})
    own = parse_own_server(text, allowed=False)
    assert own == OwnServer(max_steps=7, ignored=tuple(SERVER))
    assert own.over(SITE) == SITE.model_copy(update={"max_steps": 7})
    (problem,) = own.without_effect(SITE)
    assert problem.sentence("en").startswith("LiteLLM_URL, OpenAI_EndPoint, LiteLLM_Models: ")


@pytest.mark.parametrize("fields", [{}, {"permissions": {"allow": ["Read"]}}, {"theme": 1}])
def test_a_file_that_says_nothing_of_models_changes_nothing(fields: dict[str, Any]) -> None:
    assert parsed(**fields) is None


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("{", "it is not JSON (Expecting property name"),
        ("[]", "it is not a JSON object"),
        ('{"LiteLLM_URL": "https://x"}', "OpenAI_EndPoint is missing"),
        ('{"LiteLLM_API_Key": "sk"}', "LiteLLM_URL is missing"),
        (json.dumps({**SERVER, "LiteLLM_URL": 5}), "LiteLLM_URL is not a text"),
        (json.dumps({**SERVER, "LiteLLM_URL": "ftp://x"}), "not the address of a server"),
        (json.dumps({**SERVER, "LiteLLM_URL": "http://a:b@x"}), "not the address of a server"),
        (json.dumps({**SERVER, "OpenAI_EndPoint": "v1"}), "OpenAI_EndPoint does not begin with"),
        (json.dumps({**SERVER, "LiteLLM_Models": "//evil/x"}), "LiteLLM_Models does not begin"),
        (json.dumps({**SERVER, "LiteLLM_API_Key": "a\nb"}), "LiteLLM_API_Key is not a text"),
        ('{"MaxIterations": 0}', "MaxIterations is not a whole number"),
        ('{"MaxIterations": true}', "MaxIterations is not a whole number"),
        ('{"MaxOutputTokens": "9"}', "MaxOutputTokens is not a whole number"),
        ("[" * 100_000, "it is not JSON"),
    ],
)
def test_a_broken_file_names_the_cause(text: str, cause: str) -> None:
    with pytest.raises(OwnServerProblem) as caught:
        parse_own_server(text)
    assert cause in caught.value.sentence("en")
    assert caught.value.sentence("fr") != caught.value.sentence("en")


@given(
    st.dictionaries(
        st.sampled_from([*SERVER, "LiteLLM_API_Key", "DefaultModel", "MaxIterations"]),
        st.none()
        | st.booleans()
        | st.integers()
        | st.text()
        | st.sampled_from(["/v1", "http://x"]),
    )
)
def test_any_values_give_a_server_or_a_problem(fields: dict[str, Any]) -> None:
    with suppress(OwnServerProblem):
        parsed(**fields)
