"""Guessing passwords is slow, and tells nothing."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.test import RequestFactory
from pytest_django import Settings

from maia_web.accounts import services
from maia_web.accounts.models import User
from maia_web.accounts.services.throttle import wait_after
from maia_web.lib.errors import InvalidInput, TooMuch

pytestmark = pytest.mark.django_db
GOOD = "correct horse 42"
NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
HOME, ELSEWHERE = "192.0.2.1", "192.0.2.2"


class CountingHasher(Argon2PasswordHasher):
    """Argon2 that counts how often it works."""

    runs = 0

    def encode(self, password: str, salt: str) -> str:
        CountingHasher.runs += 1
        return super().encode(password, salt)

    def verify(self, password: str, encoded: str) -> bool:
        CountingHasher.runs += 1
        return super().verify(password, encoded)


@pytest.fixture(autouse=True)
def camille() -> User:
    return services.create_user("camille", GOOD)


def attempt(
    password: str, *, name: str = "camille", address: str = HOME, at: datetime = NOON
) -> User:
    return services.sign_in(RequestFactory().get("/"), name, password, address, at)


def fail(times: int, **where: Any) -> None:
    for _time in range(times):
        with pytest.raises(InvalidInput):
            attempt("wrong", **where)


def test_the_right_password_signs_in_whatever_the_case_of_the_name(camille: User) -> None:
    assert attempt(GOOD, name=" Camille") == camille


def test_after_five_failures_even_the_right_password_waits_a_minute(camille: User) -> None:
    fail(5)
    with pytest.raises(TooMuch) as refused:
        attempt(GOOD, at=NOON + timedelta(seconds=30))
    assert 30 <= refused.value.data["retryAfter"] <= 31
    assert attempt(GOOD, at=NOON + timedelta(seconds=60)) == camille


def test_other_addresses_and_other_names_do_not_wait(camille: User) -> None:
    fail(5)
    assert attempt(GOOD, address=ELSEWHERE) == camille
    fail(1, name="jonas")


def test_the_wait_grows_with_each_failure() -> None:
    assert [wait_after(n).total_seconds() / 60 for n in (4, 5, 6, 7, 8, 9, 99)] == [
        0, 1, 2, 4, 8, 15, 15,
    ]  # fmt: skip
    fail(5)
    fail(1, at=NOON + timedelta(minutes=1))
    with pytest.raises(TooMuch):
        attempt(GOOD, at=NOON + timedelta(minutes=2, seconds=59))
    fail(1, at=NOON + timedelta(minutes=3))


def test_a_success_forgets_the_failures() -> None:
    fail(4)
    attempt(GOOD)
    fail(5)


def test_failures_are_forgotten_after_an_hour() -> None:
    fail(5)
    fail(5, at=NOON + timedelta(minutes=61))


def test_attempts_during_the_wait_do_not_make_it_longer(camille: User) -> None:
    fail(5)
    for second in range(1, 60):
        with pytest.raises(TooMuch):
            attempt("wrong", at=NOON + timedelta(seconds=second))
    assert attempt(GOOD, at=NOON + timedelta(seconds=60)) == camille


def test_one_guest_owns_a_whole_ipv6_network() -> None:
    for host in range(5):
        fail(1, address=f"2001:db8::{host:x}")
    with pytest.raises(TooMuch):
        attempt(GOOD, address="2001:db8::ffff")
    attempt(GOOD, address="2001:db8:0:1::1")


def test_unknown_names_wrong_passwords_and_closed_accounts_get_the_same_answer_and_work(
    settings: Settings, camille: User
) -> None:
    settings.PASSWORD_HASHERS = [f"{__name__}.CountingHasher"]
    closed = services.create_user("shut", GOOD)
    services.create_user("keeper", GOOD, administrator=True)
    services.set_active(closed, False)
    seen = set()
    for name, password in [("camille", "wrong"), ("nobody", "wrong"), ("shut", GOOD)]:
        CountingHasher.runs = 0
        with pytest.raises(InvalidInput) as refused:
            attempt(password, name=name)
        seen.add((CountingHasher.runs, refused.value.message, refused.value.code))
    assert len(seen) == 1
    assert seen.pop()[0] == 1
