"""Who is signed in, by REST: the same words as at the socket, in as few questions."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agents.selectors.people import visitor
from maia_web.accounts import services
from maia_web.accounts.models import User

pytestmark = pytest.mark.django_db


@pytest.fixture
def camille() -> User:
    return services.create_user("camille", "correct horse 42", administrator=True)


def test_me_is_who_the_socket_greets(camille: User) -> None:
    client = Client()
    client.force_login(camille)
    there = visitor(camille.pk, client.session.session_key)
    assert client.get("/api/me").json() == {
        "user": there.person.wire(),
        "administrator": there.administrator,
        "language": there.language,
    }


def test_a_request_asks_two_questions_to_know_who_asks(camille: User) -> None:
    client = Client()
    client.force_login(camille)
    with CaptureQueriesContext(connection) as asked:
        assert client.get("/api/me").status_code == 200
    assert [one["sql"].split("FROM ")[1].split()[0] for one in asked.captured_queries] == [
        '"django_session"',
        '"accounts_user"',
    ]


def test_what_an_ended_session_holds_goes_with_it(camille: User) -> None:
    client = Client()
    client.force_login(camille)
    key = client.session.session_key
    services.sign_out_everywhere(camille)
    assert client.get("/api/me").status_code == 401
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM django_session WHERE session_key = %s", [key])
        assert cursor.fetchone() == (0,)
