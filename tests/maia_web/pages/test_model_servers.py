"""The page about models: testing, saving, and a key that never comes back."""

from collections.abc import Iterator

import pytest
from django.test import Client

from agents.selectors.models.servers import current_key, current_server
from tests.support.known import known
from tests.support.openai_server import ScriptedServer, serve

KEY = "sk-canary-5f1d0c"
PATHS = {"chat_path": "/v1/chat/completions", "models_path": "/v1/models"}


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with serve(key=KEY) as running:
        yield running


def typed(server: ScriptedServer, **changes: str) -> dict[str, str]:
    return {"kind": "litellm", "url": server.url, "key": KEY, "model": "scripted", **changes}


def test_trying_lists_the_models(as_administrator: Client, server: ScriptedServer) -> None:
    result = as_administrator.post("/admin/models/test", typed(server)).json()
    assert result["ok"]
    assert {model["id"] for model in result["models"]} == set(server.models)
    assert result["ms"] >= 0


def test_trying_needs_no_model_yet(as_administrator: Client, server: ScriptedServer) -> None:
    assert as_administrator.post("/admin/models/test", typed(server, model="")).json()["ok"]


@pytest.mark.parametrize(
    "changes",
    [
        {"key": "sk-wrong"},
        {"url": "http://127.0.0.1:9"},
        {"url": "nonsense"},
        {"url": ""},
        {"models_path": "nonsense"},
        {"max_steps": "many"},
    ],
)
def test_what_cannot_work_is_said_in_words(
    as_administrator: Client, server: ScriptedServer, changes: dict[str, str]
) -> None:
    result = as_administrator.post("/admin/models/test", typed(server, **changes)).json()
    assert result["ok"] is False
    assert len(result["message"]) > 10
    assert "sk-wrong" not in result["message"]


def test_saving_keeps_the_key_and_shows_it_nowhere(
    as_administrator: Client, server: ScriptedServer
) -> None:
    answers = [
        as_administrator.post("/admin/models/test", typed(server)),
        as_administrator.post("/admin/models", typed(server), follow=True),
        as_administrator.get("/admin/models"),
        as_administrator.post("/admin/models/test", typed(server, key="")),
        as_administrator.post("/admin/models", typed(server, url="", key=KEY)),
        as_administrator.post("/admin/models", typed(server, url="http://evil.example", key="")),
        as_administrator.get("/account"),
        as_administrator.get("/admin/people"),
    ]
    assert current_key() == KEY
    for answer in answers:
        assert KEY not in answer.content.decode()
        assert KEY not in str(answer.headers)
    assert "A key is kept." in answers[2].content.decode()
    assert answers[3].json()["ok"], "the kept key is used for its own address"
    assert [answer.status_code for answer in answers[4:6]] == [422, 422]


def test_the_kept_key_is_not_sent_to_another_address(
    as_administrator: Client, server: ScriptedServer
) -> None:
    as_administrator.post("/admin/models", typed(server))
    with serve() as other:
        result = as_administrator.post(
            "/admin/models/test", typed(server, url=other.url, key="")
        ).json()
        assert result["ok"] is False
        assert other.requests == []


def test_an_empty_key_field_keeps_the_key_and_the_box_removes_it(
    as_administrator: Client, server: ScriptedServer
) -> None:
    as_administrator.post("/admin/models", typed(server))
    as_administrator.post("/admin/models", typed(server, key="", model="echo"))
    assert (known(current_server()).model, current_key()) == ("echo", KEY)
    as_administrator.post("/admin/models", typed(server, key="", forget_key="on"))
    assert current_key() == ""


def test_the_demo_needs_nothing(as_administrator: Client) -> None:
    assert as_administrator.post("/admin/models", {"kind": "demo"}).status_code == 302
    assert known(current_server()).kind == "demo"


def test_errors_stand_at_their_fields(as_administrator: Client, server: ScriptedServer) -> None:
    answer = as_administrator.post(
        "/admin/models", typed(server, url="ftp://x", model="", context_size="0")
    )
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "The address begins with http:// or https://." in page
    assert 'aria-describedby="id_url_error"' in page
    assert current_server() is None


def test_the_wizard_tries_and_saves_too(db: None, server: ScriptedServer) -> None:
    from maia_web.accounts.services import setup_link

    path, client = "/setup/" + known(setup_link()).rsplit("/", 1)[1], Client()
    client.post(path, {"username": "camille", "password": "correct horse 42"})
    assert client.post(f"{path}/test", typed(server)).json()["ok"]
    answer = client.post(f"{path}/model", typed(server))
    assert answer["Location"] == f"{path}/sandbox"
    assert known(current_server()).url == server.url
    assert KEY not in client.get(f"{path}/sandbox").content.decode()


def test_the_page_shows_what_was_saved(as_administrator: Client, server: ScriptedServer) -> None:
    as_administrator.post(
        "/admin/models",
        typed(server, chat_path="/chat", context_size="200000", max_steps="7"),
    )
    page = as_administrator.get("/admin/models").content.decode()
    for value in (server.url, "/chat", "200000", "7", "scripted"):
        assert f'value="{value}"' in page


def test_single_models_are_said_shown_and_forgotten(
    as_administrator: Client, server: ScriptedServer
) -> None:
    as_administrator.post("/admin/models", typed(server))
    said = {"model": "echo", "context_size": "9000", "written_calls": "on"}
    page = as_administrator.post("/admin/models/known", said, follow=True).content.decode()
    assert "9,000 tokens, as entered here" in page or "9000 tokens, as entered here" in page
    assert "calls it writes as text count" in page
    wrong = as_administrator.post("/admin/models/known", {"model": "echo", "context_size": "0"})
    assert wrong.status_code == 422
    assert "Enter a number" in wrong.content.decode()
    forgotten = {"model": "echo", "forget": "1"}
    page = as_administrator.post("/admin/models/known", forgotten, follow=True).content.decode()
    assert "as entered here" not in page
