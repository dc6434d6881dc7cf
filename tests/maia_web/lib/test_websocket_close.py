"""The codes with which sockets are closed: all valid, all told."""

from __future__ import annotations

import re

from django.conf import settings

from maia_web.lib.websocket_close import Close


def test_every_code_may_be_sent_and_is_listed() -> None:
    page = (settings.BASE_DIR / "docs" / "websocket.md").read_text()
    for code in Close:
        assert 4000 <= code <= 4999
        assert f"- `{int(code)}`: {code.why}" in page


def test_nothing_is_closed_with_another_code() -> None:
    """A number in the source would be one that the page does not list."""
    for folder in ("agents", "workspaces", "maia_web"):
        for file in (settings.BASE_DIR / folder).rglob("*.py"):
            closes = re.findall(r"\{[^{}]*websocket\.close[^}]*", file.read_text())
            assert not [one for one in closes if re.search(r"\d", one)], file
