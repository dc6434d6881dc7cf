"""What a workspace's file forbade stays in force after it changed, until people have looked."""

from __future__ import annotations

import json

import pytest

from agents.domain.rules.files import WORKSPACE_FILE
from agents.library.rule_files import workspace_rules
from agents.models import AuditEntry, KnownRule, PermissionRequest
from agents.selectors.permissions.known_rules import known_rules
from agents.selectors.permissions.rules import home_of
from agents.services.permissions import known_rules as service
from agents.services.permissions.known_rules import look_at_gone
from agents.services.permissions.rules import add_rules
from maia_web.accounts.models import User
from maia_web.lib.errors import NotAllowed, NotFound
from tests.agents.services.permissions.asked import ask, start_turn
from tests.cast import Cast
from tests.support.rules import rules_for, rules_in_force
from workspaces.files.local import LocalFiles


def write(cast: Cast, **lists: object) -> None:
    text = json.dumps({"permissions": lists})
    LocalFiles(cast.access(cast.alice).place).write(WORKSPACE_FILE, text)


def decided(cast: Cast, user: User, command: str) -> tuple[str, str | None]:
    """What a turn of this person is told; this is when the rules are kept."""
    rules = rules_in_force(cast.access(user).place, "maia")
    verdict = rules.policy.evaluate("Bash", {"command": command})
    return verdict.family, verdict.scope


def gone(cast: Cast, user: User) -> list[str]:
    place = cast.access(user).place
    return [
        one.entry.text for one in known_rules(place.workspace).gone(workspace_rules(place), user.pk)
    ]


def ids(cast: Cast) -> list[int]:
    return list(KnownRule.objects.filter(workspace=cast.atelier.id).values_list("pk", flat=True))


def test_a_rule_that_went_counts_beside_the_new_ones_and_is_named_by_its_file(cast: Cast) -> None:
    write(cast, deny=["Bash(rm *)"], ask=["Bash(git push *)"], allow=["Bash(make *)"])
    assert decided(cast, cast.bob, "rm x") == ("deny", "workspace")
    write(cast, deny=["Bash(curl *)"])
    for person in (cast.bob, cast.alice):
        assert decided(cast, person, "rm x") == ("deny", "earlier")
        assert decided(cast, person, "git push x") == ("ask", "earlier")
        assert decided(cast, person, "curl x") == ("deny", "workspace")
    verdict = rules_for(cast.access(cast.bob).place, "maia").policy.evaluate(
        "Bash", {"command": "rm x"}
    )
    assert verdict.origin == WORKSPACE_FILE
    assert "as it was" in verdict.sentence()
    assert gone(cast, cast.bob) == ["Bash(rm *)", "Bash(git push *)"]


@pytest.mark.parametrize("content", ["", "{", "[]", '{"permissions": {"deny": {}}}', None])
def test_so_it_does_when_the_file_went_or_cannot_be_read(cast: Cast, content: str | None) -> None:
    write(cast, deny=["Bash(rm *)"])
    assert decided(cast, cast.bob, "rm x")[0] == "deny"
    files = LocalFiles(cast.access(cast.alice).place)
    if content is None:
        files.remove(WORKSPACE_FILE)
    else:
        files.write(WORKSPACE_FILE, content)
    assert decided(cast, cast.bob, "rm x") == ("deny", "earlier")


def test_who_has_looked_is_free_of_it_and_nobody_else(cast: Cast) -> None:
    write(cast, deny=["Bash(rm *)", "Bash(dd *)"])
    decided(cast, cast.bob, "x")
    write(cast, deny=["Bash(dd *)"])
    assert look_at_gone(cast.bob.pk, cast.atelier.id, ids(cast)) == 1
    assert decided(cast, cast.bob, "rm x")[0] == "ask"
    assert decided(cast, cast.bob, "dd x") == ("deny", "workspace")
    assert decided(cast, cast.alice, "rm x") == ("deny", "earlier")
    line = AuditEntry.objects.get(kind="trust", outcome="looked")
    assert (line.who, line.input) == ("bob", {"for": "oneself", "rules": ["deny Bash(rm *)"]})

    assert look_at_gone(cast.alice.pk, cast.atelier.id, ids(cast), for_all=True) == 1
    assert decided(cast, cast.alice, "rm x")[0] == "ask"
    assert look_at_gone(cast.alice.pk, cast.atelier.id, ids(cast), for_all=True) == 0


