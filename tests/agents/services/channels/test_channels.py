"""Channels: who may see, make, change and delete them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agents.models import AuditEntry, Channel, Message
from agents.selectors.conversation.channels import channel_for
from agents.selectors.conversation.lists import channels_of
from agents.services.channels import channels
from agents.services.turns.people import delete_channel
from maia_web.lib.errors import Conflict, InvalidInput, MaiaError, NotAllowed, NotFound
from tests.cast import Cast
from tests.support.typed import post_message
from workspaces.services import change_role


def test_members_see_the_channel_and_a_stranger_gets_the_404_of_nothing(
    cast: Cast, channel: str
) -> None:
    for person in (cast.alice, cast.bob, cast.vera):
        assert channel_for(person.pk, channel).id == channel
    with pytest.raises(NotFound) as hidden:
        channel_for(cast.charlie.pk, channel)
    with pytest.raises(NotFound) as missing:
        channel_for(cast.charlie.pk, "nothing")

    assert hidden.value.as_dict() == missing.value.as_dict()


def test_a_direct_conversation_is_seen_by_nobody_else_not_even_an_owner(cast: Cast) -> None:
    bobs = channels.open_direct(cast.bob.pk, cast.atelier.id, "maia")

    assert bobs in {info.id for info in channels_of(cast.bob.pk)}
    assert bobs not in {info.id for info in channels_of(cast.alice.pk)}
    with pytest.raises(NotFound):
        channel_for(cast.alice.pk, bobs)


def test_the_direct_conversation_with_an_agent_is_always_the_same_one(cast: Cast) -> None:
    first = channels.open_direct(cast.bob.pk, cast.atelier.id, "maia")

    assert channels.open_direct(cast.bob.pk, cast.atelier.id, "maia") == first


def test_a_viewer_gets_no_direct_conversation_but_keeps_the_one_they_had(cast: Cast) -> None:
    had = channels.open_direct(cast.bob.pk, cast.atelier.id, "maia")
    change_role(cast.alice.pk, cast.atelier.id, cast.bob.pk, "viewer")

    assert channels.open_direct(cast.bob.pk, cast.atelier.id, "maia") == had
    with pytest.raises(NotAllowed, match="A viewer reads"):
        channels.open_direct(cast.vera.pk, cast.atelier.id, "maia")


@pytest.mark.parametrize(
    ("name", "again"),
    [
        ("Équipe", "équipe"),
        ("été", "e\u0301te\u0301"),
        ("Straße", "STRASSE"),
        ("می\u200cخواهم", "میخواهم"),
        ("設計 メモ", "設計\u3000メモ"),
    ],
)
def test_a_name_is_taken_however_it_is_spelled(cast: Cast, name: str, again: str) -> None:
    kept = channels.create_channel(cast.alice.pk, cast.atelier.id, name)
    other = channels.create_channel(cast.alice.pk, cast.atelier.id, "other")
    for spelling in (name, again):
        with pytest.raises(Conflict):
            channels.create_channel(cast.alice.pk, cast.atelier.id, spelling)
        with pytest.raises(Conflict):
            channels.rename_channel(cast.alice.pk, other, spelling)
    channels.rename_channel(cast.alice.pk, kept, again)

    assert Channel.objects.get(id=kept).name == again


@pytest.mark.parametrize(
    "name", ["", "   ", "x" * 65, "two\nlines", "bell\x07", "\u200d", "turned\u202eround"]
)
def test_a_bad_name_is_refused_by_name(cast: Cast, name: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        channels.create_channel(cast.alice.pk, cast.atelier.id, name)

    assert refused.value.data["field"] == "name"


def test_a_name_is_taken_whatever_its_case(cast: Cast, channel: str) -> None:
    with pytest.raises(Conflict):
        channels.create_channel(cast.alice.pk, cast.atelier.id, "RELEASE")


def test_two_workspaces_may_use_the_same_name(cast: Cast, channel: str) -> None:
    from workspaces.services import create_workspace

    other = create_workspace(cast.alice, "other")

    assert channels.create_channel(cast.alice.pk, other.id, "release") != channel


ACTIONS: dict[str, Callable[[int, str], object]] = {
    "rename": lambda user, channel: channels.rename_channel(user, channel, "new name"),
    "delete": delete_channel,
    "clear": channels.clear_channel,
    "add a member": lambda user, channel: channels.add_member(user, channel, "maia"),
    "remove a member": lambda user, channel: channels.remove_member(user, channel, "maia"),
    "post": lambda user, channel: post_message(user, channel, "hello"),
}


@pytest.mark.parametrize("action", ACTIONS)
def test_an_editor_may(cast: Cast, channel: str, action: str) -> None:
    ACTIONS[action](cast.bob.pk, channel)


@pytest.mark.parametrize("action", ACTIONS)
def test_a_viewer_may_not(cast: Cast, channel: str, action: str) -> None:
    with pytest.raises(NotAllowed):
        ACTIONS[action](cast.vera.pk, channel)


@pytest.mark.parametrize("action", ACTIONS)
def test_for_a_stranger_there_is_no_such_channel(cast: Cast, channel: str, action: str) -> None:
    with pytest.raises(NotFound):
        ACTIONS[action](cast.charlie.pk, channel)


def test_a_stranger_can_neither_create_in_the_workspace_nor_open_a_direct_there(
    cast: Cast,
) -> None:
    with pytest.raises(NotFound):
        channels.create_channel(cast.charlie.pk, cast.atelier.id, "spy")
    with pytest.raises(NotFound):
        channels.open_direct(cast.charlie.pk, cast.atelier.id, "maia")


def test_inviting_and_removing_an_agent_is_said_in_the_channel(cast: Cast, channel: str) -> None:
    channels.remove_member(cast.alice.pk, channel, "maia")
    channels.add_member(cast.alice.pk, channel, "MAIA")
    channels.add_member(cast.alice.pk, channel, "maia")

    codes = list(Message.objects.filter(channel=channel).values_list("code", flat=True))
    assert codes == ["agent-left", "agent-joined"]


def test_an_unknown_agent_is_named_in_the_error(cast: Cast, channel: str) -> None:
    with pytest.raises(NotFound) as refused:
        channels.add_member(cast.alice.pk, channel, "nobody")

    assert refused.value.data["agent"] == "nobody"


def test_nothing_is_cleared_while_an_agent_answers(cast: Cast, channel: str) -> None:
    post_message(cast.alice.pk, channel, "hello")

    with pytest.raises(MaiaError) as refused:
        channels.clear_channel(cast.alice.pk, channel)

    assert refused.value.code == "busy"
    assert Channel.objects.filter(id=channel).exists()


def test_reading_never_goes_back_and_counts_what_others_said(cast: Cast, channel: str) -> None:
    for text in ("one", "two", "three"):
        post_message(cast.alice.pk, channel, text)

    def unread(user: int) -> int:
        return next(info.unread for info in channels_of(user) if info.id == channel)

    assert (unread(cast.bob.pk), unread(cast.alice.pk)) == (3, 0)
    channels.mark_read(cast.bob.pk, channel, 2)
    channels.mark_read(cast.bob.pk, channel, 1)
    assert unread(cast.bob.pk) == 1


def test_the_log_tells_who_took_away_what_others_wrote(cast: Cast, channel: str) -> None:
    name = Channel.objects.get(id=channel).name
    own = channels.open_direct(cast.bob.pk, cast.atelier.id, "maia")
    channels.clear_channel(cast.bob.pk, channel)
    channels.clear_channel(cast.bob.pk, own)
    delete_channel(cast.bob.pk, channel)

    lines = AuditEntry.objects.filter(outcome="channel").order_by("id")
    assert [(one.who, one.place, one.input) for one in lines] == [
        ("bob", "atelier", {"channel": name, "what": what}) for what in ("cleared", "deleted")
    ]
