"""Stop with many messages that wait: as many statements as with few, and every frame comes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.delivery import publish
from agents.models import Channel, Message, Turn
from agents.protocol.frames import Frame, MessageUpdated, TurnChanged
from agents.services.channels.frames import next_position
from agents.services.turns.hosts import claim_turn
from agents.services.turns.people import cancel_channel
from tests.cast import Cast
from tests.support.typed import post_message

Commits = Callable[..., Any]


def queue(cast: Cast, channel: str, count: int) -> None:
    """Lets so many messages wait, as if people had posted them."""
    agent = Turn.objects.filter(channel=channel).values_list("agent_id", flat=True)[0]
    rows = Message.objects.bulk_create(
        Message(
            channel_id=channel,
            position=next_position(channel),
            role="user",
            author_id=(cast.alice, cast.bob)[number % 2].pk,
            parts=[{"type": "text", "text": f"wait {number}"}],
            queued=True,
        )
        for number in range(count)
    )
    Turn.objects.bulk_create(
        Turn(channel_id=channel, agent_id=agent, starter_id=row.author_id, request=row)
        for row in rows
    )


def stop(
    cast: Cast, channel: str, count: int, commits: Commits, monkeypatch: pytest.MonkeyPatch
) -> tuple[int, list[Frame]]:
    """Returns the statements that Stop took, and the frames that came of it."""
    queue(cast, channel, count)
    frames: list[Frame] = []

    def tell(told: Sequence[tuple[str, Frame | str]]) -> None:
        frames.extend(what for _topic, what in told if not isinstance(what, str))

    monkeypatch.setattr(publish, "_tell", tell)
    with CaptureQueriesContext(connection) as asked, commits(execute=True):
        assert cancel_channel(cast.alice.pk, channel) == count
    return len(asked), frames


def test_stop_takes_as_many_statements_for_600_messages_as_for_two(
    cast: Cast,
    channel: str,
    django_capture_on_commit_callbacks: Commits,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    post_message(cast.alice.pk, channel, "@maia first")
    assert claim_turn(channel, "machine:1:a") is not None
    few, _ = stop(cast, channel, 2, django_capture_on_commit_callbacks, monkeypatch)
    before = Channel.objects.values_list("seq", flat=True).get(id=channel)

    many, frames = stop(cast, channel, 600, django_capture_on_commit_callbacks, monkeypatch)

    assert many == few
    *dropped, last = frames
    assert isinstance(last, TurnChanged)
    assert last.queued == 0
    updates = [frame for frame in dropped if isinstance(frame, MessageUpdated)]
    assert len(updates) == len(dropped) == 600
    assert [*(frame.seq for frame in updates), last.seq] == list(range(before + 1, before + 602))
    assert {frame.message.id for frame in updates} == set(
        Message.objects.filter(channel=channel, error__code="cancelled")
        .order_by("-position")
        .values_list("id", flat=True)[:600]
    )
    assert not any(frame.message.queued for frame in updates)
    assert all(frame.message.error and frame.message.author for frame in updates)
    assert Turn.objects.filter(channel=channel).count() == 1
    assert not Message.objects.filter(channel=channel, queued=True).exists()
