"""The rules pages: who sees what, what a change does, hostile texts stay texts."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from agents.domain.rules.files import WORKSPACE_FILE
from agents.models import AuditEntry, Rule, TrustedFile
from agents.services.permissions.cases import save_cases
from maia_web.accounts.models import User
from tests.cast import Cast, make_cast
from tests.support.response import Response
from tests.support.rules import rules_in_force
from workspaces.files.local import LocalFiles
from workspaces.models import Workspace

HOSTILE = "Bash(echo \"<script>alert(1)</script>\" '{{ 7|add:7 }}' \u202e *)"


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def client(user: User) -> Client:
    signed_in = Client()
    signed_in.force_login(user)
    return signed_in


def page(user: User, path: str, **query: str) -> str:
    answer = client(user).get(path, query)
    assert answer.status_code == 200
    return answer.content.decode()


def add(
    user: User, key: str, text: str, family: str = "allow", home: str = "site", **more: str
) -> Response:
    data = {"text": text, "family": family, "home": home, **more}
    return client(user).post(f"/rules/{key}/add", data)


def warning(path: str, entry: str) -> str:
    """A broken file and its entry, as both pages show them."""
    return f'<code class="rule-text">{path}</code> · <code class="rule-text">{entry}</code><br>'


def test_an_administrator_adds_changes_switches_and_deletes_a_rule(cast: Cast) -> None:
    admin = cast.administrator
    assert add(admin, "site", "Bash(ls *)\nBash(pwd)").status_code == 302
    rule = Rule.objects.get(text="Bash(ls *)")
    assert f'href="/admin/rules?edit={rule.pk}"' in page(admin, "/admin/rules")
    dialog = page(admin, "/admin/rules", edit=str(rule.pk))
    assert "data-open open" in dialog
    assert "\nBash(ls *)</textarea>" in dialog
    http = client(admin)
    http.post(f"/rules/site/{rule.pk}", {"text": "Bash(ls -l *)", "family": "ask"})
    http.post(f"/rules/site/{rule.pk}/switch", {"enabled": "0"})
    rule.refresh_from_db()
    assert (rule.text, rule.family, rule.enabled) == ("Bash(ls -l *)", "ask", False)
    http.post(f"/rules/site/{rule.pk}/delete")
    assert not Rule.objects.filter(pk=rule.pk).exists()
    assert add(admin, "site", "Mcp(x)", "deny", "agent:maia").status_code == 302
    assert Rule.objects.get(text="Mcp(x)").scope == "agent"


@pytest.mark.parametrize("who", ["alice", "bob", "vera", "charlie", "administrator"])
def test_owners_change_the_rules_of_a_workspace_and_members_read_them(cast: Cast, who: str) -> None:
    user, key = getattr(cast, who), cast.atelier.id
    rule = Rule.objects.create(
        scope="workspace", workspace_id=key, family="ask", text="Bash(deploy *)"
    )
    http = client(user)
    seen = http.get(f"/w/{key}/rules")
    changes = [
        ("add", {"text": "Read", "family": "allow", "home": "workspace"}),
        (f"{rule.pk}", {"text": "Read", "family": "allow"}),
        (f"{rule.pk}/switch", {"enabled": "0"}),
        ("import", {"json": '{"allow": ["Write"]}', "home": "workspace"}),
        (f"{rule.pk}/delete", {}),
    ]
    answers = [http.post(f"/rules/{key}/{path}", data).status_code for path, data in changes]
    hours = http.post(f"/w/{key}/rules/requests", {"hours": "2", "editors_answer": "on"})
    inside = who in ("alice", "bob", "vera")
    assert seen.status_code == (200 if inside else 404)
    if who == "alice":
        assert answers == [302] * 5
        assert not Rule.objects.filter(pk=rule.pk).exists()
        assert set(Rule.objects.filter(workspace=key).values_list("text", flat=True)) == {
            "Read",
            "Write",
        }
        settings = Workspace.objects.get(pk=key)
        assert (settings.editors_answer, settings.request_hours) == (True, 2)
        return
    assert answers == [403 if inside else 404] * 5
    assert hours.status_code == (403 if inside else 404)
    assert list(Rule.objects.filter(workspace=key)) == [rule]
    if inside:
        assert "Bash(deploy *)" in seen.content.decode()
        assert "New rule" not in seen.content.decode()


def test_the_own_page_shows_and_changes_nobody_elses(cast: Cast) -> None:
    add(cast.bob, "own", "Bash(bobs *)", home="person")
    rule = Rule.objects.get(text="Bash(bobs *)")
    assert "Bash(bobs *)" in page(cast.bob, "/account/rules")
    for other in (cast.alice, cast.administrator):
        assert "Bash(bobs *)" not in page(other, "/account/rules")
        assert client(other).post(f"/rules/own/{rule.pk}/delete").status_code == 404
    assert "Bash(bobs *)" not in page(cast.administrator, "/admin/rules")


def test_a_rule_of_another_page_cannot_be_changed_through_this_one(cast: Cast) -> None:
    site = Rule.objects.create(scope="site", family="deny", text="Bash(rm *)")
    assert client(cast.bob).post(f"/rules/own/{site.pk}/delete").status_code == 403
    assert add(cast.bob, "own", "Bash", home="site").status_code == 403
    assert add(cast.alice, cast.atelier.id, "Bash", home="agent:maia").status_code == 403
    assert Rule.objects.filter(pk=site.pk).exists()


@pytest.mark.parametrize("text", ["Bash(", "", "Bash()", "<b>"])
def test_a_text_that_is_no_rule_comes_back_with_the_reason(cast: Cast, text: str) -> None:
    answer = add(cast.administrator, "site", text, "deny")
    body = answer.content.decode()
    assert answer.status_code == 422
    assert 'role="alert"' in body
    assert 'value="deny" checked' in body
    assert "<b>" not in body.split("</head>")[1].split("edit-rule")[-1].split("textarea")[1]


def test_hostile_rules_and_calls_stay_texts(cast: Cast) -> None:
    admin = cast.administrator
    assert add(admin, "site", HOSTILE, "deny").status_code == 302
    call = "echo \"<script>alert(1)</script>\" '{{ 7|add:7 }}' \u202e $(id)"
    tried = client(admin).post(
        "/admin/rules",
        {"do": "try", "call": call, "tool_name": "Bash", "agent": "maia",
         "workspace": cast.atelier.id, "person": str(cast.bob.pk)},
    )  # fmt: skip
    for body in (
        page(admin, "/admin/rules"),
        page(admin, "/admin/audit"),
        page(admin, "/admin/rules", q='"><script>', tool="<script>", scope="'"),
        page(admin, "/admin/rules", new="1", text=HOSTILE),
        tried.content.decode(),
    ):
        assert "<script>alert" not in body
        assert not re.search(r"<script(?![^>]*(src=|type=\"importmap))", body)
        assert "14" not in re.findall(r"&#x27;(.*?)&#x27;", body)
    assert "&lt;script&gt;" in tried.content.decode()


def test_the_tester_says_verdict_parts_and_deciding_rule(cast: Cast) -> None:
    Rule.objects.create(scope="site", family="allow", text="Bash(git *)")
    Rule.objects.create(
        scope="workspace", workspace_id=cast.atelier.id, family="ask", text="Bash(git push *)"
    )
    data = {"do": "try", "call": "git add -A && git push", "tool_name": "Bash",
            "workspace": cast.atelier.id}  # fmt: skip
    body = client(cast.bob).post(f"/w/{cast.atelier.id}/rules", data).content.decode()
    assert '<span class="big">ASK</span>' in body
    assert '<span class="hit ask"' in body
    assert body.index("Bash(git push *)</code>") < body.rindex("Bash(git *)</code>")
    somebody = {**data, "person": str(cast.alice.pk)}
    refused = client(cast.bob).post("/account/rules", somebody).content.decode()
    assert "Only administrators may try calls as somebody else." in refused
    elsewhere = {**data, "person": str(cast.charlie.pk)}
    missing = client(cast.administrator).post("/admin/rules", elsewhere).content.decode()
    assert "There is no such workspace." in missing


def test_lists_narrow_by_scope_tool_and_words(cast: Cast) -> None:
    for text in ("Bash(ls *)", "Read(src/**)"):
        Rule.objects.create(scope="site", family="allow", text=text)
    add(cast.alice, cast.atelier.id, "Bash(make *)", home="workspace")
    path = f"/w/{cast.atelier.id}/rules"

    def listed(**query: str) -> set[str]:
        body = page(cast.alice, path, **query)
        return {text for text in ("Bash(ls *)", "Read(src/**)", "Bash(make *)")
                if f'"rule"><code class="rule-text">{text}</code>' in body}  # fmt: skip

    assert listed() == {"Bash(ls *)", "Read(src/**)", "Bash(make *)"}
    assert listed(scope="workspace") == {"Bash(make *)"}
    assert listed(tool="Read") == {"Read(src/**)"}
    assert listed(q="LS") == {"Bash(ls *)"}
    assert listed(q="alice make") == {"Bash(make *)"}
    assert listed(q="zzz") == set()


def test_a_file_is_trusted_as_it_was_shown_and_not_otherwise(cast: Cast) -> None:
    text = json.dumps({"permissions": {"allow": ["Bash(make *)"], "ask": ["Bash("]}})
    LocalFiles(cast.access(cast.alice).place).write(WORKSPACE_FILE, text)
    digest = hashlib.sha256(text.encode()).hexdigest()
    path = f"/w/{cast.atelier.id}/rules"
    body = page(cast.bob, path)
    assert f'name="sha256" value="{digest}"' in body
    assert "not trusted" in body
    assert warning(".maia/settings.json", "Bash(") in body
    settings = page(cast.bob, f"/w/{cast.atelier.id}/settings")
    assert warning(".maia/settings.json", "Bash(") in settings
    assert "Trust this rule" not in page(cast.vera, path)

    LocalFiles(cast.access(cast.alice).place).write(WORKSPACE_FILE, text.replace("make", "rm"))
    client(cast.bob).post(f"{path}/trust", {"sha256": digest})
    assert not TrustedFile.objects.exists()

    changed = page(cast.bob, path)
    assert "Bash(rm *)" in changed
    found = re.search(r'name="sha256" value="(\w+)"', changed)
    assert found
    client(cast.bob).post(f"{path}/trust", {"sha256": found[1]})
    assert TrustedFile.objects.get().user_id == cast.bob.pk
    assert "You trust this content." in page(cast.bob, path)
    client(cast.bob).post(f"{path}/trust", {"sha256": ""})
    assert not TrustedFile.objects.exists()
    for stranger in (cast.charlie, cast.administrator):
        assert client(stranger).post(f"{path}/trust", {"sha256": found[1]}).status_code == 404


def test_cases_that_come_out_otherwise_are_shown_before_anything_is_saved(cast: Cast) -> None:
    admin = cast.administrator
    case = {"id": "<push>", "tool": "Bash", "input": {"command": "git push"}, "expect": "ask"}
    save_cases(admin.pk, json.dumps(case))

    answer = add(admin, "site", "Bash(git *)")

    body = answer.content.decode()
    assert answer.status_code == 409
    assert "&lt;push&gt;" in body
    assert 'name="confirmed" value="1"' in body
    assert "\nBash(git *)</textarea>" in body
    assert not Rule.objects.filter(text="Bash(git *)").exists()
    assert add(admin, "site", "Bash(git *)", confirmed="1").status_code == 302
    assert Rule.objects.filter(text="Bash(git *)").exists()
    shown = page(admin, "/admin/rules/cases")
    assert "One of 1 cases comes out otherwise." in shown
    bad = client(admin).post("/admin/rules/cases", {"cases": "{"})
    assert bad.status_code == 422
    assert "Line 1" in bad.content.decode()


def test_what_went_from_the_file_is_shown_until_somebody_has_looked(cast: Cast) -> None:
    place = cast.access(cast.alice).place
    lists = {"deny": ["Bash(rm *)", HOSTILE], "ask": ["WebFetch"]}
    LocalFiles(place).write(WORKSPACE_FILE, json.dumps({"permissions": lists}))
    rules_in_force(place, "maia")
    path = f"/w/{cast.atelier.id}/rules"
    assert "still in force" not in page(cast.bob, path)
    LocalFiles(place).write(WORKSPACE_FILE, "{}")

    for user, buttons in ((cast.alice, 2), (cast.bob, 1), (cast.vera, 0)):
        body = page(user, path)
        assert "3 rules went from the settings file" in body
        assert "Bash(rm *)" in body
        assert "<script>alert" not in body
        assert body.count('name="for"') == buttons
    shown = re.findall(r'name="rule" value="(\d+)"', page(cast.bob, path))
    client(cast.bob).post(f"{path}/looked", {"rule": [*shown, "x", "9" * 30], "for": "oneself"})
    assert "still in force" not in page(cast.bob, path)
    client(cast.alice).post(f"{path}/looked", {"rule": shown, "for": "oneself"})
    assert page(cast.alice, path).count("you have looked, others have not") == 3
    client(cast.alice).post(f"{path}/looked", {"rule": shown, "for": "all"})
    assert "still in force" not in page(cast.vera, path)


def test_rules_go_out_and_come_in_in_the_format_of_the_settings_file(cast: Cast) -> None:
    admin = cast.administrator
    add(admin, "site", "Bash(ls *)")
    sent = client(admin).get("/rules/site/export")
    assert sent["Content-Disposition"] == 'attachment; filename="settings.json"'
    assert "Bash(ls *)" in json.loads(sent.content)["permissions"]["allow"]
    assert AuditEntry.objects.filter(kind="export", outcome="rules").exists()

    file = SimpleUploadedFile("settings.json", b'{"permissions": {"deny": ["Bash(x *)", "Bash("]}}')
    http = client(admin)
    http.post("/rules/site/import", {"file": file, "home": "site"})
    assert Rule.objects.get(text="Bash(x *)").family == "deny"
    body = http.get("/admin/rules").content.decode()
    assert "1 rule is added." in body
    assert "Tool or Tool(pattern)" in body
    file = SimpleUploadedFile("settings.json", b'{"allow": [7]}')
    http.post("/rules/site/import", {"file": file, "home": "site"})
    assert "7: A rule must be text" in http.get("/admin/rules").content.decode()
    for content in (b"", b"{", b"\xff\xfe", b"[]"):
        file = SimpleUploadedFile("settings.json", content)
        client(admin).post("/rules/site/import", {"file": file, "home": "site"})
    assert Rule.objects.filter(scope="site", family="deny").count() == 1


def test_what_the_export_leaves_out_is_said(cast: Cast) -> None:
    admin = cast.administrator
    Rule.objects.create(scope="site", family="allow", text="Bash(ls *)")
    assert "leaves out" not in page(admin, "/admin/rules")
    Rule.objects.create(scope="site", family="allow", text="Bash(pwd)", enabled=False)
    Rule.objects.create(scope="person", user=admin, family="allow", text="Read", enabled=False)
    assert "leaves out 1 rule that is switched off" in page(admin, "/admin/rules")


def test_the_tester_reads_json_and_names_the_missing_field_and_built_in_rules(cast: Cast) -> None:
    def tried(tool: str, call: str) -> str:
        data = {"do": "try", "call": call, "tool_name": tool, "workspace": cast.atelier.id}
        return client(cast.alice).post("/account/rules", data).content.decode()

    Rule.objects.create(scope="site", family="allow", text="Bash(cat *)")
    assert '<span class="big">ALLOW</span>' in tried("Bash", '{"command": "cat x"}')
    assert "no text in the field “path”" in tried("Read", '{"file": "x"}')
    assert "no text in the field" not in tried("Read", "x")
    built_in = tried("Write", "~/.maia/settings.json")
    assert "built in · decides" in built_in
    assert "person · decides" not in built_in


def test_what_no_rule_can_do_is_marked_on_the_page(cast: Cast) -> None:
    Rule.objects.create(scope="site", family="deny", text="Bash(rm *)")
    Rule.objects.create(scope="site", family="allow", text="Bash(rm build)", enabled=False)
    Rule.objects.create(scope="site", family="allow", text="Bash((", hits=3)
    Rule.objects.create(scope="site", family="allow", text="Bash(ls", hits=3)
    body = page(cast.administrator, "/admin/rules")
    for mark in ("never matched", "shadowed", "no rule", ">switched off<"):
        assert mark in body


def test_a_rule_for_a_program_that_can_run_others_says_so(cast: Cast) -> None:
    Rule.objects.all().delete()
    for text, family in (
        ("Bash(make *)", "allow"),
        ("Bash(ls *)", "allow"),
        ("Bash(m4 *)", "deny"),
    ):
        Rule.objects.create(scope="site", family=family, text=text)
    admin = cast.administrator
    body = page(admin, "/admin/rules")
    assert body.count("can run other programs") == 1
    assert "make can run other programs: this allows whatever it can." in body
    call = {"do": "try", "tool_name": "Bash", "call": "ed x", "workspace": cast.atelier.id}
    tried = client(admin).post("/admin/rules", {**call, "person": str(cast.alice.pk)})
    assert "ed can run other programs: this allows whatever it can." in tried.content.decode()
    french = client(admin).get("/admin/rules", headers={"accept-language": "fr"}).content.decode()
    assert (
        "make peut lancer d’autres programmes\u202f: cela autorise tout ce qu’il peut faire."
        in (french)
    )


def test_matches_and_decisions_are_told_apart_and_order_the_list(cast: Cast) -> None:
    Rule.objects.all().delete()
    now = timezone.now()
    for text, hits, decided in (("Bash(b *)", 9, 1), ("Bash(a *)", 5, 4), ("Bash(c *)", 0, 0)):
        last = now - timedelta(hours=hits) if hits else None
        Rule.objects.create(
            scope="site", family="allow", text=text, hits=hits, decided=decided, last_match=last
        )

    def order(wanted: str) -> str:
        return "".join(re.findall(r"Bash\((\w) \*\)</code>\n", page(admin, path, order=wanted)))

    admin, path = cast.administrator, "/admin/rules"
    body = page(admin, path)
    assert "decided 1 time<" in body
    assert "matched 9 times<" in body
    assert "never matched" in body
    assert "it decides when it has the last word" in body
    wanted = {"": "abc", "text": "abc", "new": "cab", "used": "abc", "last": "abc", "idle": "cba"}
    assert {name: order(name) for name in wanted} == wanted
    assert order("nonsense") == "abc"


def test_a_rule_that_is_off_says_so_in_words(cast: Cast) -> None:
    rule = Rule.objects.create(scope="site", family="allow", text="Bash(x *)", enabled=False)
    body = page(cast.administrator, "/admin/rules", q="bash(x")
    assert "It does not count until it is switched on." in body
    assert 'role="switch" aria-checked="false" aria-label="Bash(x *) counts"' in body
    client(cast.administrator).post(f"/rules/site/{rule.pk}/switch", {"enabled": "1"})
    assert 'aria-checked="true"' in page(cast.administrator, "/admin/rules", q="bash(x")


@pytest.mark.parametrize("number", ["9" * 5000, "9" * 30, "-1", "²", "x", ""])
def test_any_number_in_a_form_or_an_address_is_answered(cast: Cast, number: str) -> None:
    http, key = client(cast.administrator), cast.atelier.id
    tried = {"tool": "Bash", "call": "ls", "person": number, "workspace": key}
    answers = [
        http.get("/admin/rules", {"edit": number}),
        http.get("/admin/audit", {"before": number}),
        http.post("/admin/audit/keep", {"days": number}),
        http.post("/admin/rules", tried),
        http.post("/rules/site/preview", {"rule": number, "family": "deny", "text": "Bash"}),
        client(cast.alice).post(f"/w/{key}/rules/looked", {"rule": number}),
        client(cast.alice).post(f"/w/{key}/rules/requests", {"hours": number}),
    ]
    assert {answer.status_code for answer in answers} <= {200, 302}