def test_only_what_was_shown_is_looked_at(cast: Cast) -> None:
    write(cast, deny=["Bash(rm *)", "Bash(dd *)"])
    decided(cast, cast.bob, "x")
    write(cast)
    first, _second = ids(cast)
    assert look_at_gone(cast.bob.pk, cast.atelier.id, [first, 10**9]) == 1
    assert decided(cast, cast.bob, "rm x")[0] == "ask"
    assert decided(cast, cast.bob, "dd x") == ("deny", "earlier")


def test_a_rule_that_came_back_and_went_again_must_be_looked_at_again(cast: Cast) -> None:
    for _time in range(2):
        write(cast, deny=["Bash(rm *)"])
        assert decided(cast, cast.bob, "rm x") == ("deny", "workspace")
        write(cast)
        assert decided(cast, cast.bob, "rm x") == ("deny", "earlier")
        assert look_at_gone(cast.bob.pk, cast.atelier.id, ids(cast)) == 1
        assert decided(cast, cast.bob, "rm x")[0] == "ask"
    assert KnownRule.objects.count() == 1


def test_looking_is_for_members_who_start_agents_and_for_all_for_owners(cast: Cast) -> None:
    write(cast, deny=["Bash(rm *)"])
    decided(cast, cast.bob, "x")
    write(cast)
    for user, for_all, error in (
        (cast.vera, False, NotAllowed),
        (cast.bob, True, NotAllowed),
        (cast.charlie, True, NotFound),
    ):
        with pytest.raises(error):
            look_at_gone(user.pk, cast.atelier.id, ids(cast), for_all=for_all)
    assert decided(cast, cast.bob, "rm x") == ("deny", "earlier")


def test_a_request_that_waits_is_released(cast: Cast, channel: str) -> None:
    add_rules(cast.bob.pk, home_of(cast.bob.pk, "person"), "allow", "Bash(make *)")
    write(cast, ask=["Bash(make *)"])
    decided(cast, cast.bob, "x")
    write(cast)
    request = ask(cast, start_turn(cast.bob.pk, channel))
    assert (request.reason.scope, request.reason.file) == ("earlier", WORKSPACE_FILE)
    look_at_gone(cast.bob.pk, cast.atelier.id, ids(cast))
    assert PermissionRequest.objects.get(id=request.id).option == "rule"


def test_what_cannot_be_examined_or_kept_as_it_is_stays_too(cast: Cast) -> None:
    wide = "Write(" + "{a/b,c/d,e/f,g/h}/" * 9 + ")"
    write(cast, deny=[wide, "Bash(\ud800)", "Bash(" + "x" * 9_000 + " *)"])
    decided(cast, cast.bob, "x")
    write(cast)
    rules = rules_in_force(cast.access(cast.bob).place, "maia")
    assert rules.policy.evaluate("Write", {"path": "a/1"}).code == "rule-unexamined"
    assert len(ids(cast)) == 3


def test_no_more_than_so_many_are_kept_of_a_workspace(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MOST", 3)
    write(cast, deny=["Bash(rm *)", "Bash(dd *)"])
    decided(cast, cast.bob, "x")
    write(cast, deny=[f"Bash(x{n})" for n in range(9)])
    decided(cast, cast.bob, "x")
    write(cast)
    assert len(ids(cast)) == 3
    assert decided(cast, cast.bob, "rm x") == ("deny", "earlier")


def test_allow_rules_are_not_kept_nor_rules_of_another_workspace(cast: Cast) -> None:
    write(cast, allow=["Bash(make *)"])
    decided(cast, cast.bob, "x")
    assert ids(cast) == []
    write(cast, deny=["Bash(rm *)"])
    decided(cast, cast.bob, "x")
    write(cast)
    with pytest.raises(NotFound):
        look_at_gone(cast.bob.pk, "nowhere", ids(cast))
