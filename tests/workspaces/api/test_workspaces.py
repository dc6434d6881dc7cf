"""REST: workspaces, members and files, for owner, editor, viewer and stranger."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from agents.models import AuditEntry
from maia_web.accounts.models import User
from tests.cast import Cast
from tests.support.response import Response
from workspaces.files.local import MAX_UPLOAD, LocalFiles
from workspaces.models import Membership
from workspaces.sandboxes.folders import folders_of
from workspaces.services import personal_workspace

At = Callable[[str], Client]


@pytest.fixture
def at(cast: Cast) -> At:
    """Returns a client signed in as one of the cast, and the workspace's address."""

    def sign_in(who: str) -> Client:
        client = Client()
        client.force_login(getattr(cast, who))
        return client

    return sign_in


@pytest.fixture
def base(cast: Cast) -> str:
    return f"/api/workspaces/{cast.atelier.id}"


def _send(client: Client, method: str, url: str, body: Any = None) -> Response:
    options: dict[str, Any] = {}
    if body is not None:
        options = {"data": json.dumps(body), "content_type": "application/json"}
    answer: Response = getattr(client, method)(url, **options)
    return answer


_OPERATIONS = [
    ("get", "", None, "viewer"),
    ("patch", "", {"name": "new"}, "owner"),
    ("patch", "", {"agentsCommit": True}, "owner"),
    ("get", "/status", None, "viewer"),
    ("get", "/members", None, "viewer"),
    ("post", "/members", {"username": "charlie"}, "owner"),
    ("patch", "/members/1", {"role": "owner"}, "owner"),
    ("delete", "/members/1", None, "owner"),
    ("get", "/files?dir=", None, "viewer"),
    ("post", "/files", {"dir": "", "name": "n"}, "editor"),
    ("get", "/file?path=plan.md", None, "viewer"),
    ("put", "/file?path=new.md", {"text": "x"}, "editor"),
    ("patch", "/file?path=plan.md", {"name": "plans.md"}, "editor"),
    ("delete", "/file?path=plan.md", None, "editor"),
    ("get", "/image?path=plan.md", None, "viewer"),
    ("get", "/download?path=plan.md", None, "viewer"),
    ("get", "/terminals", None, "editor"),
    ("post", "/terminals", {}, "editor"),
]
_IDS = [f"{method}{path.partition('?')[0]}" for method, path, _body, _role in _OPERATIONS]


@pytest.mark.parametrize(("method", "path", "body", "role"), _OPERATIONS, ids=_IDS)
def test_a_stranger_gets_the_same_404_everywhere(
    cast: Cast,
    at: At,
    base: str,
    method: str,
    path: str,
    body: dict[str, str] | None,
    role: str,
) -> None:
    LocalFiles(cast.atelier.place).write("plan.md", "x")
    for who in ("charlie", "administrator"):
        answer = _send(at(who), method, base + path, body)
        unknown = _send(at(who), method, f"/api/workspaces/nothing{path}", body)
        assert (answer.status_code, answer.json()) == (404, unknown.json())
        assert answer.json()["code"] == "not-found"
    assert _send(Client(), method, base + path, body).status_code == 401


@pytest.mark.parametrize(("method", "path", "body", "role"), _OPERATIONS, ids=_IDS)
def test_a_role_that_is_too_low_is_refused(
    cast: Cast,
    at: At,
    base: str,
    method: str,
    path: str,
    body: dict[str, str] | None,
    role: str,
) -> None:
    LocalFiles(cast.atelier.place).write("plan.md", "x")
    if role in {"owner", "editor"}:
        assert _send(at("vera"), method, base + path, body).status_code == 403
    if role == "owner":
        assert _send(at("bob"), method, base + path, body).status_code == 403
    assert LocalFiles(cast.atelier.place).read("plan.md").text == "x"


def test_a_viewer_may_not_attach(at: At, base: str, cast: Cast) -> None:
    file = SimpleUploadedFile("a.txt", b"x")
    assert at("vera").post(f"{base}/attach", {"file": file}).status_code == 403
    assert at("charlie").post(f"{base}/attach", {"file": file}).status_code == 404


