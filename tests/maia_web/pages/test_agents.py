"""The page about agents: what it tells, what it changes, what it refuses."""

from __future__ import annotations

import pytest
from django.test import Client

from agents.delivery import hub
from agents.models import Agent, AuditEntry, ModelServer

pytestmark = pytest.mark.django_db


@pytest.fixture
def maia(db: None) -> Agent:
    ModelServer.objects.create(kind="openai", url="http://models.example", model="qwen3-coder")
    return Agent.objects.get_or_create(name="maia", defaults={"kind": "maia"})[0]


def test_it_tells_what_an_agent_is_its_model_and_its_tools(
    maia: Agent, as_administrator: Client
) -> None:
    page = as_administrator.get("/admin/agents").content.decode()

    assert ">maia <span" in page
    assert "built-in" in page
    assert "qwen3-coder" in page
    assert 'name="toolset" value="maia" checked' in page


def test_its_tools_and_words_are_changed(maia: Agent, as_administrator: Client) -> None:
    sent = {"toolset": "mm", "title": "  Helper ", "description": "Reads & writes"}
    answer = as_administrator.post("/admin/agents/maia", sent, follow=True)
    page = answer.content.decode()
    maia.refresh_from_db()

    assert (maia.toolset, maia.title, maia.description) == ("mm", "Helper", "Reads & writes")
    assert 'name="toolset" value="mm" checked' in page
    assert "Reads &amp; writes" in page
    assert AuditEntry.objects.filter(kind="setting", outcome="agent").count() == 1


@pytest.mark.parametrize(
    "sent",
    [{"toolset": "all"}, {"toolset": ""}, {"title": "x" * 121}, {"description": "x" * 2_001}],
)
def test_what_is_refused_is_told_and_stays_in_the_form(
    maia: Agent, as_administrator: Client, sent: dict[str, str]
) -> None:
    answer = as_administrator.post("/admin/agents/maia", {"title": "Helper", **sent})
    page = answer.content.decode()
    maia.refresh_from_db()

    assert answer.status_code == 422
    assert 'role="alert"' in page
    assert sent.get("title", "Helper") in page
    assert (maia.toolset, maia.title) == ("maia", "MAIA" if maia.title else "")


def test_an_external_agent_brings_its_own_tools(as_administrator: Client) -> None:
    Agent.objects.create(name="forge", kind="acp")

    page = as_administrator.get("/admin/agents").content.decode()
    answer = as_administrator.post("/admin/agents/forge", {"toolset": "mm"})

    assert "It runs as a program of its own" in page
    assert answer.status_code == 422


def test_administrators_are_told_on_their_pages_that_redis_is_away(
    maia: Agent, as_administrator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def told(path: str) -> bool:
        return "REDIS_URL" in as_administrator.get(path).content.decode()

    assert not told("/admin/agents")
    monkeypatch.setattr(hub, "is_redis_away", True)
    assert told("/admin/agents")
    assert not told("/account")
