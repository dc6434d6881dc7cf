"""Inviting, disabling and making administrators."""

import pytest
from django.test import Client

from maia_web.accounts.models import Invitation, User
from tests.support.known import known, match
from tests.support.sessions import still_signed_in
from workspaces.models import Workspace

ACCOUNT = {"username": "ines", "password": "correct horse 42"}


def _invite(client: Client, **data: str) -> str:
    page = client.post("/admin/people", data).content.decode()
    return match(r'value="http://testserver(/invite/[^"]+)"', page)[1]


def test_an_invitation_is_shown_once_and_used_once(as_administrator: Client) -> None:
    path = _invite(as_administrator, note="Inès")
    assert path not in as_administrator.get("/admin/people").content.decode()
    guest = Client()
    assert "Camille Moreau invites you" in guest.get(path).content.decode()
    assert guest.post(path, ACCOUNT)["Location"] == "/"
    ines = User.objects.get(username="ines")
    assert not ines.is_administrator
    assert Workspace.objects.get(personal_of=ines)
    assert guest.get("/account").status_code == 200
    late = Client()
    assert late.get(path).status_code == 404
    assert late.post(path, {**ACCOUNT, "username": "mallory"}).status_code == 404
    assert not User.objects.filter(username="mallory").exists()


def test_an_invitation_may_make_an_administrator(as_administrator: Client) -> None:
    path = _invite(as_administrator, administrator="on")
    Client().post(path, ACCOUNT)
    assert User.objects.get(username="ines").is_administrator


def test_a_withdrawn_invitation_is_gone(as_administrator: Client) -> None:
    path = _invite(as_administrator)
    row = Invitation.objects.get()
    as_administrator.post(f"/admin/people/invitations/{row.pk}/withdraw")
    assert Client().get(path).status_code == 404


def test_a_taken_name_keeps_the_invitation(as_administrator: Client) -> None:
    path = _invite(as_administrator)
    answer = Client().post(path, {**ACCOUNT, "username": "Camille"})
    assert answer.status_code == 422
    assert "This username is taken." in answer.content.decode()
    assert Client().post(path, ACCOUNT).status_code == 302


def test_disabling_ends_the_sessions_at_once_and_enabling_lets_in_again(
    as_administrator: Client, as_member: Client, member: User
) -> None:
    key = known(as_member.session.session_key)
    assert still_signed_in(key, member.pk)
    as_administrator.post(f"/admin/people/{member.pk}/disable")
    assert as_member.get("/account").status_code == 302
    assert not still_signed_in(key, member.pk)
    as_administrator.post(f"/admin/people/{member.pk}/enable")
    member.refresh_from_db()
    assert member.is_active


def test_making_an_administrator_and_a_member_again(
    as_administrator: Client, as_member: Client, member: User
) -> None:
    as_administrator.post(f"/admin/people/{member.pk}/make-administrator")
    assert as_member.get("/admin/people").status_code == 200
    as_administrator.post(f"/admin/people/{member.pk}/make-member")
    assert as_member.get("/admin/people").status_code == 403


@pytest.mark.parametrize("change", ["disable", "make-member"])
def test_the_last_administrator_stays(
    change: str, as_administrator: Client, administrator: User
) -> None:
    answer = as_administrator.post(f"/admin/people/{administrator.pk}/{change}", follow=True)
    assert "Somebody must remain administrator." in answer.content.decode()
    administrator.refresh_from_db()
    assert administrator.is_administrator


def test_names_are_text(as_administrator: Client, member: User) -> None:
    member.display_name = "<script>alert(1)</script>"
    member.save()
    page = as_administrator.get("/admin/people").content.decode()
    assert "<script>alert" not in page