def test_people_make_share_and_leave_workspaces(cast: Cast, at: At) -> None:
    alice = at("alice")
    made = _send(alice, "post", "/api/workspaces", {"name": "second"})
    assert made.status_code == 201
    second = f"/api/workspaces/{made.json()['id']}"
    assert _send(at("bob"), "get", second).status_code == 404
    members = _send(alice, "post", f"{second}/members", {"username": "bob", "role": "viewer"})
    assert [one["username"] for one in members.json()] == ["alice", "bob"]
    changed = _send(alice, "patch", f"{second}/members/{cast.bob.pk}", {"role": "editor"})
    assert changed.json()[1]["role"] == "editor"
    assert _send(at("bob"), "get", second).json()["role"] == "editor"
    leave = _send(at("bob"), "delete", f"{second}/members/{cast.bob.pk}")
    assert leave.status_code == 204
    last = _send(alice, "delete", f"{second}/members/{cast.alice.pk}")
    assert (last.status_code, last.json()["code"]) == (409, "last-owner")
    personal_workspace(cast.alice)
    names = [one["personal"] for one in alice.get("/api/workspaces").json()]
    assert names == [True, False, False]


def test_files_are_listed_read_saved_and_removed(cast: Cast, at: At, base: str) -> None:
    bob = at("bob")
    assert _send(bob, "post", f"{base}/files", {"name": "docs", "folder": True}).status_code == 201
    made = _send(bob, "put", f"{base}/file?path=docs/a.md", {"text": "one", "create": True})
    assert made.status_code == 200
    again = _send(bob, "put", f"{base}/file?path=docs/a.md", {"text": "two", "create": True})
    assert (again.status_code, again.json()["conflict"]) == (409, True)
    opened = at("vera").get(f"{base}/file?path=docs/a.md").json()
    assert opened == {"path": "docs/a.md", "text": "one", "version": made.json()["version"]}
    save = {"text": "two", "version": opened["version"]}
    assert _send(bob, "put", f"{base}/file?path=docs/a.md", save).status_code == 200
    late = _send(at("alice"), "put", f"{base}/file?path=docs/a.md", save | {"text": "three"})
    assert (late.status_code, late.json()["code"]) == (409, "conflict")
    entries = bob.get(f"{base}/files").json()
    assert [(one["name"], one["dir"], set(one)) for one in entries] == [
        ("docs", True, {"name", "path", "dir", "size", "modTime", "link"})
    ]
    removed = bob.delete(f"{base}/file?path=docs")
    assert removed.json() == {"trashed": True}
    assert bob.get(f"{base}/files").json() == []
    trash = folders_of(cast.access(cast.bob).place).home / ".local/share/Trash"
    assert (trash / "files" / "docs" / "a.md").read_text() == "two"
    assert "Path=docs\n" in (trash / "info" / "docs.trashinfo").read_text()


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("../../secret-key", 422, "outside"),
        ("/etc/passwd", 422, "outside"),
        ("nothing", 404, "not-found"),
        ("x" * 5_000, 422, "invalid-path"),
        ("a%00b", 422, "invalid-path"),
        ("", 422, "is-a-folder"),
    ],
)
def test_bad_paths_are_clean_errors(at: At, base: str, path: str, status: int, code: str) -> None:
    answer = at("bob").get(f"{base}/file?path={path}")
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.json()["message"]


def test_a_download_is_an_attachment_whatever_it_is(cast: Cast, at: At, base: str) -> None:
    workspace = folders_of(cast.atelier.place).workspace
    (workspace / "é <b>.html").write_bytes(b"<script>1</script>")
    answer = at("vera").get(f"{base}/download", {"path": "é <b>.html"})
    assert answer.content == b"<script>1</script>"
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["Content-Disposition"].startswith("attachment; filename*=utf-8''%C3%A9")
    assert answer["X-Content-Type-Options"] == "nosniff"


def test_an_owner_says_whom_git_names_as_committer(cast: Cast, at: At, base: str) -> None:
    alice = at("alice")
    assert alice.get(base).json()["agentsCommit"] is False
    changed = _send(alice, "patch", base, {"agentsCommit": True})
    assert (changed.status_code, changed.json()["agentsCommit"]) == (200, True)
    both = _send(alice, "patch", base, {"agentsCommit": False, "name": ""})
    assert both.status_code == 422
    assert at("vera").get(base).json()["agentsCommit"] is True
    assert _send(at("bob"), "patch", base, {"agentsCommit": False}).status_code == 403
    kept = AuditEntry.objects.get(outcome="git")
    assert (kept.kind, kept.who, kept.input) == ("setting", "alice", {"agentsCommit": True})


