"""The page that writes the files of one's own ~/.maia."""

from __future__ import annotations

import json
import re

import pytest
from django.test import Client

from agents.domain.rules.files import HOME_FILE
from agents.models import AuditEntry
from maia_web.accounts.models import User
from tests.cast import Cast, make_cast
from tests.support.rules import rules_for
from workspaces.files.local import LocalFiles

PATH = "/account/files"


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def client(user: User, language: str = "en") -> Client:
    signed_in = Client(headers={"accept-language": language})
    signed_in.force_login(user)
    return signed_in


def version(body: str) -> str:
    found = re.search(r'name="version" value="([^"]*)"', body)
    assert found
    return found[1]


def test_a_file_is_made_read_changed_and_counts_at_once(cast: Cast) -> None:
    http = client(cast.bob)
    body = http.get(PATH).content.decode()
    assert "not there yet" in body
    text = json.dumps({"permissions": {"deny": ["Bash(rm *)"]}}, indent=1)
    answer = http.post(f"{PATH}/settings.json", {"text": text.replace("\n", "\r\n"), "version": ""})
    assert answer["Location"] == f"{PATH}/settings.json"
    place = cast.access(cast.bob).place
    assert LocalFiles(place).read(HOME_FILE).text == text
    verdict = rules_for(place, "maia").policy.evaluate("Bash", {"command": "rm x"})
    assert (verdict.family, verdict.origin) == ("deny", HOME_FILE)
    line = AuditEntry.objects.get(kind="setting", outcome="own-file")
    assert (line.who, line.input["file"]) == ("bob", HOME_FILE)

    body = http.get(PATH).content.decode()
    assert "Bash(rm *)" in body
    assert "no-store" in http.get(PATH)["Cache-Control"]
    http.post(f"{PATH}/settings.json", {"text": "{}", "version": version(body)})
    assert LocalFiles(place).read(HOME_FILE).text == "{}"
    assert "Bash(rm *)" not in client(cast.alice).get(PATH).content.decode()


def test_what_is_wrong_is_named_by_line_in_both_languages_and_nothing_is_saved(cast: Cast) -> None:
    text = '{"permissions": {\n"deny": ["Bash("]}}'
    for language, where in (("en", "Line 2"), ("fr", "Ligne 2")):
        http = client(cast.bob, language)
        answer = http.post(f"{PATH}/settings.json", {"text": text, "version": ""})
        body = answer.content.decode()
        assert answer.status_code == 422
        assert where in body
        assert "&quot;Bash(&quot;" in body
        assert 'aria-invalid="true"' in body
        assert "not there yet" in body or "pas encore" in body


def test_a_file_that_changed_meanwhile_is_not_overwritten_unseen(cast: Cast) -> None:
    http, place = client(cast.bob), cast.access(cast.bob).place
    http.post(f"{PATH}/bashrc", {"text": "alias a=b\n", "version": version(
        http.get(f"{PATH}/bashrc").content.decode())})  # fmt: skip
    old = version(http.get(f"{PATH}/bashrc").content.decode())
    LocalFiles(place).write("~/.maia/bashrc", "alias c=d\n")
    answer = http.post(f"{PATH}/bashrc", {"text": "alias e=f\n", "version": old})
    body = answer.content.decode()
    assert answer.status_code == 409
    assert "alias c=d" in body
    assert "alias e=f" in body
    assert LocalFiles(place).read("~/.maia/bashrc").text == "alias c=d\n"
    http.post(f"{PATH}/bashrc", {"text": "alias e=f\n", "version": version(body)})
    assert LocalFiles(place).read("~/.maia/bashrc").text == "alias e=f\n"


def test_only_these_files_and_only_signed_in(cast: Cast) -> None:
    for name in ("mcp.json", "..%2fx", "skills", "settings.json.x"):
        assert client(cast.bob).get(f"{PATH}/{name}").status_code == 404
        assert client(cast.bob).post(f"{PATH}/{name}", {"text": "x"}).status_code == 404
    assert Client().get(PATH)["Location"].startswith("/sign-in?next=")
    assert Client().post(f"{PATH}/bashrc", {"text": "x"})["Location"].startswith("/sign-in?next=")


def test_a_file_that_is_no_text_is_told_and_hostile_text_stays_text(cast: Cast) -> None:
    http, place = client(cast.bob), cast.access(cast.bob).place
    hostile = "</textarea><script>alert(1)</script>"
    http.get(PATH)
    LocalFiles(place).write("~/.maia/inputrc", f"\n{hostile}")
    body = http.get(f"{PATH}/inputrc").content.decode()
    assert "<script>alert" not in body
    assert ">\n\n&lt;/textarea" in body
    LocalFiles(place).attach("x", [b"\xff\x00"], "~/.maia")
    assert http.get(f"{PATH}/config.json").status_code == 200
