"""Accounts."""

import pytest

from maia_web.accounts import services
from maia_web.accounts.models import User
from maia_web.lib.errors import Conflict, InvalidInput

pytestmark = pytest.mark.django_db
GOOD = "correct horse 42"


def test_a_username_is_kept_in_small_letters_and_taken_in_any_case() -> None:
    assert services.create_user("Camille", GOOD).username == "camille"
    with pytest.raises(InvalidInput) as refused:
        services.create_user("CAMILLE", GOOD)
    assert refused.value.data["field"] == "username"


@pytest.mark.parametrize("password", ["short", "1234567890123", "password123", "camillecamille"])
def test_a_weak_password_is_refused_with_reasons(password: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        services.create_user("camillecamille", password)
    assert refused.value.data["field"] == "password"
    assert refused.value.data["reasons"]
    assert not User.objects.exists()


@pytest.mark.parametrize("username", ["", "two words", "a/b", "x" * 151, "a\0b"])
def test_a_bad_username_is_refused(username: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        services.create_user(username, GOOD)
    assert refused.value.data["field"] == "username"


@pytest.mark.parametrize("name", ["Zoë\u202e", "\u200d", "a\nb", "\u2066Zoë"])
def test_a_name_that_turns_others_or_shows_nothing_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        services.create_user("zoe", GOOD, display_name=name)
    assert refused.value.data["field"] == "display_name"
    user = services.create_user("zoe", GOOD, display_name="زهرا\u200cخانم 🩷")
    with pytest.raises(InvalidInput):
        services.change_name(user, name)


def test_passwords_are_hashed_with_argon2() -> None:
    assert services.create_user("camille", GOOD).password.startswith("argon2$argon2id$")


def test_the_last_administrator_stays_one() -> None:
    first = services.create_user("camille", GOOD, administrator=True)
    with pytest.raises(Conflict):
        services.set_administrator(first, False)
    with pytest.raises(Conflict):
        services.set_active(first, False)
    second = services.create_user("jonas", GOOD, administrator=True)
    services.set_active(second, False)
    with pytest.raises(Conflict):
        services.set_administrator(first, False)
    services.set_active(second, True)
    services.set_administrator(first, False)
    first.refresh_from_db()
    assert not first.is_administrator
