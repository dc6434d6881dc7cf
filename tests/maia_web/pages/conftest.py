"""People who look at pages."""

import shutil

import pytest
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.test import Client
from pytest_django import Settings

from maia_web.accounts import services
from maia_web.accounts.models import User

GOOD = "correct horse 42"


class QuickHasher(Argon2PasswordHasher):
    """Argon2 that takes little time and memory."""

    time_cost = 1
    memory_cost = 64
    parallelism = 1


@pytest.fixture(autouse=True)
def _quick_hashing(settings: Settings) -> None:
    settings.PASSWORD_HASHERS = [f"{QuickHasher.__module__}.QuickHasher"]


@pytest.fixture(autouse=True)
def _no_files_of_before(settings: Settings) -> None:
    """Numbers of people begin anew with each test; on a site they never do."""
    for name in ("homes", "settings"):
        shutil.rmtree(settings.DATA / name, ignore_errors=True)


@pytest.fixture
def administrator(db: None) -> User:
    return services.create_user("camille", GOOD, display_name="Camille Moreau", administrator=True)


@pytest.fixture
def member(db: None) -> User:
    return services.create_user("jonas", GOOD)


@pytest.fixture
def as_administrator(administrator: User) -> Client:
    return _signed_in(administrator)


@pytest.fixture
def as_member(member: User) -> Client:
    return _signed_in(member)


def _signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client
