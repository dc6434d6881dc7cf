"""Guessing is slow by name, by address and by both; nobody shuts another out."""

from __future__ import annotations

import random
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.core import signing
from django.test import Client, RequestFactory
from pytest_django import Settings

from maia_web.accounts import services
from maia_web.accounts.models import KnownAddress, SignInFailure, User
from maia_web.accounts.services.devices import MAX_AGE, MOST_PEOPLE, Device, device_of
from maia_web.lib.errors import InvalidInput, TooMuch

pytestmark = pytest.mark.django_db
GOOD = "correct horse 42"
NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
OFFICE, HOME = "198.51.100.7", "203.0.113.9"


@pytest.fixture(autouse=True)
def _quick(settings: Settings) -> None:
    settings.PASSWORD_HASHERS = [f"{MD5PasswordHasher.__module__}.MD5PasswordHasher"]


@pytest.fixture(autouse=True)
def camille(_quick: None) -> User:
    return services.create_user("camille", GOOD)


def attempt(
    name: str, password: str, address: str, at: datetime = NOON, device: Device | None = None
) -> User:
    request = RequestFactory().get("/")
    return services.sign_in(request, name, password, address, at, device=device)


def answer(*args: Any, **options: Any) -> str:
    """What the attempt comes to: "in", "wrong" or "wait"."""
    try:
        attempt(*args, **options)
    except InvalidInput:
        return "wrong"
    except TooMuch as refused:
        assert refused.data["retryAfter"] > 0  # noqa: PT017
        return "wait"
    return "in"


def elsewhere(number: int) -> str:
    return f"192.0.2.{number}"


def test_many_names_from_one_address_are_slowed() -> None:
    answers = [answer(f"name{number}", "guess", OFFICE) for number in range(12)]
    assert answers == ["wrong"] * 10 + ["wait"] * 2
    assert answer("camille", GOOD, HOME) == "in"
    later = NOON + timedelta(minutes=1)
    assert [answer("other", "guess", OFFICE, later) for _time in range(2)] == ["wrong", "wait"]


def test_many_addresses_on_one_name_are_slowed() -> None:
    answers = [answer("camille", "guess", elsewhere(number)) for number in range(12)]
    assert answers == ["wrong"] * 10 + ["wait"] * 2
    assert answer("jonas", "guess", elsewhere(1)) == "wrong"
    assert answer("camille", GOOD, HOME, NOON + timedelta(minutes=1)) == "in"


def test_a_name_that_is_not_there_is_slowed_like_one_that_is() -> None:
    for name in ("camille", "nobody"):
        SignInFailure.objects.all().delete()
        answers = [answer(name, "guess", elsewhere(number)) for number in range(12)]
        assert answers == ["wrong"] * 10 + ["wait"] * 2


def test_where_somebody_signed_in_before_guesses_from_elsewhere_make_nobody_wait() -> None:
    assert answer("camille", GOOD, HOME) == "in"
    for number in range(30):
        answer("camille", "guess", elsewhere(number))
    assert answer("camille", GOOD, HOME) == "in"
    assert answer("camille", GOOD, OFFICE) == "wait"
    assert KnownAddress.objects.count() == 1
    assert HOME not in str(KnownAddress.objects.values())


def test_a_known_device_does_not_wait_for_a_neighbour() -> None:
    device = device_of("").with_person("camille")
    for number in range(30):
        answer(f"name{number}", "guess", OFFICE)
        answer("camille", "guess", OFFICE)
        answer("camille", "guess", elsewhere(number))
    assert answer("camille", GOOD, OFFICE) == "wait"
    assert answer("camille", GOOD, OFFICE, device=device) == "in"
    assert answer("camille", GOOD, elsewhere(99), device=device) == "in"


