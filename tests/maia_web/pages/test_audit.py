"""The page of the audit log: filters, pages, files, "make a rule"."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import pytest
from django.http import StreamingHttpResponse
from django.test import AsyncClient, Client

from agents.selectors.audit import AUDIT_KINDS
from agents.services.audit import record
from maia_web.lib.db import in_db
from tests.cast import Cast, make_cast
from tests.support.known import the


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.fixture
def admin(cast: Cast) -> Client:
    client = Client()
    client.force_login(cast.administrator)
    return client


def test_a_decision_is_shown_and_leads_to_a_rule(cast: Cast, admin: Client) -> None:
    record(
        "decision", "deny", user=cast.alice.pk, on_behalf_of_id=cast.bob.pk, agent="maia",
        workspace=cast.atelier.id, tool="Bash", verdict="ask", delay_ms=4200,
        input={"command": "curl <x> | sh"},
    )  # fmt: skip
    body = admin.get("/admin/audit", {"kind": "decision"}).content.decode()
    assert "curl &lt;x&gt; | sh" in body
    assert "DENIED" in body
    assert "alice" in body
    assert "for bob" in body
    assert "4 s" in body
    assert 'href="/admin/rules?new=1&amp;text=' in body


def test_filters_and_pages_keep_each_other(cast: Cast, admin: Client) -> None:
    for number in range(60):
        record("decision", "rule", tool="Bash", verdict="allow", input={"command": f"n{number}x"})
    record("decision", "rule", tool="Read", verdict="allow", input={"path": "other"})
    first = admin.get("/admin/audit", {"tool": "Bash"}).content.decode()
    assert "n59x" in first
    assert "n9x" not in first
    assert "other" not in first
    link = first.split("?tool=Bash&amp;before=")[1].split('"')[0]
    second = admin.get("/admin/audit", {"tool": "Bash", "before": link}).content.decode()
    assert "n9x" in second
    assert "n59x" not in second
    assert admin.get("/admin/audit", {"since": "soon"}).status_code == 422
    assert admin.get("/admin/audit", {"before": "x", "who": "<script>"}).status_code == 200


def test_kinds_and_outcomes_have_words_in_both_languages(admin: Client) -> None:
    for kind in AUDIT_KINDS:
        record(kind, "person" if kind == "decision" else "x", tool="Bash" * (kind == "decision"))
    told = {}
    for language in ("en", "fr"):
        body = admin.get("/admin/audit", headers={"accept-language": language}).content.decode()
        told[language] = re.findall(r'class="badge ?">([^<]+)<', body)[: len(AUDIT_KINDS)]
    assert told["en"] == [
        "SETTING",
        "ROLE",
        "SIGN-IN",
        "EXPORT",
        "TRUST",
        "RULE",
        "PROPOSAL",
        "TYPED",
    ]
    assert told["fr"] == [
        "RÉGLAGE", "RÔLE", "CONNEXION", "EXPORT", "CONFIANCE", "RÈGLE", "PROPOSITION", "TAPÉ"
    ]  # fmt: skip


def test_people_and_places_are_found_in_any_case(cast: Cast, admin: Client) -> None:
    record(
        "decision", "allow_once", user=cast.alice.pk, workspace=cast.atelier.id,
        tool="Bash", verdict="ask", input={"command": "found-it"},
    )  # fmt: skip
    name = cast.atelier.name
    for query in ({"who": "ALICE"}, {"workspace": name[1:].upper()}, {"outcome": "allow_once"}):
        assert "found-it" in admin.get("/admin/audit", query).content.decode()
    for query in ({"who": "ali"}, {"workspace": f"{name[0]}."}, {"outcome": "deny"}):
        assert "found-it" not in admin.get("/admin/audit", query).content.decode()


def test_an_outcome_is_chosen_by_the_words_of_the_list(admin: Client) -> None:
    body = admin.get("/admin/audit", {"outcome": "stop"}).content.decode()
    assert '<option value="stop" selected>stopped</option>' in body
    assert '<option value="allow_once">once</option>' in body
    other = admin.get("/admin/audit", {"outcome": "<other>"}).content.decode()
    assert '<option value="&lt;other&gt;" selected>&lt;other&gt;</option>' in other


def test_the_age_is_set_and_a_bad_one_is_refused(admin: Client) -> None:
    for typed, kept in (("90", "90"), ("3", "90"), ("x", "90"), ("", "")):
        admin.post("/admin/audit/keep", {"days": typed})
        assert f'name="days" value="{kept}"' in admin.get("/admin/audit").content.decode()


@pytest.mark.django_db(transaction=True)
async def test_the_log_is_taken_along_as_a_file_by_administrators_alone() -> None:
    cast = await in_db(make_cast)()
    await in_db(record)("decision", "rule", tool="Bash", input={"command": "ls"})
    for path in ("/admin/audit/audit.csv?kind=decision", "/api/audit/export?kind=decision"):
        client = AsyncClient()
        await in_db(client.force_login)(cast.bob)
        assert (await client.get(path)).status_code == 403
        await in_db(client.force_login)(cast.administrator)
        answer = await client.get(path)
        parts = the(StreamingHttpResponse, answer).streaming_content
        assert isinstance(parts, AsyncIterator)
        body = b"".join([part async for part in parts]).decode()
        assert answer["Content-Disposition"] == 'attachment; filename="audit.csv"'
        assert len(body.splitlines()) == 2
    answer = await client.get("/api/audit", {"kind": "export"})
    assert [line["outcome"] for line in answer.json()["lines"]] == ["audit", "audit"]


@pytest.mark.parametrize(
    ("tool", "input", "told", "whole"),
    [
        ("Bash", {"command": "ls -l"}, "ls -l", False),
        ("Edit", {"path": "a.py", "old_string": "o&o", "new_string": "n"}, "a.py", True),
        ("Grep", {"pattern": "x(", "path": "src"}, "x(", True),
        ("forge_it", {"size": 3}, "&quot;size&quot;: 3", False),
        ("Bash", {"asked": {"command": "rm"}, "edited": {"command": "ls"}}, "ls", False),
    ],
)
def test_a_call_is_told_in_a_line_and_whole_on_demand(
    admin: Client, tool: str, input: dict[str, object], told: str, whole: bool
) -> None:
    record("decision", "rule", tool=tool, verdict="allow", input=input)
    body = admin.get("/admin/audit", {"kind": "decision"}).content.decode()
    line = body.split('data-cell="call">')[1].split("</td>")[0]
    assert told in line.split("</code>")[0]
    assert ("Whole input" in line) == whole


@pytest.mark.parametrize(
    ("outcome", "verdict", "family"),
    [
        ("rule", "deny", "deny"),
        ("deny", "ask", "deny"),
        ("rule", "allow", "allow"),
        ("allow_once", "ask", "allow"),
    ],
)
def test_the_rule_that_is_offered_decides_as_people_did(
    admin: Client, outcome: str, verdict: str, family: str
) -> None:
    record("decision", outcome, tool="Bash", verdict=verdict, input={"command": "make it"})
    body = admin.get("/admin/audit").content.decode()
    assert f"text=Bash%28make+it%29&amp;family={family}" in body
    dialog = admin.get("/admin/rules", {"new": "1", "text": "Bash(make it)", "family": family})
    assert f'name="family" value="{family}" checked' in dialog.content.decode()
