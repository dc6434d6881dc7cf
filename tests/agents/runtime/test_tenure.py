"""A host that was frozen says nothing until it knows that the turn is still its own."""

from __future__ import annotations

from agents.runtime.tenure import Tenure
from agents.services.leases import LEASE

SECONDS = LEASE.total_seconds()


def test_a_tenure_counts_from_before_the_question() -> None:
    now = 100.0
    tenure = Tenure(asked=now, clock=lambda: now)

    def certain() -> bool:
        return tenure.certain

    assert certain()
    now += SECONDS - 0.01
    assert certain()
    now += 0.01
    assert not certain()
    tenure.renewed(asked=now - 1)
    now += SECONDS - 1.01
    assert certain()
    now += 0.01
    assert not certain()
