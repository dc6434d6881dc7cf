"""The rules of a turn: compiled in a thread, once, for the calls and for what is read unasked."""

from __future__ import annotations

import threading

import pytest

from agents.domain.rules import policy
from agents.models import Rule
from agents.runtime.answering.policies import links_checked, rules_of
from agents.services.turns.hosts import claim_turn
from maia_web.lib.db import in_db
from tests.cast import Cast
from tests.support.typed import post_message

pytestmark = pytest.mark.django_db(transaction=True)


async def test_rules_are_compiled_beside_the_loop_and_the_database(
    cast: Cast, direct: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[str] = []
    real = policy.Policy.__init__

    def noted(self: policy.Policy, *args: object, **kwargs: object) -> None:
        threads.append(threading.current_thread().name)
        real(self, *args, **kwargs)  # type: ignore[arg-type]  # as it was called

    monkeypatch.setattr(policy.Policy, "__init__", noted)
    await in_db(post_message)(cast.alice.pk, direct, "hello")
    turn = await in_db(claim_turn)(direct, "machine:1:a")
    assert turn is not None
    for number, read in enumerate(("rules", "links", "rules")):
        await in_db(Rule.objects.create)(scope="site", family="deny", text=f"Bash(new{number} *)")
        if read == "rules":
            rules = await rules_of(turn)
            assert rules.is_compiled
            assert await rules_of(turn) is rules
        else:
            await links_checked(turn.place, turn.agent)

    assert len(threads) == 3
    assert not any(name.startswith(("MainThread", "database")) for name in threads)
