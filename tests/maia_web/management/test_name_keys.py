"""Names that become one by a release: nothing is lost, and from then on both databases agree."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.processes import ROOT
from tests.support.services import Postgres

pytestmark = [pytest.mark.services, pytest.mark.xdist_group("many")]

NAMES = ["Équipe", "équipe_2", "E\u0301quipe", "straße", "STRASSE", "x" * 64]
"""Two of one name in either database, one of them where its like is taken too."""
SCRIPT = """
import django; django.setup()
from django.db import connection
from django.utils import timezone
now = timezone.now().isoformat()
def add(table, **values):
    names = ", ".join(values)
    marks = ", ".join(["%s"] * len(values))
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(values.values()))
add("workspaces_workspace", id="w", number=1, name="w", network="none", editors_answer=False,
    request_hours=24, created_at=now)
for at, name in enumerate(NAMES):
    add("agents_channel", id=f"c{at}", workspace_id="w", name=name, description="", seq=0,
        last_position=0, last_activity=now, created_at=now)
with connection.cursor() as cursor:
    cursor.execute("SELECT id FROM agents_agent")
    agent = cursor.fetchone()[0]
for name in NAMES:
    add("agents_agentsession", channel_id="c0", agent_id=agent, name=name, current=False,
        pending_context="[]", start_context="", context_used=0, model="", cwd="", sub_agent="",
        parent_session="", created_at=now, updated_at=now, revision=0, length=0)
"""
AFTER = """
import django; django.setup()
from agents.models import AgentSession, Channel
from agents.services.channels.channels import create_channel
from agents.services.memory.named_sessions import load_session
from maia_web.accounts.models import User
from maia_web.lib.errors import Conflict
from workspaces.models import Membership
user = User.objects.create(username="alice")
Membership.objects.create(user=user, workspace_id="w", role="owner")
print(*Channel.objects.order_by("id").values_list("name", flat=True), sep="|")
print(*AgentSession.objects.order_by("id").values_list("name", flat=True), sep="|")
for name in ("ÉQUIPE", "e\\u0301quipe", "Straße_2"):
    try:
        create_channel(user.pk, "w", name)
    except Conflict:
        print("taken")
AgentSession.objects.update(start_context="kept")
from agents.models import Agent, ChannelAgent
ChannelAgent.objects.create(channel_id="c0", agent=Agent.objects.get())
for name in ("ÉQUIPE", "e\\u0301quipe_3", "STRASSE"):
    print(load_session(user.pk, "c0", name).session.name)
"""


def manage(env: dict[str, str], *arguments: str) -> str:
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, cwd=ROOT, env=env, check=True, capture_output=True, text=True, encoding="utf-8"
    )
    return done.stdout


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_names_that_became_one_get_a_number_and_stay_so(
    kind: str, data: Path, postgres: Postgres
) -> None:
    url = postgres.new_database() if kind == "postgresql" else ""
    settings = os.environ["DJANGO_SETTINGS_MODULE"]
    env = {**os.environ, "MAIA_DATA": str(data), "DATABASE_URL": url, "PYTHONUTF8": "1"}
    env["DJANGO_SETTINGS_MODULE"] = settings
    manage(env, "manage.py", "migrate", "-v0", "agents", "0019")
    manage(env, "-c", f"NAMES = {NAMES!r}\n{SCRIPT}")
    manage(env, "manage.py", "migrate", "-v0")
    channels, sessions, *after = manage(env, "-c", AFTER).splitlines()

    kept = ["Équipe", "équipe_2", "E\u0301quipe_3", "straße", "STRASSE_2", "x" * 64]
    assert channels.split("|") == kept
    assert sessions.split("|") == kept
    assert after == ["taken"] * 3 + ["Équipe", "E\u0301quipe_3", "straße"]
