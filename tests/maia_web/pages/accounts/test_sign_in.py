"""The sign-in page, the language and the theme."""

import pytest
from django.test import Client

from maia_web.accounts import services
from maia_web.accounts.models import User
from tests.support.known import known
from tests.support.response import Response

GOOD = "correct horse 42"
pytestmark = pytest.mark.django_db


def sign_in(client: Client | None = None, **data: str) -> Response:
    return (client or Client()).post("/sign-in", {"username": "jonas", "password": GOOD, **data})


def test_the_session_lasts_only_when_wanted(member: User) -> None:
    client = Client()
    sign_in(client)
    assert client.session.get_expire_at_browser_close()
    client = Client()
    sign_in(client, stay="on")
    assert client.session.get_expiry_age() == 14 * 24 * 3600


def test_a_wrong_password_is_told_without_saying_which_part_is_wrong(member: User) -> None:
    answer = sign_in(password="wrong")
    assert answer.status_code == 422
    assert answer.content.decode().count("The username or the password is wrong.") == 1
    assert "wrong" not in answer.context["form"]["password"].as_widget()
    other = sign_in(username="nobody", password="wrong")
    assert other.status_code == 422
    assert "The username or the password is wrong." in other.content.decode()


def test_guessing_is_slowed_down(member: User) -> None:
    client = Client()
    for _time in range(5):
        assert sign_in(client, password="wrong").status_code == 422
    answer = sign_in(client)
    assert answer.status_code == 429
    assert "Try again in 1 min." in answer.content.decode()


@pytest.mark.parametrize(
    "elsewhere",
    [
        "https://evil.example/",
        "//evil.example/",
        "///evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "http:evil.example",
        "javascript:alert(1)",
        "http://testserver@evil.example/",
        "https://evil.example/?next=http://testserver/",
        "\x00//evil.example",
        " //evil.example",
        "data:text/html,x",
        "",
    ],
)
def test_nobody_is_sent_elsewhere(elsewhere: str, member: User) -> None:
    for where in ("post", "query"):
        client = Client()
        url = "/sign-in" if where == "post" else "/sign-in?" + _query(elsewhere)
        data = {"next": elsewhere} if where == "post" else {}
        answer = client.post(url, {"username": "jonas", "password": GOOD, **data})
        assert answer["Location"] == "/"
        assert client.get("/sign-in?" + _query(elsewhere))["Location"] == "/"
        assert client.post("/language", {"language": "fr", "next": elsewhere})["Location"] == "/"
        assert client.post("/theme", {"theme": "dark", "next": elsewhere})["Location"] == "/"


def _query(value: str) -> str:
    from django.utils.http import urlencode

    return urlencode({"next": value})


@pytest.mark.parametrize("here", ["/account", "/w/1/c/2?x=1#y", "http://testserver/account"])
def test_pages_of_this_site_are_fine(here: str, member: User) -> None:
    assert sign_in(next=here)["Location"] == here


def test_signing_in_makes_a_new_session_key(member: User) -> None:
    client = Client()
    client.post("/theme", {"theme": "dark"})
    session = client.session
    session["before"] = 1
    session.save()
    client.cookies["maia-session"] = known(session.session_key)
    before = session.session_key
    sign_in(client)
    assert client.session.session_key != before


def test_signing_out_ends_the_session(as_member: Client) -> None:
    assert as_member.get("/account").status_code == 200
    assert as_member.post("/sign-out")["Location"] == "/sign-in"
    assert as_member.get("/account").status_code == 302


def test_the_language_is_kept_for_this_browser_and_for_the_account(
    as_member: Client, member: User
) -> None:
    stranger = Client()
    assert 'lang="en"' in stranger.get("/sign-in").content.decode()
    stranger.post("/language", {"language": "fr"})
    page = stranger.get("/sign-in").content.decode()
    assert 'lang="fr"' in page
    assert "Bon retour" in page
    as_member.post("/language", {"language": "fr"})
    member.refresh_from_db()
    assert member.language == "fr"
    elsewhere = Client()
    elsewhere.force_login(member)
    answer = elsewhere.get("/account")
    assert 'lang="fr"' in answer.content.decode()
    assert answer["Content-Language"] == "fr"


def test_unknown_languages_and_themes_change_nothing(as_member: Client, member: User) -> None:
    as_member.post("/language", {"language": "xx"})
    as_member.post("/theme", {"theme": "pink"})
    member.refresh_from_db()
    assert (member.language, member.theme) == ("", "")


def test_the_browser_decides_while_nobody_chose() -> None:
    page = Client(headers={"accept-language": "fr-CA,fr;q=0.9,en;q=0.5"}).get("/sign-in")
    assert 'lang="fr"' in page.content.decode()


def test_the_theme_stands_in_the_page_before_the_first_paint(
    as_member: Client, member: User
) -> None:
    assert "data-theme=" not in _html(Client())
    stranger = Client()
    stranger.post("/theme", {"theme": "dark"})
    assert 'data-theme="dark"' in _html(stranger)
    stranger.post("/theme", {"theme": ""})
    assert "data-theme=" not in _html(stranger)
    as_member.post("/theme", {"theme": "light"})
    member.refresh_from_db()
    assert member.theme == "light"
    assert 'data-theme="light"' in as_member.get("/account").content.decode()


def _html(client: Client) -> str:
    return client.get("/sign-in").content.decode().split("<head>")[0]


def test_before_the_first_start_the_page_says_where_the_link_is() -> None:
    assert "Nobody has set up this server yet." in Client().get("/sign-in").content.decode()
    services.create_user("camille", GOOD, administrator=True)
    assert "Nobody has set up this server yet." not in Client().get("/sign-in").content.decode()
