"""What every page sends to the browser."""

import re

import pytest
from django.test import Client, RequestFactory
from django.views import defaults
from django.views.csrf import csrf_failure

from maia_web.accounts.models import User
from maia_web.accounts.services import setup_link
from tests.support.known import known
from tests.support.response import Response

PAGES = [
    "/sign-in",
    "/account",
    "/admin/people",
    "/admin/models",
    "/admin/agents",
    "/admin/rules",
    "/admin/rules?new=1",
    "/admin/rules/cases",
    "/admin/audit",
    "/account/rules",
    "/inbox",
    "/nothing-here",
]


@pytest.fixture
def bodies(as_administrator: Client) -> list[Response]:
    pages = [as_administrator.get(path, follow=False) for path in PAGES]
    pages.append(Client().get("/sign-in"))
    return [page for page in pages if page.status_code != 302]


def test_pages_keep_the_content_security_policy(
    bodies: list[Response],
) -> None:
    for answer in bodies:
        policy = answer["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        page = answer.content.decode()
        assert not re.search(r"<[^>]+\sstyle=", page)
        assert not re.search(r"<[^>]+\son\w+=", page)
        assert not re.search(r"<script(?![^>]*(\bsrc=|\bnonce=|type=\"application/json\"))", page)
        assert not re.search(r"(?:src|href)=\"https?:", page)


def test_pages_are_never_kept_by_caches(as_administrator: Client, administrator: User) -> None:
    for path in PAGES[1:4]:
        assert "no-store" in as_administrator.get(path)["Cache-Control"]


def test_every_page_has_one_heading_a_main_part_and_a_skip_link(
    bodies: list[Response],
) -> None:
    for answer in bodies:
        page = answer.content.decode()
        assert len(re.findall(r"<h1\b", page)) == 1
        assert len(re.findall(r"<main\b", page)) == 1
        assert '<a class="skip" href="#main">' in page
        assert 'id="main"' in page


def test_every_page_lets_change_language_and_theme(
    bodies: list[Response],
) -> None:
    for answer in bodies:
        page = answer.content.decode()
        assert 'action="/language"' in page
        assert 'action="/theme"' in page


def test_ids_are_unique_and_labels_lead_somewhere(db: None, request: pytest.FixtureRequest) -> None:
    pages = [Client().get("/setup/" + known(setup_link()).rsplit("/", 1)[1]).content.decode()]
    pages += [answer.content.decode() for answer in request.getfixturevalue("bodies")]
    for page in pages:
        ids = re.findall(r'\sid="([^"]+)"', page)
        assert len(ids) == len(set(ids))
        assert set(re.findall(r'<label for="([^"]+)"', page)) <= set(ids)


def test_error_pages_need_nothing_but_themselves(rf: RequestFactory) -> None:
    request = rf.get("/")
    for answer, status in [
        (defaults.bad_request(request, ValueError()), 400),
        (defaults.server_error(request), 500),
        (csrf_failure(request), 403),
    ]:
        assert answer.status_code == status
        page = answer.content.decode()
        assert f">{status}</p>" in page
        assert "css/tokens" in page
