"""What a rule would have made of the calls of the last days."""

from __future__ import annotations

from typing import Any

import pytest

from agents.models import Rule
from agents.selectors.permissions import preview as rule_preview
from agents.selectors.permissions.preview import RuleChange
from agents.selectors.permissions.rules import home_of
from agents.services.audit import record
from maia_web.lib.errors import NotAllowed
from tests.cast import Cast
from tests.support.rules import preview_change


def called(cast: Cast, command: str, *, who: str = "alice", times: int = 1, **more: Any) -> None:
    kept = {"command": command, **more}
    for _time in range(times):
        record(
            "decision", "rule", workspace=cast.atelier.id, agent="maia", tool="Bash", input=kept,
            on_behalf_of_id=getattr(cast, who).pk,
        )  # fmt: skip


def change(cast: Cast, scope: str, family: Any, *texts: str, replaces: int = 0) -> RuleChange:
    who = cast.administrator if scope in ("site", "agent") else cast.alice
    home = home_of(who.pk, scope, cast.atelier.id, "maia")
    return RuleChange(home, family, texts, replaces)


def test_it_tells_what_goes_where(cast: Cast) -> None:
    Rule.objects.create(scope="site", family="allow", text="Bash(ls *)")
    called(cast, "make test", times=3)
    called(cast, "make && ls")
    called(cast, "ls", times=2)
    called(cast, "curl x")

    allows = preview_change(change(cast, "site", "allow", "Bash(make *)"))
    asks = preview_change(change(cast, "site", "ask", "Bash(ls *)", "Bash(make *)"))
    denies = preview_change(change(cast, "site", "deny", "Bash(ls *)"))
    nothing = preview_change(change(cast, "site", "deny", "Bash(vi *)"))

    assert (allows.looked_at, allows.more, allows.moves) == (7, False, {("ask", "allow"): 4})
    assert asks.moves == {("allow", "ask"): 2}
    assert denies.moves == {("ask", "deny"): 1, ("allow", "deny"): 2}
    assert nothing.moves == {}


def test_a_changed_rule_is_taken_away_first(cast: Cast) -> None:
    rule = Rule.objects.create(scope="site", family="allow", text="Bash(ls *)")
    called(cast, "ls")
    called(cast, "make")

    found = preview_change(change(cast, "site", "allow", "Bash(make)", replaces=rule.pk))

    assert found.moves == {("allow", "ask"): 1, ("ask", "allow"): 1}


def test_each_scope_looks_at_its_own_calls(cast: Cast) -> None:
    called(cast, "make", who="alice")
    called(cast, "make", who="bob", times=2)
    record("decision", "rule", tool="Bash", input={"command": "make"}, agent="maia")

    seen = {
        scope: preview_change(change(cast, scope, "allow", "Bash(make)")).looked_at
        for scope in ("site", "agent", "workspace", "person")
    }

    assert seen == {"site": 3, "agent": 3, "workspace": 3, "person": 1}


def test_old_calls_count_no_more_and_the_newest_are_enough(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    called(cast, "make", times=4)
    monkeypatch.setattr(rule_preview, "MOST", 3)
    wanted = change(cast, "site", "allow", "Bash(make)")

    assert preview_change(wanted).moves == {("ask", "allow"): 3}
    assert preview_change(wanted).more
    monkeypatch.setattr(rule_preview, "DAYS", 0)
    assert preview_change(wanted).looked_at == 0


def test_an_edited_call_is_the_one_that_ran(cast: Cast) -> None:
    record(
        "decision", "allow_once", workspace=cast.atelier.id, agent="maia", tool="Bash",
        on_behalf_of_id=cast.bob.pk,
        input={"asked": {"command": "rm x"}, "edited": {"command": "ls x"}},
    )  # fmt: skip

    assert preview_change(change(cast, "site", "deny", "Bash(rm *)")).moves == {}
    assert preview_change(change(cast, "site", "deny", "Bash(ls *)")).moves == {("ask", "deny"): 1}


def test_a_deny_that_might_be_meant_is_seen(cast: Cast) -> None:
    Rule.objects.create(scope="site", family="allow", text="Bash(cat *)")
    called(cast, "cat $X/secret")

    found = preview_change(change(cast, "site", "deny", "Bash(cat /etc/secret)"))

    assert found.moves in ({}, {("allow", "ask"): 1})  # whatever the engine says, it is told
    assert found.looked_at == 1


def test_who_may_not_write_sees_nothing(cast: Cast) -> None:
    home = home_of(cast.bob.pk, "workspace", cast.atelier.id)
    with pytest.raises(NotAllowed):
        preview_change(RuleChange(home, "allow", ("Bash",)))
