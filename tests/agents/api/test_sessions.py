"""REST: sessions and slash commands, for those who see the conversation and no one else."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from agents.domain.content.model_messages import user_text
from agents.models import Agent, AgentSession, ModelServer, Turn
from agents.services.channels.channels import create_channel
from agents.services.memory.messages import append_message
from agents.services.memory.named_sessions import load_session, new_session, rename_session
from maia_web.accounts.models import User
from tests.cast import Cast, make_cast

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def cast() -> Cast:
    Agent.objects.get_or_create(name="maia", defaults={"kind": "maia"})
    ModelServer.objects.create(kind="demo")
    return make_cast()


@pytest.fixture
def channel(cast: Cast) -> str:
    """A channel of "atelier" with the sessions "one" (saved) and "two" (current)."""
    channel = create_channel(cast.alice.pk, cast.atelier.id, "release", members=("maia",))
    for name in ("one", "two"):
        session = new_session(cast.alice.pk, channel).session
        append_message(session, None, user_text(name))
        rename_session(cast.alice.pk, channel, name)
    return channel


def client(user: User) -> Client:
    signed_in = Client()
    signed_in.force_login(user)
    return signed_in


def post(user: User, address: str, **body: object) -> tuple[int, dict[str, object]]:
    answer = client(user).post(address, json.dumps(body), "application/json")
    return answer.status_code, answer.json()


def key(name: str) -> int:
    return AgentSession.objects.get(name=name).pk


def test_the_list_tells_what_is_saved_and_finds_by_name(cast: Cast, channel: str) -> None:
    listed = client(cast.vera).get(f"/api/channels/{channel}/sessions").json()
    found = client(cast.vera).get(f"/api/channels/{channel}/sessions?search=ON").json()

    assert [(one["name"], one["current"], one["messages"]) for one in listed] == [
        ("two", True, 1),
        ("one", False, 1),
    ]
    assert [one["name"] for one in found] == ["one"]
    assert listed[0]["size"] == 128_000


def test_new_load_rename_and_delete(cast: Cast, channel: str) -> None:
    base = f"/api/channels/{channel}/sessions"

    assert post(cast.bob, base)[1]["left"] == "two"
    assert post(cast.bob, f"{base}/{key('one')}/load")[1]["name"] == "one"
    renamed = client(cast.bob).patch(
        f"{base}/{key('one')}", '{"name": " Two "}', "application/json"
    )
    assert renamed.json() == {"name": "Two_2"}
    assert post(cast.bob, f"{base}/delete", ids=[key("Two_2")])[0] == 409
    assert post(cast.bob, f"{base}/delete", ids=[key("two"), 0]) == (200, {"deleted": ["two"]})


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("Équipe", "équipe"),
        ("été", "ÉTÉ"),
        ("été", "e\u0301te\u0301"),
        ("Straße", "STRASSE"),
        ("پروژه می\u200cخواهم", "پروژه میخواهم"),
        ("10\u202fh", "10 h"),
    ],
)
def test_a_session_is_found_and_kept_apart_however_its_name_is_spelled(
    cast: Cast, channel: str, name: str, typed: str
) -> None:
    rename_session(cast.alice.pk, channel, name, session=key("one"))
    assert rename_session(cast.alice.pk, channel, typed) == f"{typed}_2"
    found = client(cast.vera).get(f"/api/channels/{channel}/sessions", {"search": typed})
    assert {one["name"] for one in found.json()} == {name, f"{typed}_2"}

    loaded = load_session(cast.alice.pk, channel, typed)
    assert (loaded.session.name, loaded.left) == (name, f"{typed}_2")


def test_viewers_read_and_strangers_find_nothing(cast: Cast, channel: str) -> None:
    base = f"/api/channels/{channel}/sessions"
    one = f"{base}/{key('one')}"

    assert post(cast.vera, base)[0] == 403
    assert post(cast.vera, f"{one}/load")[0] == 403
    assert post(cast.vera, f"{base}/delete", ids=[key("one")])[0] == 403
    assert client(cast.vera).get(f"{one}/export").status_code == 200
    for address in (base, f"{one}/export", f"/api/channels/{channel}/context"):
        assert client(cast.charlie).get(address).status_code == 404
    for address in (base, f"{one}/load"):
        assert post(cast.charlie, address)[0] == 404
    file = SimpleUploadedFile("x.json", b"{}")
    assert client(cast.charlie).post(f"{base}/import", {"file": file}).status_code == 404
    assert client(cast.alice).get(f"{base}/999999/export").status_code == 404


def test_a_session_of_another_conversation_is_not_there(cast: Cast, channel: str) -> None:
    other = create_channel(cast.alice.pk, cast.atelier.id, "other", members=("maia",))

    for path in (f"{key('one')}/load", f"{key('one')}/export"):
        address = f"/api/channels/{other}/sessions/{path}"
        answer = client(cast.alice)
        found = answer.get(address) if path.endswith("export") else answer.post(address)
        assert found.status_code == 404


def test_nothing_changes_while_an_agent_answers(cast: Cast, channel: str) -> None:
    Turn.objects.create(channel_id=channel, agent=Agent.objects.get(name="maia"), state="running")

    for path in ("", f"/{key('one')}/load", "/delete"):
        body = {"ids": [key("one")]} if path == "/delete" else {}
        status, answer = post(cast.bob, f"/api/channels/{channel}/sessions{path}", **body)
        assert (status, answer["code"]) == (409, "busy")


def test_a_file_goes_out_and_comes_back_the_same(cast: Cast, channel: str) -> None:
    base = f"/api/channels/{channel}/sessions"
    sent = client(cast.bob).get(f"{base}/{key('one')}/export")

    file = SimpleUploadedFile("one.json", sent.content)
    made = client(cast.bob).post(f"{base}/import", {"file": file})

    assert made.json()["name"] == "one_2"
    back = client(cast.bob).get(f"{base}/{key('one_2')}/export").json()
    assert back == {**sent.json(), "name": "one_2"}


def test_what_fills_the_context_adds_up(cast: Cast, channel: str) -> None:
    parts = client(cast.vera).get(f"/api/channels/{channel}/context").json()

    kinds = ("system", "tools", "skills", "history", "pending")
    assert sum(parts[kind] for kind in kinds) == parts["used"]
    assert (parts["size"], parts["model"], parts["session"]) == (128_000, "demo", "two")


def test_a_command_is_answered_instead_of_posted(cast: Cast, channel: str) -> None:
    status, reply = post(cast.bob, f"/api/channels/{channel}/messages", text="/help")

    assert (status, reply["command"], reply["level"]) == (200, "help", "info")
    names = [one["name"] for one in client(cast.bob).get("/api/commands").json()]
    assert {"new", "load", "compact", "exit"} <= set(names)
