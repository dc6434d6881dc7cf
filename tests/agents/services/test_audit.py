"""The audit log: nothing changes it, everything is in it, old lines go when they are told to."""

from __future__ import annotations

import csv
import io
import json
from datetime import datetime, timedelta
from importlib import import_module
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import DatabaseError, connection, transaction
from django.test import RequestFactory
from django.utils import timezone
from hypothesis import example, given
from hypothesis import strategies as st

from agents.models import AuditEntry
from agents.selectors.audit import AuditFilter, _cell, audit_csv, audit_jsonl, audit_page
from agents.services.audit import keep_audit_for, record, rotate_audit
from agents.services.channels.workspaces import delete_workspace
from maia_web.accounts.models import User
from maia_web.accounts.services import set_active, set_administrator, sign_in
from maia_web.lib.audit import came_from
from maia_web.lib.db import in_db
from maia_web.lib.errors import InvalidInput, NotAllowed
from tests.cast import PASSWORD, Cast
from workspaces.services import add_member, change_role, remove_member


def outcomes(kind: str) -> list[str]:
    lines = AuditEntry.objects.filter(kind=kind).order_by("id")
    return list(lines.values_list("outcome", flat=True))


@pytest.fixture
def guarded(db: None) -> None:
    """The audit log as it is outside of tests, until this test's transaction is rolled back."""
    if connection.vendor == "sqlite":
        guard = import_module("agents.migrations.0006_audit_refuses_deletion")
        name = "audit_keeps_young_lines"
        with connection.cursor() as cursor:
            cursor.execute(f"CREATE TRIGGER {name} {guard.SQLITE[name]}")


ATTEMPTS = [
    "UPDATE agents_auditentry SET outcome = 'deny'",
    "UPDATE agents_auditentry SET at = '2001-01-01'",
    "DELETE FROM agents_auditentry",
    "DELETE FROM agents_auditentry WHERE id = {id}",
]
ON_SQLITE = [
    "REPLACE INTO agents_auditentry SELECT * FROM agents_auditentry WHERE id = {id}",
    "INSERT OR REPLACE INTO agents_auditentry SELECT * FROM agents_auditentry",
    "INSERT INTO agents_auditentry SELECT * FROM agents_auditentry WHERE true "
    "ON CONFLICT (id) DO UPDATE SET outcome = 'deny'",
]
ON_POSTGRESQL = [
    "SET LOCAL maia.truncate_audit = off; TRUNCATE agents_auditentry",
    "SET LOCAL maia.truncate_audit = off; TRUNCATE agents_auditentry CASCADE",
    "INSERT INTO agents_auditentry SELECT * FROM agents_auditentry "
    "ON CONFLICT (id) DO UPDATE SET outcome = 'deny'",
]


@pytest.mark.usefixtures("guarded")
def test_the_database_itself_refuses_what_would_change_the_log(cast: Cast) -> None:
    record("decision", "rule", user=cast.alice.pk, tool="Bash")
    line = AuditEntry.objects.get(outcome="rule")
    more = ON_SQLITE if connection.vendor == "sqlite" else ON_POSTGRESQL
    for attempt in ATTEMPTS + more:
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            connection.cursor().execute(attempt.format(id=line.pk))
    with pytest.raises(DatabaseError), transaction.atomic():
        AuditEntry.objects.all()._raw_delete(connection.alias)
    assert AuditEntry.objects.get(pk=line.pk).outcome == "rule"


def test_no_line_can_be_changed_or_deleted(cast: Cast) -> None:
    record("decision", "rule", user=cast.alice.pk, tool="Bash")
    line = AuditEntry.objects.get(outcome="rule")
    line.outcome = "deny"
    for change in (
        line.save,
        line.delete,
        AuditEntry.objects.all().delete,
        lambda: AuditEntry.objects.update(outcome="x"),
        lambda: AuditEntry.objects.bulk_update([line], ["outcome"]),
    ):
        with pytest.raises(TypeError), transaction.atomic():
            change()
    assert AuditEntry.objects.get(pk=line.pk).outcome == "rule"


def test_a_line_outlives_the_workspace_and_keeps_its_name(cast: Cast, channel: str) -> None:
    record("decision", "rule", user=cast.alice.pk, workspace=cast.atelier.id, channel_id=channel)
    delete_workspace(cast.alice.pk, cast.atelier.id, "atelier")

    lines, _more = audit_page(cast.administrator.pk, AuditFilter(kind="decision"))

    assert (lines[0].workspace, lines[0].workspace_name) == (cast.atelier.id, "atelier")
    assert (lines[0].user, lines[0].channel) == ("alice", channel)


def test_sign_ins_and_changes_of_roles_are_kept(cast: Cast) -> None:
    request = RequestFactory().post("/sign-in")
    came_from.set("192.0.2.7")
    try:
        sign_in(request, "alice", PASSWORD, "192.0.2.7")
        for name in ("alice", "nobody, or a password by mistake"):
            with pytest.raises(InvalidInput):
                sign_in(request, name, "wrong", "192.0.2.7")
    finally:
        came_from.set("")
    assert outcomes("sign-in") == ["signed-in", "refused"]
    line = AuditEntry.objects.filter(kind="sign-in").latest("id")
    assert (line.who, line.address) == ("alice", "192.0.2.7")

    before = len(outcomes("role"))
    add_member(cast.alice.pk, cast.atelier.id, "charlie", "viewer")
    change_role(cast.alice.pk, cast.atelier.id, cast.charlie.pk, "editor")
    remove_member(cast.alice.pk, cast.atelier.id, cast.charlie.pk)
    set_administrator(cast.bob, True, by=cast.administrator.pk)
    set_active(cast.vera, False, by=cast.administrator.pk)
    assert outcomes("role")[before:] == ["joined", "changed", "left", "administrator", "disabled"]
    line = AuditEntry.objects.filter(outcome="changed").get()
    assert (line.who, line.place, line.input) == (
        "alice",
        "atelier",
        {"person": "charlie", "role": "editor"},
    )


