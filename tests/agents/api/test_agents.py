"""Agents over REST: everybody reads them, administrators change title, description and toolset."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from agents.models import Agent, AuditEntry
from agents.services.channels.channels import create_channel
from agents.services.turns.hosts import claim_turn
from maia_web.accounts.models import User
from tests.cast import Cast
from tests.support.typed import post_message


def patch(person: User, body: dict[str, Any], name: str = "maia") -> Any:
    client = Client()
    client.force_login(person)
    return client.patch(f"/api/agents/{name}", body, content_type="application/json")


def test_an_administrator_gives_an_agent_the_compact_tools(cast: Cast) -> None:
    answer = patch(cast.administrator, {"toolset": "mm"})

    assert (answer.status_code, answer.json()["toolset"]) == (200, "mm")
    client = Client()
    client.force_login(cast.vera)
    assert {one["name"]: one["toolset"] for one in client.get("/api/agents").json()}["maia"] == "mm"
    channel = create_channel(cast.alice.pk, cast.atelier.id, "c", members=("maia",))
    post_message(cast.alice.pk, channel, "hi")
    turn = claim_turn(channel, "machine:1:a")
    assert turn is not None
    assert turn.toolset == "mm"
    line = AuditEntry.objects.get(kind="setting", outcome="agent")
    assert (line.who, line.input) == ("admin", {"agent": "maia", "toolset": "mm"})


def test_what_is_not_named_stays_as_it_is(cast: Cast) -> None:
    answer = patch(cast.administrator, {"description": " Helps. "})

    assert answer.json() == {
        "name": "maia",
        "title": "MAIA",
        "description": "Helps.",
        "kind": "maia",
        "toolset": "maia",
    }
    assert patch(cast.administrator, {}).status_code == 200
    assert AuditEntry.objects.filter(outcome="agent").count() == 1


def test_members_change_nothing_and_what_is_not_there_is_said(cast: Cast) -> None:
    assert patch(cast.alice, {"toolset": "mm"}).status_code == 403
    assert patch(cast.administrator, {"toolset": "mm"}, "nobody").status_code == 404
    assert Client().patch("/api/agents/maia").status_code in (401, 403)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"toolset": "all"}, "toolset"),
        ({"title": "x" * 121}, "title"),
        ({"description": "x" * 2_001}, "description"),
    ],
)
def test_a_value_out_of_range_names_its_field(cast: Cast, body: dict[str, str], field: str) -> None:
    answer = patch(cast.administrator, body)
    assert (answer.status_code, answer.json()["field"]) == (422, field)


def test_an_external_agent_keeps_its_own_tools(cast: Cast) -> None:
    Agent.objects.create(name="other", kind="acp")
    answer = patch(cast.administrator, {"toolset": "mm"}, "other")
    assert (answer.status_code, answer.json()["field"]) == (422, "toolset")
