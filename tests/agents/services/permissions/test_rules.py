"""Kept rules: who may change them where, what a change does, what is recorded."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.rules.text import split_rules
from agents.models import AuditEntry, PermissionRequest, Rule
from agents.selectors.permissions.rules import agent_homes, exported, home_of, rule_for, rules_in
from agents.services.permissions.cases import kept_cases, run_kept_cases, save_cases
from agents.services.permissions.rules import add_rules, change_rule, delete_rule, import_rules
from maia_web.lib.errors import Conflict, InvalidInput, MaiaError, NotAllowed, NotFound
from tests.agents.services.permissions.asked import ask, start_turn
from tests.cast import Cast

PEOPLE = ("alice", "bob", "vera", "charlie", "administrator")
MAY_WRITE = {
    "site": {"administrator"},
    "agent": {"administrator"},
    "workspace": {"alice"},
    "person": set(PEOPLE),
}
MAY_READ = {**MAY_WRITE, "site": set(PEOPLE), "agent": set(PEOPLE)}
MAY_READ["workspace"] = {"alice", "bob", "vera"}


def add(cast: Cast, who: str, scope: str, family: str = "allow", text: str = "Bash(ls *)") -> int:
    person = getattr(cast, who).pk
    home = home_of(person, scope, cast.atelier.id, "maia")
    return add_rules(person, home, family, text)[0]


@pytest.mark.parametrize("scope", MAY_WRITE)
@pytest.mark.parametrize("who", PEOPLE)
def test_who_may_read_add_change_and_delete(cast: Cast, scope: str, who: str) -> None:
    person = getattr(cast, who).pk
    writer = who if scope == "person" else sorted(MAY_WRITE[scope])[0]
    if who not in MAY_READ[scope]:
        rule = add(cast, writer, scope)
        with pytest.raises(NotFound):
            home_of(person, scope, cast.atelier.id, "maia")
        for refused in (
            lambda: rule_for(person, rule),
            lambda: change_rule(person, rule, text="Bash"),
            lambda: delete_rule(person, rule),
        ):
            with pytest.raises(NotFound):
                refused()
        return
    home = home_of(person, scope, cast.atelier.id, "maia")
    if who in MAY_WRITE[scope]:
        rule = add(cast, who, scope)
        change_rule(person, rule, text="Bash(ls -l *)", family="ask", enabled=False)
        (kept,) = [one for one in rules_in(home) if one.id == rule]
        assert (kept.text, kept.family, kept.enabled) == ("Bash(ls -l *)", "ask", False)
        assert kept.added_by is not None
        assert kept.added_by.id == person
        delete_rule(person, rule)
        assert not Rule.objects.filter(pk=rule).exists()
        return
    rule = add(cast, writer, scope)
    assert rule in {one.id for one in rules_in(home)}
    forbidden: tuple[Callable[[], object], ...] = (
        lambda: add(cast, who, scope),
        lambda: change_rule(person, rule, enabled=False),
        lambda: delete_rule(person, rule),
        lambda: import_rules(person, home, {"allow": ["Bash"]}),
    )
    for one in forbidden:
        with pytest.raises(NotAllowed):
            one()
    assert Rule.objects.get(pk=rule).enabled


def test_the_rules_of_a_person_are_there_for_nobody_else(cast: Cast) -> None:
    rule = add(cast, "bob", "person")
    for who in ("alice", "administrator"):
        with pytest.raises(NotFound):
            rule_for(getattr(cast, who).pk, rule)


def test_every_change_is_recorded_with_who_and_what_was_before(cast: Cast) -> None:
    rule = add(cast, "administrator", "site")
    admin = cast.administrator.pk
    change_rule(admin, rule, enabled=False)
    change_rule(admin, rule, text="Bash(pwd)", enabled=True)
    change_rule(admin, rule, text="Bash(pwd)")  # nothing changes
    delete_rule(admin, rule)

    lines = AuditEntry.objects.filter(kind="rule").order_by("id")
    assert [(line.outcome, line.rule, line.who) for line in lines] == [
        ("added", "Bash(ls *)", "admin"),
        ("disabled", "Bash(ls *)", "admin"),
        ("changed", "Bash(pwd)", "admin"),
        ("deleted", "Bash(pwd)", "admin"),
    ]
    assert lines[2].input == {"before": {"text": "Bash(ls *)", "enabled": False}}


def test_the_same_rule_is_kept_once_and_switched_on_again(cast: Cast) -> None:
    rule = add(cast, "alice", "workspace")
    change_rule(cast.alice.pk, rule, enabled=False)

    assert add(cast, "alice", "workspace") == rule
    assert add(cast, "alice", "workspace") == rule
    assert Rule.objects.get(pk=rule).enabled
    assert Rule.objects.filter(workspace=cast.atelier.id).count() == 1


@pytest.mark.parametrize(
    "text",
    ["", " \n", "Bash(", "Bash()", "Bash\x07(ls)", "Read(*/../x)", "x" * 20_000, "Bash(ls)\nnope("],
)
def test_what_is_no_rule_is_refused_and_nothing_kept(cast: Cast, text: str) -> None:
    before = Rule.objects.count()
    with pytest.raises(InvalidInput):
        add(cast, "administrator", "site", text=text)
    assert Rule.objects.count() == before


def test_a_changed_rule_is_checked_as_a_new_one_by_every_door(cast: Cast) -> None:
    """Lines end as the browser sends them; two rules are not one about what is between them."""
    rule = add(cast, "alice", "workspace")
    change_rule(cast.alice.pk, rule, text="Bash(a\r\nb)\r\n")
    assert Rule.objects.get(pk=rule).text == "Bash(a\nb)"
    with pytest.raises(InvalidInput, match="more than one rule"):
        change_rule(cast.alice.pk, rule, text="Read(.env)\nRead(secrets/**)")
    assert Rule.objects.get(pk=rule).text == "Bash(a\nb)"


@given(st.lists(st.sampled_from(["Bash(ls *)", "Read(a)", "Bash(a\nb)", "TodoWrite"]), max_size=6))
def test_rules_written_one_a_line_are_the_same_rules(rules: list[str]) -> None:
    assert split_rules("\n\n".join(rules)) == rules


@pytest.mark.parametrize(
    "bad", ["Read()", "nope!", "Read(*/../x)", "Read([z-a])", "Bash(a) b c(d)", "Read(\x07)"]
)
def test_a_line_that_is_no_rule_does_not_swallow_the_next(bad: str) -> None:
    assert split_rules(f"{bad}\nBash(rm *)") == [bad, "Bash(rm *)"]


@given(st.text())
def test_splitting_any_text_loses_no_word(text: str) -> None:
    joined = "".join(split_rules(text)).replace("\r\n", "\n")
    assert "".join(joined.split()) == "".join(text.replace("\r\n", "\n").split())


def test_import_and_export_are_each_others_inverse(cast: Cast) -> None:
    home = home_of(cast.alice.pk, "workspace", cast.atelier.id)
    data = {
        "permissions": {"allow": ["Bash(ls *)", "Read"], "ask": ["Bash(git *)"], "deny": ["Write"]}
    }
    done = import_rules(cast.alice.pk, home, json.loads(json.dumps(data)))
    assert (done.added, done.known, done.problems) == (4, 0, ())
    assert exported(home) == data
    again = import_rules(cast.alice.pk, home, data["permissions"])
    assert (again.added, again.known) == (0, 4)


def test_an_import_takes_what_is_right_and_names_what_is_not(cast: Cast) -> None:
    home = home_of(cast.bob.pk, "person")
    data = {"permissions": {"allow": ["Bash(ls)", "Bash(", 7, None], "deny": "Bash", "ask": []}}

    done = import_rules(cast.bob.pk, home, data)

    assert done.added == 1
    assert len(done.problems) == 4
    assert "A closing parenthesis is missing" in " ".join(done.problems)


@pytest.mark.parametrize("data", [None, 7, [], "x", {}, {"permissions": []}, {"permissions": {}}])
def test_what_is_no_settings_file_is_refused(cast: Cast, data: object) -> None:
    with pytest.raises(InvalidInput):
        import_rules(cast.bob.pk, home_of(cast.bob.pk, "person"), data)


def test_what_no_rule_can_do_is_marked(cast: Cast) -> None:
    add(cast, "administrator", "site", "deny", "Bash(git push *)")
    shadowed = add(cast, "alice", "workspace", "allow", "Bash(git push origin *)")
    wider = add(cast, "alice", "workspace", "allow", "Bash(git *)")
    broken = Rule.objects.create(
        scope="workspace", workspace_id=cast.atelier.id, family="allow", text="Bash(("
    )
    Rule.objects.filter(pk=broken.pk).update(text="Bash(")
    home = home_of(cast.alice.pk, "workspace", cast.atelier.id)
    found = {one.id: one for one in rules_in(home)}

    assert found[shadowed].shadowed_by == "Bash(git push *)"
    assert found[wider].shadowed_by == ""
    assert (found[wider].hits, found[wider].last_match) == (0, None)
    assert found[broken.pk].problem == "A closing parenthesis is missing"


def test_a_new_rule_releases_requests_that_wait(cast: Cast, channel: str) -> None:
    Rule.objects.create(scope="site", family="ask", text="Bash(ls *)")
    request = ask(cast, start_turn(cast.bob.pk, channel), "ls -l")
    waiting = PermissionRequest.objects.get(id=request.id)
    add(cast, "administrator", "site", "allow", "Bash(ls *)")
    waiting.refresh_from_db()
    assert waiting.state == "pending"  # the ask rule still asks

    delete_rule(cast.administrator.pk, Rule.objects.get(family="ask").pk)

    waiting.refresh_from_db()
    assert (waiting.option, waiting.answered_by_id) == ("rule", cast.administrator.pk)


def test_each_agent_has_rules_of_its_own(cast: Cast) -> None:
    add(cast, "administrator", "agent", "deny", "Bash")
    (home,) = agent_homes(cast.bob.pk)
    assert [one.text for one in rules_in(home)] == ["Bash"]
    with pytest.raises(NotFound):
        home_of(cast.bob.pk, "agent", agent="nobody")
    with pytest.raises(InvalidInput):
        home_of(cast.bob.pk, "galaxy")


CASE = {"id": "push", "tool": "Bash", "input": {"command": "git push"}, "expect": "ask"}


def test_kept_cases_are_tried_before_a_site_rule_changes(cast: Cast) -> None:
    admin = cast.administrator.pk
    (result,) = save_cases(admin, json.dumps(CASE))
    assert not result.differs
    with pytest.raises(Conflict) as refused:
        add(cast, "administrator", "site", "allow", "Bash(git *)")
    assert refused.value.code == "cases-differ"
    assert [one["id"] for one in refused.value.data["cases"]] == ["push"]
    assert not Rule.objects.filter(text="Bash(git *)").exists()
    assert not AuditEntry.objects.filter(kind="rule").exists()

    home = home_of(admin, "site")
    (rule,) = add_rules(admin, home, "allow", "Bash(git *)", confirmed=True)

    assert run_kept_cases(admin)[0].differs
    add(cast, "administrator", "site", "allow", "Bash(pwd)")  # it differed before: no new harm
    change_rule(admin, rule, enabled=False)
    assert not run_kept_cases(admin)[0].differs
    with pytest.raises(Conflict):
        change_rule(admin, rule, enabled=True)
    add(cast, "alice", "workspace", "allow", "Bash(git *)")  # the cases are about the site


def test_only_administrators_keep_cases_and_only_cases(cast: Cast) -> None:
    for who in ("alice", "bob", "charlie"):
        with pytest.raises(NotAllowed):
            save_cases(getattr(cast, who).pk, "")
        with pytest.raises(NotAllowed):
            run_kept_cases(getattr(cast, who).pk)
    for text in ("{", "[]", '{"tool": "Bash"}', json.dumps(CASE) + "\nx"):
        with pytest.raises(InvalidInput) as refused:
            save_cases(cast.administrator.pk, text)
        assert refused.value.data["field"] == "cases"
    assert kept_cases() == ""


def test_a_refused_change_of_many_is_refused_whole(cast: Cast) -> None:
    with pytest.raises(MaiaError):
        add(cast, "administrator", "site", "allow", "Bash(pwd)\nBash(")
    assert not Rule.objects.filter(text="Bash(pwd)").exists()
