"""REST of rules, requests, files and the audit log, for everybody who may ask."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from agents.domain.rules.files import WORKSPACE_FILE
from agents.models import Rule
from tests.agents.services.permissions.asked import ask, start_turn
from tests.cast import Cast
from tests.support.response import Response
from workspaces.files.local import LocalFiles

PEOPLE = ("alice", "bob", "vera", "charlie", "administrator", "nobody")


class Rest:
    """REST as one person."""

    def __init__(self, cast: Cast, who: str) -> None:
        self.client = Client()
        if who != "nobody":
            self.client.force_login(getattr(cast, who))

    def __call__(self, method: str, path: str, body: object = None) -> Response:
        data = "" if body is None else json.dumps(body)
        call = self.client.generic
        return call(method, f"/api{path}", data, content_type="application/json")


def statuses(cast: Cast, method: str, path: str, body: object = None) -> dict[str, int]:
    return {who: Rest(cast, who)(method, path, body).status_code for who in PEOPLE}


def everybody(**different: int) -> dict[str, int]:
    return {**dict.fromkeys(PEOPLE, 200), "nobody": 401, **different}


ADMINISTRATORS = everybody(alice=403, bob=403, vera=403, charlie=403)
MEMBERS = everybody(charlie=404, administrator=404)
OWNERS = {**MEMBERS, "bob": 403, "vera": 403}


@pytest.mark.parametrize(
    ("method", "path", "body", "expected"),
    [
        ("GET", "/rules?scope=site", None, everybody()),
        ("GET", "/rules?scope=agent&agent=maia", None, everybody()),
        ("GET", "/rules?scope=agent&agent=x", None, dict.fromkeys(PEOPLE, 404) | {"nobody": 401}),
        ("GET", "/rules?scope=person", None, everybody()),
        ("GET", "/rules?scope=galaxy", None, dict.fromkeys(PEOPLE, 422) | {"nobody": 401}),
        ("GET", "/rules?scope=workspace&workspace={ws}", None, MEMBERS),
        ("GET", "/rules/export?scope=workspace&workspace={ws}", None, MEMBERS),
        ("GET", "/rules/files/{ws}", None, MEMBERS),
        ("GET", "/rules/requests/{ws}", None, MEMBERS),
        ("PUT", "/rules/requests/{ws}", {"editorsAnswer": False, "hours": 3}, OWNERS),
        ("GET", "/rules/cases", None, ADMINISTRATORS),
        ("PUT", "/rules/cases", {"cases": ""}, ADMINISTRATORS),
        ("GET", "/audit", None, ADMINISTRATORS),
        ("GET", "/audit/settings", None, ADMINISTRATORS),
        ("PUT", "/audit/settings", {"days": 40}, ADMINISTRATORS),
        ("GET", "/permissions", None, everybody()),
        (
            "POST", "/permissions/test",
            {"workspace": "{ws}", "tool": "Bash", "input": {"command": "ls"}}, MEMBERS,
        ),
        (
            "POST", "/rules/import",
            {"scope": "workspace", "workspace": "{ws}", "rules": {"allow": ["Read"]}}, OWNERS,
        ),
        (
            "POST", "/rules/import", {"scope": "site", "rules": {"allow": ["Read"]}},
            ADMINISTRATORS,
        ),
    ],
)  # fmt: skip
def test_who_gets_what(
    cast: Cast, method: str, path: str, body: Any, expected: dict[str, int]
) -> None:
    ws = cast.atelier.id
    sent = json.loads(json.dumps(body).replace("{ws}", ws)) if body else body
    assert statuses(cast, method, path.replace("{ws}", ws), sent) == expected


def test_rules_live_their_life_over_rest(cast: Cast) -> None:
    alice, bob, charlie = (Rest(cast, who) for who in ("alice", "bob", "charlie"))
    new = {"scope": "workspace", "workspace": cast.atelier.id, "family": "ask",
           "text": "Bash(a *)\nBash(b *)"}  # fmt: skip
    assert bob("POST", "/rules", new).status_code == 403
    assert charlie("POST", "/rules", new).status_code == 404
    first, second = alice("POST", "/rules", new).json()["ids"]
    for rest, status in ((bob, 403), (charlie, 404)):
        assert rest("PATCH", f"/rules/{first}", {"enabled": False}).status_code == status
        assert rest("DELETE", f"/rules/{first}").status_code == status
    assert alice("PATCH", f"/rules/{first}", {"enabled": False}).status_code == 204
    assert alice("DELETE", f"/rules/{second}").status_code == 204
    listed = bob("GET", f"/rules?scope=workspace&workspace={cast.atelier.id}").json()
    assert [(one["text"], one["enabled"], one["addedBy"]["username"]) for one in listed] == [
        ("Bash(a *)", False, "alice")
    ]
    bad = alice("POST", "/rules", {**new, "text": "Bash("})
    assert (bad.status_code, bad.json()["field"]) == (422, "rule")
    assert alice("POST", "/rules", {**new, "family": "maybe"}).status_code == 422
    assert alice("DELETE", "/rules/999999").status_code == 404


def test_a_case_that_worsens_is_a_conflict_until_it_is_confirmed(cast: Cast) -> None:
    admin = Rest(cast, "administrator")
    case = {"tool": "Bash", "input": {"command": "git push"}, "expect": "ask"}
    saved = admin("PUT", "/rules/cases", {"cases": json.dumps(case)})
    assert [one["differs"] for one in saved.json()["results"]] == [False]
    new = {"scope": "site", "family": "deny", "text": "Bash(git *)"}
    refused = admin("POST", "/rules", new)
    assert (refused.status_code, refused.json()["code"]) == (409, "cases-differ")
    assert refused.json()["cases"][0]["verdict"] == "deny"
    assert admin("POST", "/rules", {**new, "confirmed": True}).status_code == 201
    assert admin("GET", "/rules/cases").json()["results"][0]["differs"]
    assert admin("PUT", "/rules/cases", {"cases": "{"}).json()["line"] == 1


def test_a_call_is_tried_as_oneself_and_by_administrators_as_anybody(cast: Cast) -> None:
    Rule.objects.create(scope="person", user=cast.bob, family="deny", text="Bash(ls *)")
    call = {"workspace": cast.atelier.id, "tool": "Bash", "input": {"command": "cd x && ls"}}
    own = Rest(cast, "bob")("POST", "/permissions/test", call).json()
    assert (own["verdict"], own["rule"], own["scope"], own["part"]) == (
        "deny", "Bash(ls *)", "person", "ls",
    )  # fmt: skip
    assert [one["rule"] for one in own["matches"] if one["decides"]] == ["Bash(ls *)"]
    as_bob = {**call, "person": cast.bob.pk}
    assert Rest(cast, "alice")("POST", "/permissions/test", as_bob).status_code == 403
    tried = Rest(cast, "administrator")("POST", "/permissions/test", as_bob)
    assert tried.json()["verdict"] == "deny"
    as_charlie = {**call, "person": cast.charlie.pk}
    missing = Rest(cast, "administrator")("POST", "/permissions/test", as_charlie)
    assert missing.status_code == 404
    odd = {**call, "tool": "x" * 200, "input": {"a": ["\x00", "\ud800", None, {"b": "$(x)"}]}}
    assert Rest(cast, "bob")("POST", "/permissions/test", odd).json()["verdict"] == "ask"
    for broken in ({**call, "input": "ls"}, {**call, "tool": "x" * 201}, {"tool": "Bash"}):
        assert Rest(cast, "bob")("POST", "/permissions/test", broken).status_code == 422


def test_a_request_is_edited_judged_and_answered_over_rest(cast: Cast, channel: str) -> None:
    Rule.objects.create(scope="site", family="deny", text="Bash(rm *)")
    request = ask(cast, start_turn(cast.bob.pk, channel))
    path = f"/permissions/{request.id}"
    edited = {"input": {"command": "rm x"}}
    expected = {"alice": 200, "bob": 200, "vera": 403, "charlie": 404, "administrator": 404,
                "nobody": 401}  # fmt: skip
    assert statuses(cast, "POST", f"{path}/edit", edited) == expected
    judged = Rest(cast, "bob")("POST", f"{path}/edit", edited).json()
    assert (judged["verdict"], judged["rule"]) == ("deny", "Bash(rm *)")
    better = Rest(cast, "bob")("POST", f"{path}/edit", {"input": {"command": "ls"}}).json()
    assert (better["verdict"], better["offers"][0]["rule"]) == ("ask", "Bash(ls)")
    refused = Rest(cast, "bob")("POST", path, {"option": "allow_once", **edited})
    assert (refused.status_code, refused.json()["code"]) == (403, "denied-by-rule")
    answer = {"option": "allow_once", "input": {"command": "ls"}, "digest": request.digest}
    assert Rest(cast, "bob")("POST", path, answer).status_code == 204
    again = Rest(cast, "alice")("POST", path, {"option": "deny"})
    assert (again.status_code, again.json()["answer"]["by"]["username"]) == (409, "bob")


def test_another_command_is_proposed_declined_and_accepted_over_rest(
    cast: Cast, channel: str
) -> None:
    request = ask(cast, start_turn(cast.bob.pk, channel))
    path = f"/permissions/{request.id}"
    proposed = {"input": {"command": "make test"}, "digest": request.digest}
    alice, bob = Rest(cast, "alice"), Rest(cast, "bob")
    foreign = {"vera": 403, "charlie": 404, "administrator": 404, "nobody": 401}
    assert statuses(cast, "POST", f"{path}/propose", proposed) == {
        "alice": 204, "bob": 422, **foreign,
    }  # fmt: skip
    refused = alice("POST", path, {"option": "allow_once", "input": proposed["input"]})
    assert (refused.status_code, refused.json()["code"]) == (403, "only-starter-edits")

    (shown,) = bob("GET", "/permissions").json()
    accepted = {"option": "allow_once", "proposal": shown["proposal"]["id"]}
    assert alice("POST", path, accepted).status_code == 403
    wanted = {"proposal": shown["proposal"]["id"]}
    assert statuses(cast, "POST", f"{path}/decline", wanted) == {
        "alice": 204, "bob": 409, **foreign,
    }  # fmt: skip
    assert bob("POST", path, accepted).status_code == 409

    assert alice("POST", f"{path}/propose", proposed).status_code == 204
    assert bob("POST", path, accepted).status_code == 204
    assert bob("GET", "/permissions").json() == []


def test_files_are_read_and_trusted_over_rest(cast: Cast) -> None:
    bob = Rest(cast, "bob")
    text = json.dumps({"permissions": {"allow": ["Bash"], "deny": ["Bash("]}})
    LocalFiles(cast.access(cast.bob).place).write(WORKSPACE_FILE, text)
    path = f"/rules/files/{cast.atelier.id}"
    _home, here = bob("GET", path).json()
    assert (here["allow"], here["trusted"], here["problems"][0]["entry"]) == (
        ["Bash"], False, "Bash(",
    )  # fmt: skip
    assert bob("PUT", f"{path}/trust", {"sha256": "0" * 64}).status_code == 409
    assert Rest(cast, "vera")("PUT", f"{path}/trust", {"sha256": here["sha256"]}).status_code == 403
    assert bob("PUT", f"{path}/trust", {"sha256": here["sha256"]}).status_code == 204
    assert bob("GET", path).json()[1]["trusted"]
    assert not Rest(cast, "alice")("GET", path).json()[1]["trusted"]
    assert bob("DELETE", f"{path}/trust").status_code == 204
    assert not bob("GET", path).json()[1]["trusted"]
