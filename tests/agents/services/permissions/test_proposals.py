"""Proposals: another command, by somebody who may answer, for the starter of a turn to decide."""

from __future__ import annotations

import json

import pytest

from agents.models import AuditEntry, PermissionRequest, Rule
from agents.selectors.permissions.policies import request_state, requests_waiting_for
from agents.services.permissions.answers import Given, answer_permission
from agents.services.permissions.proposals import decline, propose
from agents.services.permissions.request_settings import change_request_settings
from maia_web.lib.errors import Conflict, InvalidInput, NotAllowed
from tests.agents.services.permissions.asked import ask, start_turn
from tests.cast import Cast

EDITED = {"command": "make test", "timeout": 5000}


@pytest.fixture
def request_id(cast: Cast, channel: str) -> str:
    """Bob's turn asks whether `make` may run."""
    return ask(cast, start_turn(cast.bob.pk, channel), "make", timeout=5000).id


def proposal(request: str) -> str:
    return PermissionRequest.objects.get(id=request).proposal


def test_it_stands_on_the_card_with_who_made_it_and_runs_once_the_starter_accepts(
    cast: Cast, request_id: str
) -> None:
    propose(cast.alice.pk, request_id, EDITED)

    (shown,) = requests_waiting_for(cast.bob.pk)
    assert shown.proposal is not None
    assert (shown.proposal.by.username, json.loads(shown.proposal.input)) == ("alice", EDITED)
    assert (shown.state, shown.answer) == ("pending", None)

    answer_permission(cast.bob.pk, request_id, Given("allow_once", proposal=shown.proposal.id))

    found = request_state(request_id)
    assert found is not None
    assert found.answer is not None
    assert found.answer.proposed_by is not None
    assert (found.answer.by.username, found.answer.proposed_by.username) == ("bob", "alice")
    assert json.loads(found.answer.input or "") == EDITED
    assert found.proposal is None
    lines = AuditEntry.objects.filter(kind__in=("proposal", "decision")).order_by("id")
    assert [(one.kind, one.outcome, one.user_id) for one in lines] == [
        ("proposal", "made", cast.alice.pk),
        ("decision", "allow_once", cast.bob.pk),
    ]
    assert lines[1].input == {
        "asked": {"command": "make", "timeout": 5000}, "edited": EDITED, "proposed by": "alice",
    }  # fmt: skip


def test_nobody_but_the_starter_accepts(cast: Cast, request_id: str) -> None:
    change_request_settings(cast.alice.pk, cast.atelier.id, editors_answer=True, hours=24)
    propose(cast.alice.pk, request_id, EDITED)
    given = Given("allow_once", proposal=proposal(request_id))
    for person in (cast.alice, cast.vera):
        with pytest.raises(NotAllowed):
            answer_permission(person.pk, request_id, given)
    assert PermissionRequest.objects.get(id=request_id).state == "pending"


def test_it_is_judged_when_it_is_made_and_anew_when_it_is_accepted(
    cast: Cast, request_id: str
) -> None:
    Rule.objects.create(scope="site", family="deny", text="Bash(rm *)")
    with pytest.raises(NotAllowed) as refused:
        propose(cast.alice.pk, request_id, {**EDITED, "command": "rm -r x"})
    assert refused.value.code == "denied-by-rule"
    propose(cast.alice.pk, request_id, EDITED)
    Rule.objects.create(scope="person", user=cast.bob, family="deny", text="Bash(make test)")
    given = Given("allow_once", proposal=proposal(request_id))
    with pytest.raises(NotAllowed) as refused:
        answer_permission(cast.bob.pk, request_id, given)
    assert refused.value.code == "denied-by-rule"


def test_an_answer_names_a_proposal_or_an_edited_call_never_both(
    cast: Cast, request_id: str
) -> None:
    propose(cast.alice.pk, request_id, EDITED)
    both = Given("allow_once", input={"command": "make all"}, proposal=proposal(request_id))
    with pytest.raises(InvalidInput):
        answer_permission(cast.bob.pk, request_id, both)
    assert PermissionRequest.objects.get(id=request_id).state == "pending"


def test_what_is_accepted_is_what_was_seen(cast: Cast, request_id: str) -> None:
    propose(cast.alice.pk, request_id, EDITED)
    seen = proposal(request_id)
    propose(cast.alice.pk, request_id, {**EDITED, "command": "make clean"})
    assert proposal(request_id) != seen
    for given in (Given("allow_once", proposal=seen), Given("allow_always", proposal=seen)):
        with pytest.raises(Conflict) as refused:
            answer_permission(cast.bob.pk, request_id, given)
        assert refused.value.code == "other-proposal"
    with pytest.raises(Conflict):
        decline(cast.bob.pk, request_id, seen)


def test_the_starter_declines_or_it_is_taken_back_and_the_request_waits_on(
    cast: Cast, request_id: str
) -> None:
    for who in (cast.bob, cast.alice):
        propose(cast.alice.pk, request_id, EDITED)
        made = proposal(request_id)
        decline(who.pk, request_id, made)
        assert proposal(request_id) == ""
        with pytest.raises(Conflict):
            decline(who.pk, request_id, made)
        with pytest.raises(Conflict):
            answer_permission(cast.bob.pk, request_id, Given("allow_once", proposal=made))
    (waits,) = requests_waiting_for(cast.bob.pk)
    assert waits.proposal is None
    answer_permission(cast.alice.pk, request_id, Given("allow_once"))
    found = request_state(request_id)
    assert found is not None
    assert found.answer is not None
    assert (found.answer.input, found.answer.proposed_by) == (None, None)


def test_the_request_as_it_was_asked_can_still_be_answered(cast: Cast, request_id: str) -> None:
    propose(cast.alice.pk, request_id, EDITED)
    answer_permission(cast.bob.pk, request_id, Given("allow_once"))
    row = PermissionRequest.objects.get(id=request_id)
    assert (row.state, row.edited) == ("answered", None)
    with pytest.raises(Conflict) as refused:
        propose(cast.alice.pk, request_id, EDITED)
    assert refused.value.code == "already-answered"


@pytest.mark.parametrize(
    "input",
    [
        {"command": "make", "timeout": 5000},
        {"command": " "},
        {"command": "x", "timeout": 1},
        {},
        {"command": "x" * 8_001, "timeout": 5000},
    ],
)
def test_only_another_command_can_be_proposed(
    cast: Cast, request_id: str, input: dict[str, object]
) -> None:
    with pytest.raises(InvalidInput):
        propose(cast.alice.pk, request_id, input)


def test_it_is_bound_to_the_request_that_was_shown(cast: Cast, request_id: str) -> None:
    with pytest.raises(Conflict):
        propose(cast.alice.pk, request_id, EDITED, digest="0" * 64)
