"""Answers: who may give them, what they bind, what rules release."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone, translation
from django.utils.translation import gettext

from agents.domain.rules.request_words import in_words
from agents.models import AuditEntry, PermissionRequest, Rule, Turn
from agents.selectors.conversation.lists import channels_of
from agents.selectors.permissions.policies import request_state, requests_waiting_for
from agents.services.channels.channels import create_channel, open_direct
from agents.services.permissions.answers import Given, answer_permission, judge_edit
from agents.services.permissions.request_settings import change_request_settings
from agents.services.permissions.requests import expire_request
from maia_web.lib.errors import Conflict, InvalidInput, NotAllowed, NotFound
from tests.agents.services.permissions.asked import ask, start_turn
from tests.cast import Cast
from tests.support.known import known
from workspaces.files.local import LocalFiles
from workspaces.sandboxes.folders import folders_of


@pytest.fixture
def turn(cast: Cast, channel: str) -> str:
    """A turn that bob started in the channel."""
    return start_turn(cast.bob.pk, channel)


def row(request: str) -> PermissionRequest:
    return PermissionRequest.objects.get(id=request)


def decisions() -> list[tuple[str, str]]:
    lines = AuditEntry.objects.filter(kind="decision").order_by("id")
    return list(lines.values_list("outcome", "rule"))


@pytest.mark.parametrize(
    ("who", "refusal"),
    [("alice", None), ("bob", None), ("vera", NotAllowed), ("charlie", NotFound),
     ("administrator", NotFound)],
)  # fmt: skip
def test_the_starter_and_owners_answer_and_nobody_else(
    cast: Cast, turn: str, who: str, refusal: type[Exception] | None
) -> None:
    request = ask(cast, turn)
    person = getattr(cast, who).pk
    if refusal is None:
        judge_edit(person, request.id, {"command": "make all"})
        answer_permission(person, request.id, Given("allow_once"))
        assert row(request.id).answered_by_id == person
        return
    with pytest.raises(refusal):
        judge_edit(person, request.id, {"command": "make all"})
    with pytest.raises(refusal):
        answer_permission(person, request.id, Given("allow_once"))
    assert row(request.id).state == "pending"


def test_editors_answer_where_the_owners_say_so(cast: Cast, channel: str) -> None:
    request = ask(cast, start_turn(cast.alice.pk, channel))
    with pytest.raises(NotAllowed):
        answer_permission(cast.bob.pk, request.id, Given("deny"))
    assert requests_waiting_for(cast.bob.pk) == ()
    for person in (cast.bob, cast.vera):
        with pytest.raises(NotAllowed):
            change_request_settings(person.pk, cast.atelier.id, editors_answer=True, hours=24)

    change_request_settings(cast.alice.pk, cast.atelier.id, editors_answer=True, hours=24)

    assert [one.id for one in requests_waiting_for(cast.bob.pk)] == [request.id]
    with pytest.raises(NotAllowed):
        answer_permission(cast.vera.pk, request.id, Given("deny"))
    answer_permission(cast.bob.pk, request.id, Given("deny"))


def test_the_list_of_channels_says_how_many_wait_for_me(
    cast: Cast, channel: str, turn: str
) -> None:
    ask(cast, turn)

    def counts(person: Any) -> list[tuple[int, int]]:
        return [(one.waiting, one.for_me) for one in channels_of(person.pk)]

    assert counts(cast.alice) == [(1, 1)]
    assert counts(cast.bob) == [(1, 1)]
    assert counts(cast.vera) == [(1, 0)]
    assert counts(cast.charlie) == []


def test_the_request_says_why_and_by_whose_rule(cast: Cast, turn: str) -> None:
    Rule.objects.create(
        scope="workspace", workspace_id=cast.atelier.id, family="ask", text="Bash(git push *)",
        added_by=cast.alice,
    )  # fmt: skip
    asked = ask(cast, turn, "git add -A && git push -u origin main")
    nothing = ask(cast, turn, "npm publish")

    assert (asked.reason.rule, asked.reason.scope, asked.reason.by) == (
        "Bash(git push *)",
        "workspace",
        "Alice",
    )
    assert asked.reason.part == "git push -u origin main"
    assert asked.offers == ()  # an ask rule goes on asking
    assert "allow_always" not in {one.kind for one in asked.options}
    assert nothing.reason.sentence == "No rule covers npm publish"
    assert [one.rule for one in nothing.offers] == ["Bash(npm publish)"]
    assert nothing.offers[0].runs == ("npm",)
    assert (nothing.reason.code, nothing.reason.part) == ("no-rule", "npm publish")


def test_each_reader_is_told_why_in_their_own_language(cast: Cast, turn: str) -> None:
    with translation.override("fr"):  # the language of the person who asked
        request = ask(cast, turn, "git fetch")
    assert request.reason.sentence == "No rule covers git fetch"
    english, french = in_words(request, str), in_words(request, _in_french)
    assert english == request
    assert french.reason.sentence == "Aucune règle ne couvre git fetch"
    assert [one.covers for one in french.offers] == [
        "", "Toute commande qui commence par\u202f: git fetch",
    ]  # fmt: skip


def test_a_request_of_an_earlier_version_is_shown_as_it_was_written(cast: Cast, turn: str) -> None:
    request = ask(cast, turn, "npm publish")
    content = row(request.id).content
    content["reason"] = {"part": "npm publish", "sentence": "Aucune règle ne couvre npm publish"}
    content["offers"] = [{"rule": "Bash(npm *)", "also": [], "covers": "Toutes les commandes"}]
    del content["definition"]
    PermissionRequest.objects.filter(id=request.id).update(content=content)

    (old,) = requests_waiting_for(cast.bob.pk)

    assert (
        old.reason.sentence == in_words(old, str).reason.sentence == content["reason"]["sentence"]
    )
    assert in_words(old, str).offers[0].covers == "Toutes les commandes"
    answer_permission(cast.bob.pk, request.id, Given("allow_once"))


def test_a_request_names_every_link_of_the_call_not_only_of_the_part_that_decides(
    cast: Cast, turn: str
) -> None:
    files = LocalFiles(cast.access(cast.bob).place)
    files.write(".env", "token")
    folder = folders_of(cast.access(cast.bob).place).workspace
    (folder / "link").symlink_to(".env")

    both = ask(cast, turn, "make > link")
    assert (both.reason.part, both.reason.links) == ("make", ("link → .env",))
    Rule.objects.create(scope="site", family="allow", text="Bash(make)")
    alone = ask(cast, turn, "make  > link")
    assert (alone.reason.part, alone.reason.links) == ("link → .env", ())


def _in_french(text: str) -> str:
    with translation.override("fr"):
        return gettext(text)


def test_an_edited_command_is_judged_again_and_is_what_runs(cast: Cast, turn: str) -> None:
    Rule.objects.create(scope="site", family="deny", text="Bash(rm *)")
    request = ask(cast, turn, "make install", timeout=5000)

    verdict, _offers = judge_edit(cast.bob.pk, request.id, {"command": "rm -r x", "timeout": 5000})
    assert (verdict.family, verdict.rule) == ("deny", "Bash(rm *)")
    edited = {"command": "make && rm -r x", "timeout": 5000}
    with pytest.raises(NotAllowed) as refused:
        answer_permission(cast.bob.pk, request.id, Given("allow_once", input=edited))
    assert refused.value.code == "denied-by-rule"
    assert "Bash(rm *)" in refused.value.message
    assert row(request.id).state == "pending"

    edited = {"command": "make", "timeout": 5000}
    answer_permission(cast.bob.pk, request.id, Given("allow_once", input=edited))

    found = request_state(request.id)
    assert found is not None
    assert found.answer is not None
    assert found.answer.input == '{"command": "make", "timeout": 5000}'
    line = AuditEntry.objects.get(kind="decision")
    assert line.input == {"asked": {"command": "make install", "timeout": 5000}, "edited": edited}


@pytest.mark.parametrize(
    "edited",
    [
        {"command": "  "},
        {"command": 7},
        {},
        {"command": "make", "timeout": 9},
        {"command": "a\x00b"},
        {"command": "a\ud800"},
    ],
)
def test_only_the_text_of_a_command_can_be_edited(
    cast: Cast, turn: str, edited: dict[str, Any]
) -> None:
    request = ask(cast, turn)
    with pytest.raises(InvalidInput):
        answer_permission(cast.bob.pk, request.id, Given("allow_once", input=edited))
    assert row(request.id).state == "pending"


def test_what_a_deny_forbids_by_now_cannot_be_allowed(cast: Cast, turn: str) -> None:
    request = ask(cast, turn)
    Rule.objects.create(scope="site", family="deny", text="Bash(make *)")
    with pytest.raises(NotAllowed) as refused:
        answer_permission(cast.alice.pk, request.id, Given("allow_once"))
    assert refused.value.code == "denied-by-rule"
    answer_permission(cast.alice.pk, request.id, Given("deny"))


def test_an_answer_is_bound_to_what_was_shown(cast: Cast, turn: str) -> None:
    request = ask(cast, turn)
    other = ask(cast, turn, "make again")
    with pytest.raises(Conflict) as refused:
        answer_permission(cast.bob.pk, request.id, Given("allow_once", digest=other.digest))
    assert refused.value.code == "other-call"
    answer_permission(cast.bob.pk, request.id, Given("allow_once", digest=request.digest))


def test_always_writes_every_rule_of_an_offer_and_releases_what_waits(
    cast: Cast, channel: str, turn: str
) -> None:
    second = create_channel(cast.alice.pk, cast.atelier.id, "second", members=("maia",))
    mine = ask(cast, turn, "make && ls")
    same = ask(cast, start_turn(cast.bob.pk, second), "ls")
    hers = ask(
        cast, start_turn(cast.alice.pk, open_direct(cast.alice.pk, cast.atelier.id, "maia")), "ls"
    )
    answer_permission(cast.bob.pk, mine.id, Given("allow_always", rule="Bash(make *)\nBash(ls *)"))

    assert set(Rule.objects.filter(user=cast.bob.pk).values_list("text", flat=True)) == {
        "Bash(make *)",
        "Bash(ls *)",
    }
    released = row(same.id)
    assert (released.state, released.option, released.rule) == ("answered", "rule", "Bash(ls *)")
    assert released.answered_by_id == cast.bob.pk
    assert row(hers.id).state == "pending"
    assert decisions()[0] == ("allow_always", "Bash(make *)\nBash(ls *)")
    assert decisions()[1] == ("rule", "Bash(ls *)")


def test_a_rule_for_the_workspace_releases_everybody_in_it(
    cast: Cast, channel: str, turn: str
) -> None:
    direct = open_direct(cast.alice.pk, cast.atelier.id, "maia")
    hers = ask(cast, start_turn(cast.alice.pk, direct), "ls")
    request = ask(cast, turn, "ls -l")
    given = Given("allow_always", rule="Bash(ls *)", scope="workspace")
    with pytest.raises(NotAllowed):
        answer_permission(cast.bob.pk, request.id, given)
    assert row(request.id).state == "pending"

    answer_permission(cast.alice.pk, request.id, given)

    assert row(hers.id).option == "rule"


@pytest.mark.parametrize("rule", ["", "  \n ", "Bash(", "Bash()", "Bash(ls)\nnot a rule", "é(x)"])
def test_a_text_that_is_no_rule_is_refused_and_nothing_is_written(
    cast: Cast, turn: str, rule: str
) -> None:
    request = ask(cast, turn)
    with pytest.raises(InvalidInput) as refused:
        answer_permission(cast.bob.pk, request.id, Given("allow_always", rule=rule))
    assert refused.value.data["field"] == "rule"
    assert not Rule.objects.filter(user=cast.bob.pk).exists()
    assert row(request.id).state == "pending"


@pytest.mark.parametrize("rule", ["Bash(ls)", "Read", "Bash(make *)\nBash(ls)"])
def test_a_rule_that_does_not_cover_the_call_is_refused_and_the_request_stays_open(
    cast: Cast, turn: str, rule: str
) -> None:
    request = ask(cast, turn, "make && python3 hello.py")
    with pytest.raises(InvalidInput) as refused:
        answer_permission(cast.bob.pk, request.id, Given("allow_always", rule=rule))
    assert (refused.value.code, refused.value.data["field"]) == ("rule-beside-call", "rule")
    assert rule.replace("\n", "; ") in str(refused.value)
    assert "python3 hello.py" in str(refused.value) or "make" in str(refused.value)
    assert not Rule.objects.filter(user=cast.bob.pk).exists()
    assert row(request.id).state == "pending"


def test_a_rule_has_to_cover_the_command_as_it_was_edited(cast: Cast, turn: str) -> None:
    request = ask(cast, turn, "make")
    for_make = Given("allow_always", rule="Bash(make)", input={"command": "ls"})
    with pytest.raises(InvalidInput):
        answer_permission(cast.bob.pk, request.id, for_make)
    answer_permission(cast.bob.pk, request.id, replace(for_make, rule="Bash(ls)"))


def test_an_offered_rule_of_several_lines_is_one_rule(cast: Cast, turn: str) -> None:
    request = ask(cast, turn, "npm ci\nnpm test")
    rule = request.offers[0].rule
    assert "\n" in rule

    answer_permission(cast.bob.pk, request.id, Given("allow_always", rule=rule))

    assert Rule.objects.get(user=cast.bob.pk).text == rule


def test_a_request_expires_after_the_time_of_its_workspace(cast: Cast, channel: str) -> None:
    change_request_settings(cast.alice.pk, cast.atelier.id, editors_answer=False, hours=2)
    turn = start_turn(cast.bob.pk, channel)
    request = ask(cast, turn)
    left = known(row(request.id).expires_at) - timezone.now()
    assert timedelta(hours=1, minutes=59) < left <= timedelta(hours=2)
    for hours in (0, -1, 24 * 91):
        with pytest.raises(InvalidInput):
            change_request_settings(
                cast.alice.pk, cast.atelier.id, editors_answer=False, hours=hours
            )

    expire_request(request.id)

    assert Turn.objects.get(id=turn).rejections == 1
    assert decisions() == [("expired", "")]


def test_refusals_are_counted_on_the_next_request(cast: Cast, turn: str) -> None:
    for number in range(3):
        request = ask(cast, turn, f"make {number}")
        assert request.rejections == number
        answer_permission(cast.bob.pk, request.id, Given("deny", instruction=" no "))
    assert ask(cast, turn, "make more").rejections == 3


def test_rules_that_match_are_counted_whatever_was_decided(cast: Cast, turn: str) -> None:
    allow = Rule.objects.create(scope="site", family="allow", text="Bash(git *)")
    wanted = Rule.objects.create(scope="site", family="ask", text="Bash(git push *)")
    other = Rule.objects.create(scope="site", family="ask", text="Bash(npm *)")
    request = ask(cast, turn, "git push")
    ask(cast, turn, "git push")  # the same call again, after a restart

    for rule, hits in ((allow, 1), (wanted, 1), (other, 0)):
        rule.refresh_from_db()
        assert (rule.hits, rule.last_match is not None) == (hits, hits > 0)
    assert request.reason.rule == "Bash(git push *)"