@pytest.mark.usefixtures("guarded")
def test_old_lines_go_after_the_time_administrators_set(cast: Cast) -> None:
    now = timezone.now()
    for days in (10, 50, 90):
        _line_of(f"{days} days", now - timedelta(days=days))
    assert rotate_audit() == 0
    with pytest.raises(NotAllowed):
        keep_audit_for(cast.alice.pk, 60)
    for days in (0, 29, -1, 10**9):
        with pytest.raises(InvalidInput):
            keep_audit_for(cast.administrator.pk, days)
    keep_audit_for(cast.administrator.pk, 60)

    out = StringIO()
    call_command("rotate_audit", stdout=out)

    assert out.getvalue() == "1 lines dropped\n"
    assert set(outcomes("decision")) == {"10 days", "50 days"}
    assert outcomes("setting") == ["audit-days", "rotated"]
    call_command("rotate_audit", "--days", "40", stdout=out)
    assert outcomes("decision") == ["10 days"]
    with pytest.raises(CommandError):
        call_command("rotate_audit", "--days", "3")


def _line_of(outcome: str, at: datetime) -> None:
    """A line of another day: the guard refuses to age one that is there."""
    field = AuditEntry._meta.get_field("at")
    field.auto_now_add = False
    try:
        AuditEntry(kind="decision", outcome=outcome, at=at).save()
    finally:
        field.auto_now_add = True


def test_pages_follow_each_other_without_gap(cast: Cast) -> None:
    for number in range(7):
        record("decision", "rule", tool=f"t{number}")
    wanted, seen, before = AuditFilter(kind="decision"), [], None
    while True:
        lines, before = audit_page(cast.administrator.pk, wanted, before, limit=3)
        seen += [line.tool for line in lines]
        record("decision", "rule", tool="newer")
        if before is None:
            break
    assert seen == [f"t{number}" for number in reversed(range(7))]


def test_filters_narrow_what_is_listed(cast: Cast) -> None:
    record(
        "decision", "deny", user=cast.alice.pk, on_behalf_of_id=cast.bob.pk, agent="maia",
        workspace=cast.atelier.id, tool="Bash", verdict="ask",
    )  # fmt: skip
    record("decision", "rule", tool="Read", verdict="allow")

    def found(**wanted: str) -> int:
        return len(audit_page(cast.administrator.pk, AuditFilter(**wanted))[0])

    one = [
        {"who": "bob"}, {"who": "alice", "kind": "decision"},
        {"workspace": cast.atelier.id, "tool": "Bash"},
        {"workspace": "atelier", "verdict": "ask"}, {"agent": "maia"}, {"tool": "Read"},
        {"verdict": "allow"}, {"outcome": "deny"},
    ]  # fmt: skip
    assert [found(**wanted) for wanted in one] == [1] * len(one)
    assert found(kind="decision", since="2020-01-01") == 2
    assert found(kind="decision", until="2020-01-01T00:00:00Z") == 0
    user = User.objects.create(username="éloïse")
    record("decision", "allow", user=user.pk)
    assert [found(who=each) for each in ("éloïse", "ÉLOÏSE", "e\u0301loi\u0308se")] == [1] * 3
    assert found(who="'; DROP TABLE agents_auditentry; --") == 0
    for wanted in ({"since": "yesterday"}, {"until": "2020-99-01"}):
        with pytest.raises(InvalidInput):
            found(**wanted)
    for who in ("alice", "bob", "charlie"):
        with pytest.raises(NotAllowed):
            audit_page(getattr(cast, who).pk, AuditFilter())


@pytest.mark.django_db(transaction=True)
async def test_exports_hold_every_line_and_no_formula() -> None:
    hostile = '=HYPERLINK("http://evil")'
    await in_db(record)(
        "decision", "rule", tool="Bash", rule=hostile, input={"command": 'a,"b"\nc'}
    )
    await in_db(record)("decision", "deny", tool="Read")
    wanted = AuditFilter(kind="decision")

    text = "".join([part async for part in audit_csv(wanted)])
    assert text.startswith("\ufeffid,at,kind,")
    rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
    lines = [json.loads(part) async for part in audit_jsonl(wanted)]

    assert [row["tool"] for row in rows] == [line["tool"] for line in lines] == ["Read", "Bash"]
    assert rows[1]["rule"] == f"'{hostile}"
    assert lines[1]["rule"] == hostile
    assert json.loads(rows[1]["input"]) == lines[1]["input"] == {"command": 'a,"b"\nc'}


@given(st.text(max_size=20))
@example(" =1+1")
@example("＝1")
@example("\n=1")
def test_no_cell_of_the_csv_begins_as_a_formula(text: str) -> None:
    cell = _cell(text)

    assert cell in (text, f"'{text}")
    assert not cell.lstrip().startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠"))
