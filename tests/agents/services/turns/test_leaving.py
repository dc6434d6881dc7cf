"""Whoever is leaving while they post has posted before or not at all: nothing goes on for them."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import Any

import pytest
from django.db import OperationalError, connection, connections, transaction

from agents.models import Channel, Turn
from agents.services.channels import frames
from agents.services.turns import posts
from agents.services.turns.lost_access import why_lost
from agents.services.typed import user_commands
from maia_web.accounts.services import set_active
from tests.cast import Cast
from tests.support.typed import post_message
from workspaces.services import change_role, remove_member

pytestmark = pytest.mark.django_db(transaction=True)


def removed(cast: Cast) -> None:
    remove_member(cast.alice.pk, cast.atelier.id, cast.bob.pk)


def made_viewer(cast: Cast) -> None:
    change_role(cast.alice.pk, cast.atelier.id, cast.bob.pk, "viewer")


def disabled(cast: Cast) -> None:
    set_active(cast.bob, False)


def say(cast: Cast, channel: str) -> None:
    post_message(cast.bob.pk, channel, "@maia hi")


def run(cast: Cast, channel: str) -> None:
    user_commands.post_command(cast.bob.pk, channel, "!ls", "ls")


class Elsewhere:
    """What another process does, on a connection of its own."""

    def __init__(self, act: Callable[[], None]) -> None:
        self._thread = Thread(target=self._run, args=(act,))

    def begin(self) -> None:
        """Returns when it is done, or waits for somebody's lock."""
        self._thread.start()
        while self._thread.is_alive() and not self._waits():
            time.sleep(0.01)

    def end(self) -> None:
        self._thread.join()

    def _run(self, act: Callable[[], None]) -> None:
        try:
            act()
        finally:
            connections.close_all()

    def _waits(self) -> bool:
        if connection.vendor != "postgresql":
            return True  # whoever writes has the whole database
        with connection.cursor() as cursor:
            cursor.execute("SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted)")
            return bool(cursor.fetchone()[0])


@pytest.mark.parametrize("leave", [removed, made_viewer, disabled])
@pytest.mark.parametrize("act", [say, run])
def test_who_leaves_while_they_post_has_nothing_going_on_after(
    cast: Cast,
    channel: str,
    monkeypatch: pytest.MonkeyPatch,
    leave: Callable[[Cast], None],
    act: Callable[[Cast, str], None],
) -> None:
    leaving = Elsewhere(lambda: leave(cast))
    publish_turn = frames.publish_turn

    def published(*args: Any, **options: Any) -> None:
        leaving.begin()  # in the middle of what writes the turn
        publish_turn(*args, **options)

    for module in (posts, user_commands):
        monkeypatch.setattr(module, "publish_turn", published)
    act(cast, channel)
    leaving.end()
    assert not [turn for turn in Turn.objects.filter(cancel_asked=False) if why_lost(turn)]


def test_a_stranger_keeps_nobody_from_posting(cast: Cast, channel: str) -> None:
    if connection.vendor == "sqlite":
        return  # whoever writes has the whole database: nothing to be kept from
    locked = Channel.objects.select_for_update(nowait=True).filter(id=channel)
    free: list[bool] = []

    def look() -> None:
        with transaction.atomic(), suppress(OperationalError):
            free.append(locked.exists())

    for person in (cast.charlie, cast.bob):
        with transaction.atomic():
            frames.hold_channel(person.pk, channel)
            other = Elsewhere(look)
            other.begin()
            other.end()
        assert len(free) == 1  # the second holds it
