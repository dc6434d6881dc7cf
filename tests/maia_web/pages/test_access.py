"""Every page, for a stranger, a member and an administrator."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from maia_web.accounts.models import User
from maia_web.pages.urls import urlpatterns

SIGN_IN, FORBIDDEN, MISSING, WRONG_METHOD = 302, 403, 404, 405
Row = tuple[str, list[Any], int, int, int]
GET: list[Row] = [
    # name, arguments, stranger, member, administrator
    ("sign-in", [], 200, 302, 302),
    ("setup", ["x"], MISSING, MISSING, MISSING),
    ("setup-model", ["x"], MISSING, MISSING, MISSING),
    ("setup-found", ["x"], MISSING, MISSING, MISSING),
    ("setup-sandbox", ["x"], MISSING, MISSING, MISSING),
    ("invite", ["x"], MISSING, MISSING, MISSING),
    ("people", [], SIGN_IN, FORBIDDEN, 200),
    ("models", [], SIGN_IN, FORBIDDEN, 200),
    ("agents", [], SIGN_IN, FORBIDDEN, 200),
    ("models-found", [], SIGN_IN, FORBIDDEN, 200),
    ("account", [], SIGN_IN, 200, 200),
    ("new-workspace", [], SIGN_IN, 200, 200),
    ("workspace-settings", ["x"], SIGN_IN, MISSING, MISSING),
    ("inbox", [], SIGN_IN, 200, 200),
    ("rules", [], SIGN_IN, FORBIDDEN, 200),
    ("rule-cases", [], SIGN_IN, FORBIDDEN, 200),
    ("audit", [], SIGN_IN, FORBIDDEN, 200),
    ("own-rules", [], SIGN_IN, 200, 200),
    ("own-files", [], SIGN_IN, 200, 200),
    ("own-file", ["bashrc"], SIGN_IN, 200, 200),
    ("workspace-rules", ["x"], SIGN_IN, MISSING, MISSING),
    ("export-rules", ["site"], SIGN_IN, FORBIDDEN, 200),
    ("export-rules", ["own"], SIGN_IN, 200, 200),
    ("export-rules", ["x"], SIGN_IN, MISSING, MISSING),
    ("sessions", ["x", "y"], SIGN_IN, MISSING, MISSING),
    ("export-session", ["x", "y", 1], SIGN_IN, MISSING, MISSING),
]
POST: list[Row] = [
    ("sign-out", [], 302, 302, 302),
    ("setup-test", ["x"], MISSING, MISSING, MISSING),
    ("change-person", [10**9, "disable"], SIGN_IN, FORBIDDEN, MISSING),
    ("withdraw-invitation", [10**9], SIGN_IN, FORBIDDEN, 302),
    ("change-agent", ["nobody"], SIGN_IN, FORBIDDEN, MISSING),
    ("models-test", [], SIGN_IN, FORBIDDEN, 200),
    ("known-model", [], SIGN_IN, FORBIDDEN, 422),
    ("password", [], SIGN_IN, 422, 422),
    ("end-sessions", [], SIGN_IN, 302, 302),
    ("language", [], 302, 302, 302),
    ("theme", [], 302, 302, 302),
    ("rename-workspace", ["x"], SIGN_IN, MISSING, MISSING),
    ("leave-workspace", ["x"], SIGN_IN, MISSING, MISSING),
    ("delete-workspace", ["x"], SIGN_IN, MISSING, MISSING),
    ("add-member", ["x"], SIGN_IN, MISSING, MISSING),
    ("change-role", ["x", 1], SIGN_IN, MISSING, MISSING),
    ("remove-member", ["x", 1], SIGN_IN, MISSING, MISSING),
    ("close-terminal", ["x", "y"], SIGN_IN, MISSING, MISSING),
    ("keep-audit", [], SIGN_IN, FORBIDDEN, 302),
    ("trust-rules", ["x"], SIGN_IN, MISSING, MISSING),
    ("look-at-gone", ["x"], SIGN_IN, MISSING, MISSING),
    ("request-settings", ["x"], SIGN_IN, MISSING, MISSING),
    ("workspace-git", ["x"], SIGN_IN, MISSING, MISSING),
    ("add-rule", ["site"], SIGN_IN, FORBIDDEN, 422),
    ("add-rule", ["x"], SIGN_IN, MISSING, MISSING),
    ("preview-rule", ["site"], SIGN_IN, FORBIDDEN, 200),
    ("preview-rule", ["x"], SIGN_IN, MISSING, MISSING),
    ("import-rules", ["site"], SIGN_IN, FORBIDDEN, 302),
    ("change-rule", ["site", 10**9], SIGN_IN, FORBIDDEN, MISSING),
    ("switch-rule", ["own", 10**9], SIGN_IN, MISSING, MISSING),
    ("delete-rule", ["x", 1], SIGN_IN, MISSING, MISSING),
    ("new-session", ["x", "y"], SIGN_IN, MISSING, MISSING),
    ("delete-sessions", ["x", "y"], SIGN_IN, MISSING, MISSING),
    ("import-session", ["x", "y"], SIGN_IN, MISSING, MISSING),
    ("load-session", ["x", "y", 1], SIGN_IN, MISSING, MISSING),
    ("rename-session", ["x", "y", 1], SIGN_IN, MISSING, MISSING),
]


def _url(name: str, arguments: list[Any]) -> str:
    return reverse(name, args=arguments)


def test_the_tables_hold_every_page() -> None:
    streamed = {"audit-file"}  # async: tests/maia_web/pages/test_audit.py
    assert {row[0] for row in GET + POST} | streamed == {pattern.name for pattern in urlpatterns}


@pytest.mark.parametrize(("name", "arguments", "stranger", "insider", "chief"), GET)
def test_reading(
    name: str,
    arguments: list[Any],
    stranger: int,
    insider: int,
    chief: int,
    as_member: Client,
    as_administrator: Client,
) -> None:
    url = _url(name, arguments)
    for client, status in [
        (Client(), stranger),
        (as_member, insider),
        (as_administrator, chief),
    ]:
        assert client.get(url).status_code == status


@pytest.mark.parametrize(("name", "arguments", "stranger", "insider", "chief"), POST)
def test_changing(
    name: str,
    arguments: list[Any],
    stranger: int,
    insider: int,
    chief: int,
    as_member: Client,
    as_administrator: Client,
) -> None:
    url = _url(name, arguments)
    for client, status in [
        (Client(), stranger),
        (as_member, insider),
        (as_administrator, chief),
    ]:
        assert client.get(url).status_code in (WRONG_METHOD, SIGN_IN, FORBIDDEN)
        assert client.post(url).status_code == status


@pytest.mark.parametrize("row", [row for row in GET + POST if row[0] not in ("sign-in",)])
def test_nothing_changes_without_the_csrf_token(
    row: Row,
    administrator: User,
) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(administrator)
    answer = client.post(_url(row[0], row[1]))
    assert answer.status_code == FORBIDDEN


@pytest.mark.django_db
def test_a_stranger_comes_back_to_the_page_after_signing_in(member: User) -> None:
    client = Client()
    answer = client.get("/account")
    assert answer["Location"] == "/sign-in?next=/account"
    answer = client.post(
        "/sign-in", {"username": "jonas", "password": "correct horse 42", "next": "/account"}
    )
    assert answer["Location"] == "/account"
