"""Publish: what a transaction has to tell is told on commit, in order, and wakes the loop once."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.delivery import publish
from agents.protocol.frames import Frame

pytestmark = pytest.mark.django_db(transaction=True)
Acts = list["int | tuple[bool, Acts]"]
ACTS: st.SearchStrategy[Acts] = st.recursive(
    st.lists(st.integers(0, 9), max_size=4),
    lambda inner: st.lists(st.integers(0, 9) | st.tuples(st.booleans(), inner), max_size=4),
    max_leaves=12,
)


def act(acts: Acts) -> None:
    """Signals numbers, in savepoints that are kept (True) or taken back."""
    for one in acts:
        if isinstance(one, int):
            publish.signal_on_commit("person:1", str(one))
        else:
            kept, inner = one
            with transaction.atomic():
                act(inner)
                transaction.set_rollback(not kept)


def kept(acts: Acts) -> list[str]:
    """Returns the numbers that are not taken back."""
    found = []
    for one in acts:
        if isinstance(one, int):
            found.append(str(one))
        elif one[0]:
            found += kept(one[1])
    return found


@pytest.mark.promise("I10.1-woken")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(ACTS)
def test_what_is_told_is_what_each_alone_would_tell(
    monkeypatch: pytest.MonkeyPatch, acts: Acts
) -> None:
    heard: list[str] = []

    def tell(told: Sequence[tuple[str, Frame | str]]) -> None:
        heard.extend(what for _topic, what in told if isinstance(what, str))

    with monkeypatch.context() as patched:
        patched.setattr(publish, "_tell", tell)
        with transaction.atomic():
            act(acts)
            assert heard == []
    assert heard == kept(acts)


@pytest.mark.promise("I10.1-woken")
def test_a_transaction_wakes_the_loop_once(monkeypatch: pytest.MonkeyPatch) -> None:
    woken: list[list[tuple[str, Frame | str]]] = []
    monkeypatch.setattr(publish, "_tell", lambda told: woken.append(list(told)))
    with transaction.atomic():
        for number in range(5):
            publish.signal_on_commit("person:1", str(number))
        act([(False, [9])])
        publish.channel_changed("c")
    publish.signal_on_commit("person:1", "alone")
    names = [[str(what) for _topic, what in told] for told in woken]
    assert names == [["0", "1", "2", "3", "4", "channel"], ["alone"]]
