"""What opening a conversation asks of the database, and whom it answers."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.models import Channel, Message
from agents.selectors.conversation.lists import channels_of
from agents.selectors.conversation.opened_channels import channel_info
from agents.selectors.conversation.snapshots import older_messages, snapshot, snapshots
from agents.services.channels.channels import mark_read, open_direct
from maia_web.accounts.models import User
from maia_web.lib.errors import NotFound
from tests.cast import Cast
from tests.support.typed import post_message
from workspaces.models import Membership

MOST_QUESTIONS = 5


def say(cast: Cast, channel: str, first: int, last: int) -> None:
    Message.objects.bulk_create(
        Message(
            channel_id=channel,
            position=position,
            role="user",
            author_id=cast.alice.pk,
            parts=[{"type": "text", "text": f"message {position}"}],
        )
        for position in range(first, last + 1)
    )
    Channel.objects.filter(id=channel).update(last_position=last)


def asked_by_opening(user: User, channel: str) -> list[str]:
    with CaptureQueriesContext(connection) as asked:
        snapshot(user.pk, channel)
    return [one["sql"] for one in asked]


def test_a_conversation_opens_with_five_questions_however_long_it_is(
    cast: Cast, channel: str
) -> None:
    snapshot(cast.bob.pk, channel)  # what is made at the first time is kept
    short = asked_by_opening(cast.bob, channel)
    say(cast, channel, 1, 400)
    long = asked_by_opening(cast.bob, channel)
    assert len(long) == len(short) <= MOST_QUESTIONS


def test_rights_channel_and_state_are_one_question_and_the_first(cast: Cast, channel: str) -> None:
    first = asked_by_opening(cast.bob, channel)[0]
    assert 'FROM "workspaces_membership"' in first
    for part in (
        "is_active",
        "seq",
        "last_position",
        "queued",
        "agents_turn",
        "agents_channelread",
    ):
        assert part in first


def test_only_members_open_it_and_a_direct_one_its_person_alone(cast: Cast, channel: str) -> None:
    own = open_direct(cast.bob.pk, cast.atelier.id, "maia")
    for user, there in ((cast.charlie, channel), (cast.alice, own), (cast.bob, "nothing")):
        for opens in (snapshot, channel_info):
            with pytest.raises(NotFound):
                opens(user.pk, there)
        with pytest.raises(NotFound):
            older_messages(user.pk, there, 5)
    assert set(snapshots(channel, [cast.charlie.pk, cast.vera.pk])) == {cast.vera.pk}
    assert snapshots(own, [cast.alice.pk]) == {}


def test_what_the_list_says_of_a_channel_its_snapshot_says_too(cast: Cast, channel: str) -> None:
    say(cast, channel, 1, 30)
    post_message(cast.alice.pk, channel, "@maia hello")
    post_message(cast.alice.pk, channel, "@maia and again")
    mark_read(cast.bob.pk, channel, 20)
    for user in (cast.alice, cast.bob, cast.vera):
        (listed,) = channels_of(user.pk)
        opened = snapshot(user.pk, channel)
        assert opened.channel == listed == channel_info(user.pk, channel)
        assert opened.queued == Message.objects.filter(channel=channel, queued=True).count()


def test_pages_join_without_a_gap(cast: Cast, channel: str) -> None:
    say(cast, channel, 1, 250)
    state = snapshot(cast.bob.pk, channel)
    found, more = list(state.messages), state.more
    while more:
        page, more = older_messages(cast.bob.pk, channel, found[0].position)
        found = [*page, *found]
    assert [one.position for one in found] == list(range(1, 251))


def test_a_snapshot_tells_who_the_first_people_are_and_how_many_there_are(
    cast: Cast, channel: str
) -> None:
    def crowd(number: int) -> None:
        made = User.objects.bulk_create(
            User(username=f"{number} {at}", password="") for at in range(number)
        )
        Membership.objects.bulk_create(
            Membership(workspace_id=cast.atelier.id, user=one, role="viewer") for one in made
        )

    crowd(10)
    few = snapshot(cast.bob.pk, channel)
    crowd(1_000)
    many = snapshot(cast.bob.pk, channel)
    assert (few.people_count, many.people_count) == (13, 1_013)
    assert few.people == many.people
    assert [one.name for one in many.people[:3]] == ["Alice", "Bob", "Vera"]
    assert len(many.people) == 8
    own = snapshot(cast.bob.pk, open_direct(cast.bob.pk, cast.atelier.id, "maia"))
    assert ([one.username for one in own.people], own.people_count) == (["bob"], 1)
