"""Sessions end when they must."""

from collections.abc import Callable

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from maia_web.accounts import services
from maia_web.accounts.models import User
from maia_web.accounts.selectors import session_now, signed_in
from tests.support.known import known
from tests.support.sessions import still_signed_in

pytestmark = pytest.mark.django_db
GOOD = "correct horse 42"


@pytest.fixture
def camille() -> User:
    return services.create_user("camille", GOOD)


def _session(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def _key(client: Client) -> str:
    return known(client.session.session_key)


def test_a_session_is_alive_until_it_is_signed_out(camille: User) -> None:
    client = _session(camille)
    key = _key(client)
    assert still_signed_in(key, camille.pk)
    client.logout()
    assert not still_signed_in(key, camille.pk)


def test_cookies_tell_whose_they_are_in_two_questions(
    camille: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client = _session(camille)
    cookies = {settings.SESSION_COOKIE_NAME: _key(client)}
    signed_in({**cookies})  # the text of both questions is made
    with django_assert_num_queries(2):
        found = known(signed_in({**cookies, "other": "x"}))
    assert (found.user, found.session) == (camille, _key(client))
    for key in ("", "unknown", "\0", "é" * 40):
        assert signed_in({settings.SESSION_COOKIE_NAME: key}) is None
    assert signed_in({}) is None


@pytest.mark.parametrize(
    "end",
    [
        lambda camille, client: client.logout(),
        lambda camille, client: services.change_password(camille, GOOD, "another horse 43"),
        lambda camille, client: services.set_active(camille, False),
        lambda camille, client: services.sign_out_everywhere(camille),
        lambda camille, client: Session.objects.update(expire_date=timezone.now()),
        lambda camille, client: client.session.clear() or Session.objects.update(session_data=""),
    ],
)
def test_the_cookies_of_a_session_that_ended_are_nobodys(
    camille: User, end: Callable[[User, Client], object]
) -> None:
    services.create_user("keeper", GOOD, administrator=True)
    client = _session(camille)
    cookies = {settings.SESSION_COOKIE_NAME: _key(client)}
    assert signed_in(cookies) is not None
    end(camille, client)
    assert signed_in(cookies) is None


def test_the_old_key_of_a_renewed_session_opens_nothing(camille: User) -> None:
    client = _session(camille)
    old = _key(client)
    client.post("/account/password", {"current": GOOD, "new": "another horse 43"})
    assert signed_in({settings.SESSION_COOKIE_NAME: old}) is None
    assert signed_in({settings.SESSION_COOKIE_NAME: _key(client)}) is not None


def test_a_session_belongs_to_one_person(camille: User) -> None:
    key = _key(_session(camille))
    assert not still_signed_in(key, camille.pk + 1)
    assert not still_signed_in("unknown", camille.pk)
    assert not still_signed_in("", camille.pk)


def test_a_password_change_ends_the_sessions(camille: User) -> None:
    key = _key(_session(camille))
    services.change_password(camille, GOOD, "another horse 43")
    assert not still_signed_in(key, camille.pk)


def test_a_closed_account_ends_the_sessions(camille: User) -> None:
    services.create_user("keeper", GOOD, administrator=True)
    key = _key(_session(camille))
    services.set_active(camille, False)
    assert not still_signed_in(key, camille.pk)


def test_signing_out_everywhere_ends_the_sessions(camille: User) -> None:
    key = _key(_session(camille))
    services.sign_out_everywhere(camille)
    assert not still_signed_in(key, camille.pk)
    fresh = get_user_model().objects.get(pk=camille.pk)
    assert still_signed_in(_key(_session(fresh)), camille.pk)


def test_a_session_does_not_come_back_with_its_account(camille: User) -> None:
    services.create_user("keeper", GOOD, administrator=True)
    client = _session(camille)
    key = _key(client)
    services.set_active(camille, False)
    services.set_active(camille, True)
    assert not still_signed_in(key, camille.pk)
    assert client.get("/account").status_code == 302
    assert still_signed_in(_key(_session(_now(camille))), camille.pk)


@pytest.mark.parametrize(
    ("page", "form"),
    [
        ("/account/end-sessions", {}),
        ("/account/password", {"current": GOOD, "new": "another horse 43"}),
    ],
)
def test_who_ends_the_other_sessions_goes_on_under_a_new_key(
    camille: User, page: str, form: dict[str, str]
) -> None:
    mine, other = _session(camille), _session(camille)
    old, theirs = _key(mine), _key(other)

    assert mine.post(page, form).status_code == 302

    new = _key(mine)
    assert new != old
    assert session_now(old, _now(camille)) == session_now(new, _now(camille)) == new
    assert session_now(theirs, _now(camille)) is None
    assert mine.get("/account").status_code == 200
    assert other.get("/account").status_code == 302
    stolen = Client()
    stolen.cookies[settings.SESSION_COOKIE_NAME] = old
    assert stolen.get("/account").status_code == 302, "what is left of a session signs nobody in"


def test_a_renewed_session_is_followed_only_to_one_of_the_same_person(camille: User) -> None:
    services.create_user("mallory", GOOD)
    mine = _session(camille)
    keys = [_key(mine)]
    for _again in range(2):
        mine.post("/account/end-sessions")
        keys.append(_key(mine))
    assert session_now(keys[0], _now(camille)) == keys[2]
    mallory = get_user_model().objects.get(username="mallory")
    assert session_now(keys[0], mallory) is None
    mine.post("/sign-out")
    assert [session_now(key, _now(camille)) for key in keys] == [None] * 3


def test_a_session_whose_time_is_over_has_ended(camille: User) -> None:
    key = _key(_session(camille))
    row = Session.objects.get(pk=key)
    Session.objects.filter(pk=key).update(expire_date=row.expire_date.replace(year=2020))
    assert session_now(key, camille) is None


def _now(user: User) -> User:
    return User.objects.get(pk=user.pk)
