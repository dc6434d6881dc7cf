"""Of a plain answer: how much is asked of the database until it is over."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.domain.content.growth import Growing
from agents.domain.content.live_parts import LiveParts
from agents.domain.content.messages import Counters, StopReason
from agents.domain.content.model_messages import ModelMessage, TextBlock
from agents.domain.content.parts import TextPart
from agents.domain.content.turns import ClaimedTurn
from agents.services.turns import journal
from agents.services.turns.hosts import end_turn
from tests.cast import Cast
from tests.support.local_host import local_host
from tests.support.typed import post_message

pytestmark = pytest.mark.django_db(transaction=True)
MOST_OF_A_STEP, MOST_OF_THE_END = 8, 16
SAID = ModelMessage(role="assistant", content=(TextBlock(text="Hello"),))
PARTS = (TextPart(text="Hello"),)


def test_a_plain_answer_is_recorded_and_ended_with_few_statements(cast: Cast, channel: str) -> None:
    given: list[ClaimedTurn] = []
    with local_host("machine:1:here", given.append):
        for number in range(2):  # the first makes the texts
            post_message(cast.alice.pk, channel, "@maia hi", f"ref-{number}")
            turn = given.pop()
            growing = Growing(live := LiveParts(()))
            live.start(0, PARTS[0])
            growing.part(0)
            with CaptureQueriesContext(connection) as step:
                journal.record_step(turn.lease, SAID, (), growing.take(), 5)
            with CaptureQueriesContext(connection) as end:
                end_turn(
                    turn.lease,
                    parts=PARTS,
                    counters=Counters(),
                    stop_reason=StopReason.END_TURN,
                    error=None,
                )
    lock = int(connection.features.has_select_for_update)  # else the transaction is one itself
    assert len(step) <= MOST_OF_A_STEP + lock, step.captured_queries
    assert len(end) <= MOST_OF_THE_END + lock, end.captured_queries
