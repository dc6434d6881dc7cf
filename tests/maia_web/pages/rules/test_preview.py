"""Before a rule is saved the dialog says what it would have done."""

from __future__ import annotations

from itertools import permutations
from typing import get_args

import pytest
from django.test import Client

from agents.domain.rules.text import Family
from agents.models import Rule
from agents.selectors.permissions.preview import Preview
from agents.services.audit import record
from maia_web.accounts.models import User
from maia_web.pages.rules.preview import told_preview
from tests.cast import Cast, make_cast

MOVES = list(permutations(get_args(Family), 2))


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def ask(user: User, key: str, sent: dict[str, str], *, part: bool = True) -> str:
    client = Client()
    client.force_login(user)
    answer = client.post(f"/rules/{key}/preview{'?part' if part else ''}", sent)
    assert answer.status_code == 200
    return answer.content.decode()


def called(cast: Cast, command: str, times: int) -> None:
    for _time in range(times):
        record(
            "decision", "rule", workspace=cast.atelier.id, agent="maia", tool="Bash",
            input={"command": command}, on_behalf_of_id=cast.alice.pk,
        )  # fmt: skip


def test_the_answer_counts_the_calls_of_the_last_days(cast: Cast) -> None:
    called(cast, "make", 3)
    new = {"home": "site", "family": "allow", "text": "Bash(make *)"}

    part = ask(cast.administrator, "site", new)
    assert "Would have allowed 3 calls of the last 7 days that are asked now." in part
    assert "All 3 calls of the last 7 days were looked at." in part
    assert "<html" not in part
    assert "make can run other programs: this allows whatever it can." in part
    assert "can run other" not in ask(cast.administrator, "site", {**new, "family": "deny"})
    assert not Rule.objects.filter(text="Bash(make *)").exists()
    page = ask(cast.administrator, "site", new, part=False)
    assert "Would have allowed 3 calls" in page
    assert "data-open open" in page
    assert "\nBash(make *)</textarea>" in page


def test_a_change_of_a_rule_is_compared_with_the_rule(cast: Cast) -> None:
    called(cast, "make", 1)
    rule = Rule.objects.create(
        scope="workspace", workspace_id=cast.atelier.id, family="allow", text="Bash(make)"
    )
    sent = {"rule": str(rule.pk), "family": "deny", "text": "Bash(make)"}

    told = ask(cast.alice, cast.atelier.id, sent)

    assert "Would have denied 1 call of the last 7 days that is allowed now." in told
    assert "One call of the last 7 days was looked at." in told


@pytest.mark.parametrize(
    "sent",
    [
        {"family": "allow", "text": "Bash((", "home": "person"},
        {"family": "allow", "text": "", "home": "person"},
        {"family": "maybe", "text": "Bash", "home": "person"},
        {"family": "allow", "text": "Bash", "home": ""},
    ],
)
def test_what_is_no_rule_is_said(cast: Cast, sent: dict[str, str]) -> None:
    assert "error-text" in ask(cast.bob, "own", sent)


def test_nothing_to_compare_with_is_said(cast: Cast) -> None:
    told = ask(cast.bob, "own", {"family": "allow", "text": "Bash", "home": "person"})
    assert "No call of the last 7 days is there to compare with." in told


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("n", [1, 2])
def test_each_move_has_its_sentence(move: tuple[Family, Family], n: int) -> None:
    found = Preview(looked_at=5, moves={move: n})
    [said] = told_preview(found)["moves"]
    assert said["verdict"] == move[1]
    verbs = {"allow": "allowed", "deny": "denied", "ask": "asked about"}
    assert said["words"].startswith(f"Would have {verbs[move[1]]} {n} call")


def test_a_cut_is_told(db: None) -> None:
    assert "Only the newest 2000" in told_preview(Preview(2000, more=True))["read"]