def test_a_name_that_is_no_utf8_is_one_like_any_other(cast: Cast, at: At, base: str) -> None:
    workspace = folders_of(cast.atelier.place).workspace
    (workspace / os.fsdecode(b"Sal\xe9.txt")).write_bytes(b"latin")
    (workspace / r"Sal\xe9.txt").write_bytes(b"looks so")
    bob = at("bob")
    names = [one["path"] for one in bob.get(f"{base}/files").json()]
    assert names == [r"Sal\x5cxe9.txt", r"Sal\xe9.txt"]
    for path, content in zip(names, ("looks so", "latin"), strict=True):
        opened = bob.get(f"{base}/file", {"path": path}).json()
        assert (opened["path"], opened["text"]) == (path, content)
        assert bob.get(f"{base}/download", {"path": path}).content == content.encode()
        query = urlencode({"path": path})
        save = {"text": "new", "version": opened["version"]}
        assert _send(bob, "put", f"{base}/file?{query}", save).status_code == 200
        taken = _send(bob, "patch", f"{base}/file?{query}", {"name": path})
        assert (taken.status_code, taken.json()["code"]) == (409, "exists")
        renamed = _send(bob, "patch", f"{base}/file?{query}", {"name": "Salé.txt"})
        assert renamed.json() == {"path": "Salé.txt"}
        back = {"name": path}
        assert _send(bob, "patch", f"{base}/file?path=Salé.txt", back).json() == {"path": path}
        assert bob.delete(f"{base}/file?{query}").json() == {"trashed": True}
    assert bob.get(f"{base}/files").json() == []


def test_attachments_get_a_free_safe_name_and_a_limit(cast: Cast, at: At, base: str) -> None:
    bob = at("bob")

    def attach(name: str, content: bytes, **fields: str) -> Response:
        return bob.post(f"{base}/attach", {"file": SimpleUploadedFile(name, content), **fields})

    assert attach("my photo.png", b"1").json() == {"path": "attachments/my-photo.png"}
    assert attach("my photo.png", b"2").json() == {"path": "attachments/my-photo-2.png"}
    assert attach("../../evil", b"3").json() == {"path": "attachments/evil"}
    assert attach("here.txt", b"4", dir="").json() == {"path": "here.txt"}
    assert attach("big", b"x" * (MAX_UPLOAD + 1)).status_code == 413
    assert attach("fits", b"x" * MAX_UPLOAD).status_code == 201
    assert attach("out", b"x", dir="../..").status_code == 422
    names = sorted(one.name for one in LocalFiles(cast.atelier.place).entries("attachments"))
    assert names == ["evil", "fits", "my-photo-2.png", "my-photo.png"]


def test_the_status_says_how_commands_run(at: At, base: str) -> None:
    status = at("vera").get(f"{base}/status").json()
    assert status["runtime"] in {"local", "none"}
    assert status["network"] == "none"


@pytest.mark.parametrize("body", ["", "{", "[]", '{"name": 5}', '{"name": ""}'])
def test_a_bad_body_is_a_clean_error(at: At, body: str) -> None:
    answer = at("alice").post("/api/workspaces", data=body, content_type="application/json")
    assert answer.status_code in {400, 422}


def test_members_come_in_pages_of_a_hundred(cast: Cast, at: At, base: str) -> None:
    made = User.objects.bulk_create(User(username=f"m{n}", password="") for n in range(120))
    Membership.objects.bulk_create(
        Membership(workspace_id=cast.atelier.id, user=one, role="viewer") for one in made
    )
    vera = at("vera")
    found: list[str] = []
    while page := vera.get(f"{base}/members?skip={len(found)}").json():
        assert len(page) <= 100
        found += [one["username"] for one in page]
    assert found == ["alice", "bob", "vera", *(f"m{n}" for n in range(120))]
    assert vera.get(f"{base}/members?skip=-1").status_code == 422
    assert at("charlie").get(f"{base}/members?skip=5").status_code == 404