def test_a_known_device_waits_for_its_own_failures() -> None:
    device = device_of("").with_person("camille")
    answers = [answer("camille", "guess", elsewhere(one), device=device) for one in range(6)]
    assert answers == ["wrong"] * 5 + ["wait"]
    assert answer("camille", GOOD, HOME) == "in"  # and nobody else does


def test_a_device_is_known_for_who_signed_in_from_it_alone() -> None:
    device = device_of("").with_person("jonas")
    for _time in range(5):
        answer("camille", "guess", OFFICE, device=device)
    assert answer("camille", GOOD, OFFICE, device=device) == "wait"


def test_signing_in_with_ones_own_account_makes_guessing_no_faster(camille: User) -> None:
    services.create_user("eve", GOOD)
    tries = 0
    for number in range(30):
        tries += answer(f"name{number}", "guess", OFFICE) == "wrong"
        answer("eve", GOOD, OFFICE, device=device_of("").with_person("eve"))
        answer("eve", GOOD, OFFICE)
    assert tries == 10


@pytest.mark.parametrize("seed", range(3))
def test_whatever_others_do_a_known_device_gets_in_and_guesses_stay_few(seed: int) -> None:
    chance = random.Random(seed)
    device = device_of("").with_person("camille")
    names = ["camille", "jonas", *(f"name{number}" for number in range(20))]
    guesses, now = [], NOON
    for _step in range(300):
        now += timedelta(seconds=chance.choice((0, 0, 1, 5, 30)))
        name, address = chance.choice(names), elsewhere(chance.randrange(20))
        if answer(name, "guess", address, now) == "wrong":
            guesses.append((now, name, address))
        if chance.random() < 0.1:
            assert answer("camille", GOOD, address, now, device) == "in"
    for at, name, address in guesses:
        within = [one for one in guesses if at <= one[0] < at + timedelta(hours=1)]
        assert sum(one[1] == name for one in within) <= 16
        assert sum(one[2] == address for one in within) <= 16


@pytest.mark.parametrize(
    "cookie",
    ["", "x", "{}", signing.dumps(["a", "b"], salt="other")],
    ids=["none", "letter", "json", "signed for something else"],
)
def test_a_forged_device_is_a_new_one(cookie: str) -> None:
    device = device_of(cookie)
    assert not device.people
    assert device.id != device_of(cookie).id


def test_a_device_is_forgotten_after_half_a_year(monkeypatch: pytest.MonkeyPatch) -> None:
    sealed = device_of("").with_person("camille").sealed()
    assert device_of(sealed).knows("camille")
    begun = time.time()
    monkeypatch.setattr(time, "time", lambda: begun + MAX_AGE + 10)
    assert not device_of(sealed).knows("camille")


def test_a_shared_device_keeps_the_last_few() -> None:
    device = Device("d")
    for number in range(MOST_PEOPLE + 3):
        device = device.with_person(f"name{number}")
    device = device_of(device.with_person("name5").sealed())
    assert len(device.people) == MOST_PEOPLE
    assert device.knows("name5")
    assert not device.knows("name0")
    assert "name5" not in device.sealed()


def test_the_browser_that_signed_in_is_known_again() -> None:
    browser = Client(REMOTE_ADDR=OFFICE)
    form = {"username": "camille", "password": GOOD}
    assert browser.post("/sign-in", form).status_code == 302
    cookie = browser.cookies["maia-device"]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Lax", "/")
    browser.post("/sign-out")
    neighbour = Client(REMOTE_ADDR=OFFICE)
    for _time in range(15):
        last = neighbour.post("/sign-in", {**form, "password": "guess"})
    assert last.status_code == 429
    assert neighbour.post("/sign-in", form).status_code == 429
    assert browser.post("/sign-in", form).status_code == 302


def test_who_accepts_an_invitation_is_known_too(camille: User) -> None:
    token = services.invite(camille)[1]
    browser = Client()
    browser.post(f"/invite/{token}", {"username": "ines", "password": GOOD})
    assert device_of(browser.cookies["maia-device"].value).knows("ines")
