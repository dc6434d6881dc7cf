"""The inbox shows what waits for this person, and only that."""

from __future__ import annotations

import json
import re

import pytest
from django.test import Client

from agents.services.channels.channels import create_channel
from agents.services.permissions.answers import Given, answer_permission
from maia_web.accounts.models import User
from tests.agents.services.permissions.asked import ask, start_turn
from tests.cast import make_cast


@pytest.mark.django_db
def test_each_sees_what_they_may_answer() -> None:
    cast = make_cast()
    channel = create_channel(cast.alice.pk, cast.atelier.id, "release", members=("maia",))
    request = ask(cast, start_turn(cast.bob.pk, channel), "echo '<b>&'")

    def body(user: User) -> str:
        client = Client()
        client.force_login(user)
        return client.get("/inbox").content.decode()

    for user, waits in (
        (cast.alice, True),
        (cast.bob, True),
        (cast.vera, False),
        (cast.charlie, False),
    ):
        assert ("echo &#x27;&lt;b&gt;&amp;&#x27;" in body(user)) is waits
        assert ("Nothing waits for you." in body(user)) is not waits
    found = re.search(r'<script id="maia-inbox-page"[^>]*>(.*?)</script>', body(cast.bob))
    assert found
    assert json.loads(found[1])["user"]["username"] == "bob"
    answer_permission(cast.bob.pk, request.id, Given("deny"))
    assert "Nothing waits for you." in body(cast.alice)
