"""The interface's own pages: for people who are signed in, within the security policy."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from django.conf import settings
from django.test import Client

from tests.cast import Cast


class Elements(HTMLParser):
    """Every element of a page with its attributes, and the text of its scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.inline: list[tuple[str, dict[str, str], str]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        if self.found and self.found[-1][0] in ("script", "style") and data.strip():
            self.inline.append((*self.found[-1], data))


@pytest.mark.parametrize("path", ["/api/docs", "/api/openapi.json"])
def test_only_people_who_are_signed_in_reach_them(cast: Cast, path: str) -> None:
    client = Client()
    answer = client.get(path)
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith("/sign-in")
    client.force_login(cast.vera)
    assert client.get(path).status_code == 200


def test_the_description_names_every_operation(cast: Cast) -> None:
    client = Client()
    client.force_login(cast.vera)
    description = client.get("/api/openapi.json").json()
    operations = {
        (method, path): operation
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
    }
    assert ("post", "/api/channels/{channel}/messages") in operations
    for (method, path), operation in operations.items():
        assert operation["summary"], (method, path)
        assert operation["description"], (method, path)
        assert operation["security"], (method, path)


def test_the_page_breaks_no_rule_of_the_content_security_policy(cast: Cast) -> None:
    client = Client()
    client.force_login(cast.vera)
    answer = client.get("/api/docs")
    policy = answer.headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    nonces = set(re.findall(r"'nonce-([^']+)'", policy))
    page = Elements(answer.content.decode())

    for tag, attributes in page.found:
        assert not [name for name in attributes if name.startswith("on")], (tag, attributes)
        assert "style" not in attributes, (tag, attributes)
        for name in ("src", "href"):
            assert not re.match(r"(https?:)?//", attributes.get(name, "")), (tag, attributes)
    for tag, attributes, text in page.inline:
        is_data = tag == "script" and attributes.get("type") == "application/json"
        assert is_data or attributes.get("nonce") in nonces, (tag, attributes, text)


def test_what_the_page_loads_is_served_from_here(cast: Cast) -> None:
    client = Client()
    client.force_login(cast.vera)
    page = Elements(client.get("/api/docs").content.decode())
    loaded = [
        attributes.get("src") or attributes.get("href")
        for tag, attributes in page.found
        if tag in ("script", "link") and (attributes.get("src") or attributes.get("href"))
    ]
    assert loaded
    assert all((path or "").startswith(settings.STATIC_URL) for path in loaded)
