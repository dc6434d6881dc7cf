"""Invitations and the link of the first start."""

from datetime import timedelta

import pytest
from django.utils import timezone

from maia_web.accounts import selectors, services
from maia_web.accounts.models import Invitation, SetupToken, User
from maia_web.lib.errors import InvalidInput, NotFound
from tests.support.known import known

pytestmark = pytest.mark.django_db
GOOD = "correct horse 42"


@pytest.fixture
def camille() -> User:
    return services.create_user("camille", GOOD, administrator=True)


def test_an_invitation_makes_one_account_and_no_second(camille: User) -> None:
    row, token = services.invite(camille, note="Jonas")
    jonas = services.accept_invitation(token, "jonas", GOOD)
    assert not jonas.is_administrator
    row.refresh_from_db()
    assert row.used_by == jonas
    with pytest.raises(NotFound):
        services.accept_invitation(token, "ines", GOOD)
    assert User.objects.count() == 2


def test_only_the_hash_of_a_token_is_kept(camille: User) -> None:
    row, token = services.invite(camille)
    assert token not in str(Invitation.objects.filter(pk=row.pk).values())


def test_an_invitation_is_over_after_seven_days(camille: User) -> None:
    begun = timezone.now()
    _row, token = services.invite(camille, now=begun)
    assert selectors.invitation(token, begun + timedelta(days=7, seconds=-1))
    with pytest.raises(NotFound):
        services.accept_invitation(token, "jonas", GOOD, now=begun + timedelta(days=7))


def test_a_refused_password_leaves_the_invitation_usable(camille: User) -> None:
    _row, token = services.invite(camille, administrator=True)
    with pytest.raises(InvalidInput):
        services.accept_invitation(token, "jonas", "short")
    assert services.accept_invitation(token, "jonas", GOOD).is_administrator


def test_a_withdrawn_invitation_is_worthless(camille: User) -> None:
    row, token = services.invite(camille)
    services.withdraw_invitation(row.pk)
    with pytest.raises(NotFound):
        services.accept_invitation(token, "jonas", GOOD)


def _token(link: str | None) -> str:
    return known(link).rsplit("/", 1)[1]


def test_each_start_prints_a_new_link_until_one_of_them_is_used() -> None:
    first, second = services.setup_link(), services.setup_link()
    assert first != second
    assert selectors.setup_open(_token(first))
    assert selectors.setup_open(_token(second))
    camille = services.use_setup_token(_token(first), "camille", GOOD)
    assert camille.is_administrator
    assert services.setup_link() is None
    for link in (first, second):
        assert not selectors.setup_open(_token(link))
        with pytest.raises(NotFound):
            services.use_setup_token(_token(link), "jonas", GOOD)
    assert selectors.setup_unfinished(_token(first), camille)
    services.finish_setup(_token(first), camille)
    assert not selectors.setup_unfinished(_token(first), camille)


def test_an_old_set_up_link_is_over() -> None:
    link = services.setup_link()
    SetupToken.objects.update(created_at=timezone.now() - timedelta(days=8))
    assert not selectors.setup_open(_token(link))
    with pytest.raises(NotFound):
        services.use_setup_token(_token(link), "camille", GOOD)


def test_a_link_is_closed_by_an_administrator_made_elsewhere(camille: User) -> None:
    SetupToken.objects.create(token_hash="x")
    assert services.setup_link() is None
    assert not selectors.setup_open("x")
