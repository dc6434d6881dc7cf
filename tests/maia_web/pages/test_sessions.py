"""The page of sessions: who sees it, and what each of its forms does."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from agents.domain.content.model_messages import user_text
from agents.models import Agent, AgentSession, ModelServer
from agents.services.channels.channels import open_direct
from agents.services.memory.messages import append_message
from agents.services.memory.named_sessions import new_session, rename_session
from maia_web.accounts.models import User
from tests.cast import Cast, make_cast

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def cast() -> Cast:
    Agent.objects.get_or_create(name="maia", defaults={"kind": "maia"})
    ModelServer.objects.create(kind="demo")
    return make_cast()


@pytest.fixture
def address(cast: Cast) -> str:
    """The page of alice's conversation, with the sessions "one" (saved) and "two" (open)."""
    channel = open_direct(cast.alice.pk, cast.atelier.id, "maia")
    for name in ("one", "two"):
        session = new_session(cast.alice.pk, channel).session
        append_message(session, None, user_text(name))
        rename_session(cast.alice.pk, channel, name)
    return f"/w/{cast.atelier.id}/c/{channel}/sessions"


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def key(name: str) -> int:
    return AgentSession.objects.get(name=name).pk


def test_the_table_shows_what_is_saved_and_what_is_open(cast: Cast, address: str) -> None:
    page = signed_in(cast.alice).get(address).content.decode()

    assert page.index(">two<") < page.index(">one<")
    assert page.count("OPEN") == 1
    found = signed_in(cast.alice).get(address, {"q": "ONE"}).content.decode()
    assert (">one<" in found, "OPEN" in found) == (True, False)


def test_others_find_nothing(cast: Cast, address: str) -> None:
    for person in (cast.bob, cast.vera, cast.charlie):
        client = signed_in(person)
        assert client.get(address).status_code == 404
        assert client.get(f"{address}/{key('one')}/export").status_code == 404
        assert client.post(f"{address}/{key('one')}/load").status_code == 404
    assert Client().get(address).status_code == 302
    elsewhere = address.replace(cast.atelier.id, "01m8p9msyefmq4avyg78vw8a15")
    assert signed_in(cast.alice).get(elsewhere).status_code == 404


def test_loading_goes_to_the_conversation(cast: Cast, address: str) -> None:
    answer = signed_in(cast.alice).post(f"{address}/{key('one')}/load")

    assert answer["location"] == address.removesuffix("/sessions")
    assert AgentSession.objects.get(current=True).name == "one"
    again = signed_in(cast.alice).post(f"{address}/{key('one')}/load")
    assert again.status_code == 409


def test_a_name_that_cannot_be_one_is_refused_with_the_reason(cast: Cast, address: str) -> None:
    client = signed_in(cast.alice)

    wrong = client.post(f"{address}/{key('one')}/name", {"name": "a/b"})
    right = client.post(f"{address}/{key('one')}/name", {"name": "Two"})

    assert (wrong.status_code, "none of" in wrong.content.decode()) == (422, True)
    assert right.status_code == 302
    assert set(AgentSession.objects.values_list("name", flat=True)) == {"two", "Two_2"}


def test_deleting_asks_first_and_spares_the_open_session(cast: Cast, address: str) -> None:
    client = signed_in(cast.alice)

    asked = client.post(f"{address}/delete", {"session": [key("one"), key("two")]})
    assert "Delete 1 session?" in asked.content.decode()
    assert AgentSession.objects.count() == 2
    refused = client.post(f"{address}/delete", {"session": key("two"), "sure": "1"})
    client.post(f"{address}/delete", {"session": key("one"), "sure": "1"})

    assert refused.status_code == 409
    assert list(AgentSession.objects.values_list("name", flat=True)) == ["two"]


def test_an_exported_session_comes_back_as_it_was(cast: Cast, address: str) -> None:
    client = signed_in(cast.alice)
    sent = client.get(f"{address}/{key('one')}/export")

    file = SimpleUploadedFile("été.json", sent.content, "application/json")
    client.post(f"{address}/import", {"file": file})
    again = client.get(f"{address}/{key('été')}/export")

    assert sent["Content-Disposition"].endswith("one.json")
    assert json.loads(again.content) == {**json.loads(sent.content), "name": "été"}


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b'{"messages": "no"}'])
def test_a_file_that_is_no_session_is_refused(cast: Cast, address: str, content: bytes) -> None:
    file = SimpleUploadedFile("x.json", content)

    answer = signed_in(cast.alice).post(f"{address}/import", {"file": file})

    assert answer.status_code == 422
    assert AgentSession.objects.count() == 2
