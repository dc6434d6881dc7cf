"""Answers that come by socket: from whom, to which call, and once."""

from __future__ import annotations

import pytest

from agents.models import PermissionRequest
from maia_web.lib.db import in_db
from tests.agents.consumers.conftest import Connect
from tests.agents.services.permissions.asked import ask, start_turn
from tests.cast import Cast

pytestmark = pytest.mark.django_db(transaction=True)
ANSWER = "permission:answer"


async def test_only_who_may_answers_only_what_was_shown_only_once(
    cast: Cast, channel: str, connect: Connect
) -> None:
    turn = await in_db(start_turn)(cast.bob.pk, channel)
    request = await in_db(ask)(cast, turn, "make")
    before = await in_db(ask)(cast, turn, "make clean")
    shown = {"id": request.id, "option": "allow_once", "digest": request.digest}

    for person, code in ((cast.vera, "not-allowed"), (cast.charlie, "not-found")):
        socket = await connect(person)
        assert (await socket.command(ANSWER, **shown))["code"] == code
    stranger = await connect(cast.administrator)
    missing = await stranger.command(ANSWER, **{**shown, "id": "nothing"})
    assert (await stranger.command(ANSWER, **shown))["message"] == missing["message"]

    bob, alice = await connect(cast.bob), await connect(cast.alice)
    swapped = await bob.command(ANSWER, **{**shown, "digest": before.digest})
    assert swapped["code"] == "other-call"
    other = await bob.command(ANSWER, **shown, input={"command": "make", "timeout": 9})
    assert other["code"] == "invalid"
    assert (await in_db(PermissionRequest.objects.get)(id=request.id)).state == "pending"

    assert (await bob.command(ANSWER, **shown))["type"] == "ack"
    again = await alice.command(ANSWER, **{**shown, "option": "deny"})
    assert (again["code"], again["data"]["answer"]["by"]["username"]) == ("already-answered", "bob")
    row = await in_db(PermissionRequest.objects.get)(id=request.id)
    assert (row.option, row.answered_by_id, row.edited) == ("allow_once", cast.bob.pk, None)
