"""One's own account."""

from django.test import Client

from maia_web.accounts.models import User

GOOD = "correct horse 42"


def test_name_language_and_theme(as_member: Client, member: User) -> None:
    answer = as_member.post(
        "/account", {"display_name": " Jonas W ", "language": "fr", "theme": "dark"}, follow=True
    )
    member.refresh_from_db()
    assert (member.name, member.language, member.theme) == ("Jonas W", "fr", "dark")
    page = answer.content.decode()
    assert 'data-theme="dark"' in page
    assert "Mon compte" in page
    assert "Enregistré." in page


def test_the_system_theme_forgets_this_browsers_choice(as_member: Client) -> None:
    as_member.post("/theme", {"theme": "dark"})
    as_member.post("/account", {"display_name": "", "language": "", "theme": ""})
    assert "data-theme=" not in as_member.get("/account").content.decode().split("<head>")[0]


def test_values_out_of_range_are_refused_at_their_field(as_member: Client) -> None:
    answer = as_member.post("/account", {"display_name": "x" * 81, "language": "xx"})
    assert answer.status_code == 422
    assert set(answer.context["profile"].errors) == {"display_name", "language"}


def test_a_new_password_ends_the_other_sessions_and_not_this_one(
    as_member: Client, member: User
) -> None:
    other = Client()
    other.force_login(member)
    answer = as_member.post("/account/password", {"current": GOOD, "new": "another horse 43"})
    assert answer.status_code == 302
    assert as_member.get("/account").status_code == 200
    assert other.get("/account").status_code == 302
    member.refresh_from_db()
    assert member.check_password("another horse 43")


def test_a_wrong_or_weak_password_changes_nothing(as_member: Client, member: User) -> None:
    for data, field in [
        ({"current": "wrong", "new": "another horse 43"}, "current"),
        ({"current": GOOD, "new": "short"}, "new"),
    ]:
        answer = as_member.post("/account/password", data)
        assert answer.status_code == 422
        assert set(answer.context["password"].errors) == {field}
        assert data["new"] not in answer.content.decode().split("<main")[1].replace("too short", "")
    member.refresh_from_db()
    assert member.check_password(GOOD)


def test_signing_out_everywhere_else(as_member: Client, member: User) -> None:
    other = Client()
    other.force_login(member)
    as_member.post("/account/end-sessions")
    assert as_member.get("/account").status_code == 200
    assert other.get("/account").status_code == 302


def test_a_mail_address_for_git_is_kept_and_a_wrong_one_refused(
    as_member: Client, member: User
) -> None:
    fields = {"display_name": "Jo", "language": "en", "theme": ""}
    as_member.post("/account", {**fields, "email": " jo@example.org "})
    member.refresh_from_db()
    assert member.email == "jo@example.org"
    answer = as_member.post("/account", {**fields, "email": "no address"})
    assert answer.status_code == 422
    assert set(answer.context["profile"].errors) == {"email"}
    as_member.post("/account", {**fields, "email": ""})
    member.refresh_from_db()
    assert member.email == ""
