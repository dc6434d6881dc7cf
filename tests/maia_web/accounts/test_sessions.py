"""Sessions end when they must."""

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from maia_web.accounts import services
from maia_web.accounts.selectors import still_signed_in

pytestmark = pytest.mark.django_db
GOOD = "correct horse 42"


@pytest.fixture
def camille():
    return services.create_user("camille", GOOD)


def _session(user):
    client = Client()
    client.force_login(user)
    return client


def test_a_session_is_alive_until_it_is_signed_out(camille):
    client = _session(camille)
    key = client.session.session_key
    assert still_signed_in(key, camille.pk)
    client.logout()
    assert not still_signed_in(key, camille.pk)


def test_a_session_belongs_to_one_person(camille):
    key = _session(camille).session.session_key
    assert not still_signed_in(key, camille.pk + 1)
    assert not still_signed_in("unknown", camille.pk)
    assert not still_signed_in("", camille.pk)


def test_a_password_change_ends_the_sessions(camille):
    key = _session(camille).session.session_key
    services.change_password(camille, GOOD, "another horse 43")
    assert not still_signed_in(key, camille.pk)


def test_a_closed_account_ends_the_sessions(camille):
    services.create_user("keeper", GOOD, administrator=True)
    key = _session(camille).session.session_key
    services.set_active(camille, False)
    assert not still_signed_in(key, camille.pk)


def test_signing_out_everywhere_ends_the_sessions(camille):
    key = _session(camille).session.session_key
    services.sign_out_everywhere(camille)
    assert not still_signed_in(key, camille.pk)
    fresh = get_user_model().objects.get(pk=camille.pk)
    assert still_signed_in(_session(fresh).session.session_key, camille.pk)
