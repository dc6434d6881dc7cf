"""REST: what each role may do, and what everybody else is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client

from agents.models import Message, Rule, Turn
from agents.services.channels.channels import create_channel, open_direct
from agents.services.permissions.requests import open_request
from agents.services.turns.hosts import claim_turn
from maia_web.accounts.models import User
from tests.cast import Cast
from tests.support.asked import asked
from tests.support.response import Response
from tests.support.typed import post_message

HOST = "machine:1:a"
NOWHERE = "0" * 26


@dataclass(frozen=True)
class Scene:
    """A channel where the agent waits for an answer, and one where nothing happens."""

    cast: Cast
    channel: str
    quiet: str
    request: str
    queued: str

    @property
    def ids(self) -> dict[str, str]:
        return {
            "channel": self.channel,
            "quiet": self.quiet,
            "request": self.request,
            "queued": self.queued,
            "workspace": self.cast.atelier.id,
        }


@pytest.fixture
def scene(cast: Cast, channel: str) -> Scene:
    quiet = create_channel(cast.alice.pk, cast.atelier.id, "quiet", members=("maia",))
    post_message(cast.bob.pk, channel, "make it")
    turn = claim_turn(channel, HOST)
    assert turn is not None
    request = open_request(turn.lease, asked("call_1"))
    queued = post_message(cast.bob.pk, channel, "and then?")
    return Scene(cast, channel, quiet, request.id, queued)


def signed_in(user: User | None, *, csrf: bool = False) -> Client:
    client = Client(enforce_csrf_checks=csrf)
    if user is not None:
        client.force_login(user)
    return client


@dataclass(frozen=True)
class Operation:
    """One operation; the statuses that owner, editor, viewer and stranger get."""

    method: str
    path: str
    body: dict[str, Any] | None
    owner: int
    editor: int
    viewer: int
    stranger: int

    def call(self, client: Client, scene: Scene, headers: dict[str, str] | None = None) -> Response:
        path = "/api" + self.path.format(**scene.ids)
        body = {
            name: value.format(**scene.ids) if isinstance(value, str) else value
            for name, value in (self.body or {}).items()
        }
        send: Callable[..., Response] = getattr(client, self.method)
        if self.method == "get":
            return send(path, headers=headers)
        return send(path, body, content_type="application/json", headers=headers)

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


OPERATIONS = [
    Operation("get", "/me", None, 200, 200, 200, 200),
    Operation("get", "/agents", None, 200, 200, 200, 200),
    Operation("get", "/channels", None, 200, 200, 200, 200),
    Operation("post", "/channels", {"workspace": "{workspace}", "name": "n"}, 201, 201, 403, 404),
    Operation(
        "post",
        "/channels/direct",
        {"workspace": "{workspace}", "agent": "maia"},
        200,
        200,
        403,  # a viewer has nothing to say there
        404,
    ),
    Operation("get", "/channels/{channel}", None, 200, 200, 200, 404),
    Operation("get", "/channels/{channel}/info", None, 200, 200, 200, 404),
    Operation("get", "/channels/{channel}/messages?before=9", None, 200, 200, 200, 404),
    Operation("patch", "/channels/{channel}", {"name": "new"}, 204, 204, 403, 404),
    Operation("delete", "/channels/{quiet}", None, 204, 204, 403, 404),
    Operation("delete", "/channels/{quiet}/messages", None, 204, 204, 403, 404),
    Operation("post", "/channels/{quiet}/members", {"agent": "maia"}, 204, 204, 403, 404),
    Operation("delete", "/channels/{quiet}/members/maia", None, 204, 204, 403, 404),
    Operation("post", "/channels/{channel}/messages", {"text": "hi"}, 201, 201, 403, 404),
    Operation("delete", "/channels/{channel}/messages/{queued}", None, 404, 200, 403, 404),
    Operation("post", "/channels/{channel}/cancel", {}, 200, 200, 403, 404),
    Operation("post", "/channels/{channel}/messages/{queued}/resume", {}, 404, 404, 403, 404),
    Operation("get", "/permissions", None, 200, 200, 200, 200),
    # bob, the editor, started the turn; alice owns the workspace
    Operation("post", "/permissions/{request}", {"option": "deny"}, 204, 204, 403, 404),
]
ROLES = (("owner", "alice"), ("editor", "bob"), ("viewer", "vera"), ("stranger", "charlie"))


@pytest.mark.parametrize(("role", "name"), ROLES)
@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_each_role_may_do_what_it_may(
    scene: Scene, operation: Operation, role: str, name: str
) -> None:
    answer = operation.call(signed_in(getattr(scene.cast, name)), scene)
    assert answer.status_code == getattr(operation, role), answer.content
    if answer.status_code >= 400:
        assert answer.json()["code"] in ("not-allowed", "not-found")
        assert answer.json()["message"]


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_nobody_signed_in_is_told_to_sign_in(scene: Scene, operation: Operation) -> None:
    answer = operation.call(signed_in(None), scene)
    assert (answer.status_code, answer.json()["code"]) == (401, "signed-out")


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_a_disabled_account_is_nobody(scene: Scene, operation: Operation) -> None:
    client = signed_in(scene.cast.alice)
    User.objects.filter(pk=scene.cast.alice.pk).update(is_active=False)
    assert operation.call(client, scene).status_code == 401


@pytest.mark.parametrize("operation", [one for one in OPERATIONS if one.method != "get"], ids=str)
def test_whatever_changes_something_needs_the_csrf_token(
    scene: Scene, operation: Operation
) -> None:
    client = signed_in(scene.cast.bob, csrf=True)
    before = Message.objects.count()
    answer = operation.call(client, scene)
    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
    assert Message.objects.count() == before

    client.get("/")
    token = next(one.value for name, one in client.cookies.items() if name.endswith("csrf"))
    answer = operation.call(client, scene, headers={"X-CSRFToken": token})
    assert answer.status_code == operation.editor


@pytest.mark.parametrize(
    "path",
    [
        "/channels/{}",
        "/channels/{}/info",
        "/channels/{}/messages?before=1",
    ],
)
def test_what_is_not_yours_looks_like_what_is_not_there(scene: Scene, path: str) -> None:
    stranger = signed_in(scene.cast.charlie)
    answers = [stranger.get(f"/api{path.format(channel)}") for channel in (scene.channel, NOWHERE)]
    assert [one.status_code for one in answers] == [404, 404]
    assert answers[0].content == answers[1].content


def test_a_direct_conversation_is_for_one_person_even_among_owners(scene: Scene) -> None:
    theirs = open_direct(scene.cast.bob.pk, scene.cast.atelier.id, "maia")
    owner = signed_in(scene.cast.alice)
    assert owner.get(f"/api/channels/{theirs}").status_code == 404
    assert theirs not in [one["id"] for one in owner.get("/api/channels").json()]


@pytest.mark.parametrize(
    ("method", "path", "body", "field"),
    [
        ("post", "/channels", {"workspace": "{workspace}"}, "name"),
        ("post", "/channels", {"workspace": "{workspace}", "name": ""}, "name"),
        ("post", "/channels", {"workspace": "{workspace}", "name": "x" * 65}, "name"),
        ("post", "/channels", {"workspace": "{workspace}", "name": "a\x07b"}, "name"),
        ("post", "/channels", {"workspace": 7, "name": "x"}, "workspace"),
        ("patch", "/channels/{quiet}", {"name": ["x"]}, "name"),
        ("post", "/channels/{quiet}/messages", {"text": ""}, "text"),
        ("post", "/channels/{quiet}/messages", {"text": " \n "}, "text"),
        ("post", "/channels/{quiet}/messages", {"text": "x" * 200_001}, "text"),
        ("post", "/channels/{quiet}/messages", {}, "text"),
        ("post", "/channels/{quiet}/messages", {"text": "x", "clientRef": "x" * 65}, "clientRef"),
        ("get", "/channels/{quiet}/messages", None, "before"),
        ("get", "/channels/{quiet}/messages?before=0", None, "before"),
        ("get", "/channels/{quiet}/messages?before=x", None, "before"),
        ("post", "/permissions/{request}", {"option": "perhaps"}, "option"),
        ("post", "/permissions/{request}", {"option": "allow_always"}, "rule"),
        ("post", "/permissions/{request}", {"option": "allow_always", "rule": "Bash("}, "rule"),
    ],
)
def test_what_is_wrong_is_named(
    scene: Scene, method: str, path: str, body: dict[str, Any] | None, field: str
) -> None:
    operation = Operation(method, path, body, 0, 0, 0, 0)
    answer = operation.call(signed_in(scene.cast.alice), scene)
    assert answer.status_code == 422, answer.content
    assert (answer.json()["code"], answer.json()["field"]) == ("invalid", field)


def test_a_body_that_is_no_json_is_refused(scene: Scene) -> None:
    client = signed_in(scene.cast.alice)
    answer = client.post(
        f"/api/channels/{scene.quiet}/messages", "{oops", content_type="application/json"
    )
    assert (answer.status_code, answer.json()["code"]) == (400, "bad-request")


def test_a_conversation_is_read_written_and_paged(scene: Scene) -> None:
    bob = signed_in(scene.cast.bob)
    state = bob.get(f"/api/channels/{scene.channel}").json()
    assert [one["role"] for one in state["messages"]][-3:] == ["user", "agent", "user"]
    assert (state["busy"], state["queued"], state["answering"]["waitsFor"]) == (
        True, 1, "permission",
    )  # fmt: skip
    assert state["permissions"][0]["id"] == scene.request

    sent = {"text": "once", "clientRef": "r1"}
    first = bob.post(f"/api/channels/{scene.quiet}/messages", sent, content_type="application/json")
    again = bob.post(f"/api/channels/{scene.quiet}/messages", sent, content_type="application/json")
    assert first.json() == again.json()
    page = bob.get(f"/api/channels/{scene.quiet}/messages?before=1").json()
    assert page == {"messages": [], "more": False}


def test_taking_back_returns_the_text_and_only_once(scene: Scene) -> None:
    bob = signed_in(scene.cast.bob)
    path = f"/api/channels/{scene.channel}/messages/{scene.queued}"
    assert bob.delete(path).json() == {"text": "and then?"}
    assert bob.delete(path).status_code == 404


def test_the_first_answer_wins_and_the_second_learns_whose_it_was(scene: Scene) -> None:
    path = f"/api/permissions/{scene.request}"
    alice, bob = signed_in(scene.cast.alice), signed_in(scene.cast.bob)
    assert [one["id"] for one in bob.get("/api/permissions").json()] == [scene.request]
    assert signed_in(scene.cast.vera).get("/api/permissions").json() == []
    assert signed_in(scene.cast.charlie).get("/api/permissions").json() == []

    body = {"option": "deny", "instruction": "not now"}
    assert alice.post(path, body, content_type="application/json").status_code == 204
    late = bob.post(path, {"option": "allow_once"}, content_type="application/json")
    assert (late.status_code, late.json()["code"]) == (409, "already-answered")
    assert late.json()["answer"]["by"]["username"] == "alice"
    assert bob.get("/api/permissions").json() == []


def test_only_owners_write_rules_for_the_workspace(scene: Scene) -> None:
    path = f"/api/permissions/{scene.request}"
    body = {"option": "allow_always", "rule": "Bash(make)", "scope": "workspace"}
    before = Rule.objects.count()
    bob = signed_in(scene.cast.bob).post(path, body, content_type="application/json")
    assert bob.status_code == 403
    assert Rule.objects.count() == before
    alice = signed_in(scene.cast.alice).post(path, body, content_type="application/json")
    assert alice.status_code == 204
    assert Rule.objects.filter(workspace=scene.cast.atelier.id, text="Bash(make)").exists()


def test_a_channel_that_answers_is_not_cleared(scene: Scene) -> None:
    answer = signed_in(scene.cast.alice).delete(f"/api/channels/{scene.channel}/messages")
    assert (answer.status_code, answer.json()["code"]) == (409, "busy")


def test_deleting_a_channel_stops_its_answer(scene: Scene) -> None:
    path = f"/api/channels/{scene.channel}"
    assert signed_in(scene.cast.bob).delete(path).status_code == 204
    assert signed_in(scene.cast.alice).get(path).status_code == 404
    assert not Turn.objects.filter(channel=scene.channel).exists()


def test_a_long_conversation_opens_with_few_queries(
    scene: Scene, django_assert_max_num_queries: Callable[[int], Any]
) -> None:
    Message.objects.bulk_create(
        Message(channel_id=scene.quiet, position=n, role="user", author=scene.cast.alice)
        for n in range(1, 302)
    )
    bob = signed_in(scene.cast.bob)
    with django_assert_max_num_queries(13):
        state = bob.get(f"/api/channels/{scene.quiet}").json()
    assert [one["position"] for one in state["messages"]] == list(range(202, 302))
    assert (state["more"], state["messages"][0]["author"]["username"]) == (True, "alice")
