"""A link that lets in stands in no log, no Referer and no cache; nor does what the API says."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from io import StringIO

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from hypothesis import given
from hypothesis import strategies as st

from maia_web.accounts import services
from maia_web.accounts.tokens import new_token
from maia_web.lib.logs import SafeFilter
from maia_web.lib.token_paths import carries_token, hide_tokens
from tests.support.known import known

GOOD = "correct horse 42"


@pytest.fixture
def log() -> Iterator[StringIO]:
    """Everything that is logged, as the console shows it."""
    written = StringIO()
    handler = logging.StreamHandler(written)
    handler.addFilter(SafeFilter())
    logging.getLogger().addHandler(handler)
    yield written
    logging.getLogger().removeHandler(handler)


@pytest.fixture
def links(db: None) -> list[str]:
    """Live links of every kind."""
    setup = known(services.setup_link()).rsplit("/", 1)[1]
    administrator = services.create_user("camille", GOOD, administrator=True)
    invitation = services.invite(administrator)[1]
    return [f"/setup/{setup}", f"/setup/{setup}/model", f"/invite/{invitation}"]


def _routes(resolver: URLResolver, before: str = "") -> list[tuple[str, URLPattern]]:
    found = []
    for one in resolver.url_patterns:
        path = f"{before}{one.pattern}"
        found += _routes(one, path) if isinstance(one, URLResolver) else [(path, one)]
    return found


def test_every_route_with_a_token_is_known_by_its_first_word() -> None:
    routes = [path for path, one in _routes(get_resolver()) if "token" in one.pattern.converters]
    assert len(routes) >= 6
    token = new_token()
    for route in routes:
        path = "/" + route.replace("<str:token>", token)
        assert token in path
        assert carries_token(path)
        assert token not in hide_tokens(path)


@given(st.text("abcXYZ019-_", min_size=1), st.sampled_from(["invite", "setup", "reset"]))
def test_the_token_of_a_link_is_hidden_however_long_it_is(token: str, word: str) -> None:
    for link in (
        f"/{word}/{token}",
        f"https://maia.example/{word}/{token}?a=b",
        f"//{word}//{token}",
    ):
        assert f"{word}/{token}" not in hide_tokens(link)


def test_a_token_is_hidden_where_the_address_is_mistyped() -> None:
    token = new_token()
    for path in (
        f"/invites/{token}",
        f"/INVITE/{token}/",
        f"/x/{token}.",
        f"/invite{token[:0]}/{token}",
    ):
        assert token not in hide_tokens(path)


@pytest.mark.parametrize("broken", ["a refused form", "no cookie", "a wrong method", "a wrong end"])
def test_a_live_link_is_not_logged(links: list[str], log: StringIO, broken: str) -> None:
    for link in links:
        client = Client(enforce_csrf_checks=broken == "no cookie")
        match broken:
            case "a wrong method":
                answer = client.put(link)
            case "a wrong end":
                answer = client.get(f"{link}/x/")
            case _:
                answer = client.post(link, {"username": "?"})
        assert answer.status_code >= 400
        assert links[0].split("/")[2] not in log.getvalue()
        assert links[2].split("/")[2] not in log.getvalue()
        assert answer["Referrer-Policy"] == "no-referrer"
        assert "no-store" in answer["Cache-Control"]
    assert "/[redacted]" in log.getvalue()


def test_a_fault_while_a_link_is_used_tells_no_token(
    links: list[str], log: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = links[2].rsplit("/", 1)[1]

    def broken(*_args: object, **_data: object) -> None:
        raise RuntimeError(f"cannot take {token} with password={GOOD}")

    monkeypatch.setattr("maia_web.accounts.services.accept_invitation", broken)
    client = Client(raise_request_exception=False)
    form = {"username": "jonas", "password": GOOD, "display_name": "Jonas"}
    answer = client.post(links[2], form)
    assert answer.status_code == 500
    assert token not in answer.content.decode()
    assert "RuntimeError: cannot take [redacted]" in log.getvalue()
    assert token not in log.getvalue()


def test_a_page_behind_a_link_lets_no_other_page_know_where_it_was(links: list[str]) -> None:
    page = Client().get(links[2])
    assert page["Referrer-Policy"] == "no-referrer"
    # a form under "no-referrer" has the origin "null", which CSRF refuses: the origin alone may go
    assert '<meta name="referrer" content="strict-origin">' in page.content.decode()
    usual = Client().get("/sign-in")
    assert usual["Referrer-Policy"] == "same-origin"
    assert "referrer" not in usual.content.decode()


def test_one_record_is_one_line(log: StringIO) -> None:
    logging.getLogger("maia").warning("one\nERROR maia: another\r\n\x1b[31m")
    assert log.getvalue() == "one\\x0aERROR maia: another\\x0d\\x0a\\x1b[31m\n"


@pytest.mark.django_db(transaction=True)
def test_what_the_api_says_is_kept_nowhere() -> None:
    member = services.create_user("jonas", GOOD)
    signed_in = Client(raise_request_exception=False)
    signed_in.force_login(member)
    paths = signed_in.get("/api/openapi.json").json()["paths"]
    assert len(paths) > 30
    for path in (*paths, "/api/nothing", "/api/docs"):
        for client in (Client(raise_request_exception=False), signed_in):
            answer = client.get(path)
            assert "no-store" in answer["Cache-Control"], path
            assert answer.status_code < 500, path
