"""The page of the application: what the server puts into it, and who gets it."""

import json
import re
from typing import Any

import pytest
from django.test import Client
from django.utils.translation import override
from pytest_django import Settings

from maia_web.accounts.models import User
from maia_web.pages import importmap
from tests.support.known import match
from tests.support.response import Response
from workspaces.services import add_member, personal_workspace


@pytest.fixture
def mine(member: User) -> str:
    return personal_workspace(member).id


def page_of(answer: Response) -> Any:
    found = match(r'(?s)<script id="maia-page"[^>]*>(.*?)</script>', answer.content.decode())
    return json.loads(found[1])


def test_strangers_are_sent_to_sign_in(db: None) -> None:
    for path in ("/", "/w/some", "/w/some/c/thing"):
        answer = Client().get(path)
        assert answer.status_code == 302
        assert answer["Location"].startswith("/sign-in?next=")


def test_a_workspace_of_others_is_the_same_404_as_none(as_administrator: Client, mine: str) -> None:
    foreign = as_administrator.get(f"/w/{mine}")
    missing = as_administrator.get("/w/nothing")
    assert foreign.status_code == missing.status_code == 404
    assert _without_tokens(foreign).replace(mine, "nothing") == _without_tokens(missing)


def _without_tokens(answer: Response) -> str:
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", answer.content.decode())


def test_the_page_tells_who_looks_and_where_they_may_go(
    as_member: Client, member: User, mine: str
) -> None:
    page = page_of(as_member.get("/"))
    assert page["user"] == {"id": member.pk, "username": "jonas", "name": "jonas"}
    assert page["workspace"] == mine
    assert [(w["id"], w["role"], w["personal"]) for w in page["workspaces"]] == [
        (mine, "owner", True)
    ]
    assert page["administrator"] is False
    assert [agent["name"] for agent in page["agents"]] == ["maia"]
    assert page["urls"]["account"] == "/account"


def test_the_address_chooses_the_workspace(
    as_member: Client, member: User, administrator: User
) -> None:
    shared = personal_workspace(administrator).id
    add_member(administrator.pk, shared, "jonas", "viewer")
    page = page_of(as_member.get(f"/w/{shared}/c/any"))
    assert page["workspace"] == shared
    assert {w["id"]: w["role"] for w in page["workspaces"]}[shared] == "viewer"


def test_names_cannot_leave_their_script(as_member: Client, member: User) -> None:
    member.display_name = "</script><img src=x>"
    member.save()
    answer = as_member.get("/")
    assert "<img src=x>" not in answer.content.decode()
    assert page_of(answer)["user"]["name"] == member.display_name


def test_the_import_map_carries_the_nonce_of_the_policy(as_member: Client, mine: str) -> None:
    answer = as_member.get("/")
    body = answer.content.decode()
    nonce = match(r"'nonce-([^']+)'", answer["Content-Security-Policy"])[1]
    assert f'<script type="importmap" nonce="{nonce}">' in body
    assert body.index('type="importmap"') < body.index('rel="modulepreload"')
    assert "no-store" in answer["Cache-Control"]
    assert not re.search(r"<[^>]+\s(?:style|on\w+)=", body)


def test_the_import_map_names_every_module(settings: Settings) -> None:
    imports = json.loads(importmap.import_map())["imports"]
    folder = settings.BASE_DIR / "static"
    modules = {
        f"maia/{path.relative_to(folder / 'maia').with_suffix('').as_posix()}"
        for path in (folder / "maia").rglob("*.js")
    }
    assert modules | set(importmap.VENDOR) == set(imports)
    for address in imports.values():
        assert (folder / address.removeprefix(settings.STATIC_URL)).is_file()


def test_modules_import_each_other_by_names_of_the_map(settings: Settings) -> None:
    imports = json.loads(importmap.import_map())["imports"]
    for path in (settings.BASE_DIR / "static" / "maia").rglob("*.js"):
        text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.S)
        names = re.findall(
            r"""^(?:import|export)\s(?:[^;'"=(]*\sfrom\s)?['"]([^'"]+)['"]""", text, re.M
        )
        names += re.findall(r"""\bimport\(\s*['"]([^'"]+)['"]""", text)
        assert [name for name in names if name not in imports] == [], path


def test_the_page_speaks_the_persons_language(as_member: Client, member: User) -> None:
    member.language = "fr"
    member.save()
    with override("fr"):
        answer = as_member.get("/", headers={"accept-language": "fr"})
    assert '<html lang="fr"' in answer.content.decode()
    assert page_of(answer)["language"] == "fr"
