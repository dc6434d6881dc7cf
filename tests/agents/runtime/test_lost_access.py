"""Lost access: what a removed person's agents and commands do ends at once, with its reason."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import translation
from django.utils.translation import gettext

from agents.domain.content.messages import Message, StopReason
from agents.domain.content.parts import ToolPart
from agents.models import Message as Row
from agents.models import Turn
from agents.protocol.frames import ChannelSnapshot
from agents.runtime.host import Host
from agents.services.channels.channels import create_channel
from agents.services.turns.hosts import claim_turn
from agents.services.turns.lost_access import CODE, stop_turns_of
from maia_web.accounts.models import User
from maia_web.accounts.services import set_active
from maia_web.lib.db import in_db
from tests.cast import Cast
from tests.support.known import known
from tests.support.listener import listening
from tests.support.openai_behaviours import Gate, answer, text
from tests.support.openai_server import ScriptedServer
from tests.support.typed import post_message, post_typed
from workspaces.sandboxes.base import probed
from workspaces.services import change_role, create_workspace, remove_member

pytestmark = pytest.mark.django_db(transaction=True)
ENGLISH = "Ended: the person who asked for this may no longer work here."


def removed(cast: Cast) -> None:
    remove_member(cast.alice.pk, cast.atelier.id, cast.bob.pk)


def disabled(cast: Cast) -> None:
    set_active(cast.bob, False)


def made_viewer(cast: Cast) -> None:
    change_role(cast.alice.pk, cast.atelier.id, cast.bob.pk, "viewer")


def over(state: ChannelSnapshot) -> bool:
    return not state.busy and not state.queued and all(m.done for m in state.messages)


def check_reason(message: Message) -> None:
    """It is told in each reader's language."""
    assert message.error is not None
    with translation.override("fr"):
        french = gettext(ENGLISH)
    assert french != ENGLISH
    assert (message.error.code, message.error.words) == (CODE, {"en": ENGLISH, "fr": french})


@pytest.mark.parametrize("lose", [removed, disabled, made_viewer])
async def test_the_answer_a_person_waited_for_ends_when_they_lose_access(
    cast: Cast, channel: str, host: Host, model: ScriptedServer, lose: Callable[[Cast], None]
) -> None:
    gate = Gate()
    model.script(answer(text("one "), gate, text("two")), answer(text("for alice")))
    async with listening(cast.alice.pk, channel) as listener:
        await in_db(post_message)(cast.bob.pk, channel, "go")
        await listener.until(lambda s: s.busy and bool(s.messages[-1].parts))
        await in_db(post_message)(cast.bob.pk, channel, "and more")
        await in_db(post_message)(cast.alice.pk, channel, "mine")
        await in_db(lose)(cast)
        state = await listener.until(lambda s: over(s) and len(s.messages) == 5)
        gate.open()

    asked, cut, more, mine, answered = state.messages
    assert (asked.error, mine.error) == (None, None)
    check_reason(more)
    check_reason(cut)
    assert (cut.stop_reason, answered.stop_reason) == (StopReason.CANCELLED, StopReason.END_TURN)
    assert [m["content"] for m in model.chats[-1].body["messages"][1:]] == ["[Alice] mine"]


async def test_a_running_command_ends_when_its_person_loses_access(
    cast: Cast, channel: str, host: Host
) -> None:
    found = await probed()
    if found.bwrap is None:
        pytest.skip(found.problem)
    async with listening(cast.alice.pk, channel) as listener:
        await in_db(post_typed)(cast.bob.pk, channel, "!echo begun; sleep 600")
        await listener.until(lambda s: "output='begun" in str(s.messages[-1].parts))
        await in_db(removed)(cast)
        state = await listener.until(over)

    (message,) = state.messages
    card = message.parts[-1]
    assert isinstance(card, ToolPart)
    assert (card.status, card.output) == ("failed", "begun\n[stopped]")
    check_reason(message)


def test_who_may_still_work_there_loses_nothing(cast: Cast, channel: str) -> None:
    other = create_workspace(cast.bob, "other")
    elsewhere = create_channel(cast.bob.pk, other.id, "c", members=("maia",))
    for where in (channel, elsewhere):
        post_message(cast.bob.pk, where, "one")
        assert claim_turn(where, "machine:1:a") is not None
        post_message(cast.bob.pk, where, "two")

    stop_turns_of(cast.bob.pk)
    assert not Turn.objects.filter(cancel_asked=True).exists()
    removed(cast)
    states = Turn.objects.order_by("id").values_list("channel", "state", "cancel_asked")
    assert list(states) == [
        (channel, "running", True),
        (elsewhere, "running", False),
        (elsewhere, "queued", False),
    ]


def session_of(user: User) -> str:
    client = Client()
    client.force_login(user)
    return str(client.session.session_key)


async def test_a_host_ends_what_a_server_that_died_did_not_cut_off(
    cast: Cast, channel: str, model: ScriptedServer
) -> None:
    """The session and the role ended, but nobody was told of it."""
    ended, lasting = [await in_db(session_of)(cast.bob) for _ in range(2)]
    for number, session in enumerate((ended, lasting)):
        text = f"!echo run-$(({number}))"
        await in_db(post_typed)(cast.bob.pk, channel, text, f"r{number}", session)
    await in_db(Session.objects.filter(pk=ended).delete)()
    host = Host()
    async with listening(cast.alice.pk, channel) as listener:
        await host.start()
        try:
            state = await listener.until(over)
        finally:
            await host.stop()

    refused, ran = state.messages
    assert "run-1" in str(ran.parts[-1])
    assert "run-0" not in str(refused.parts)
    assert not await in_db(Turn.objects.exclude(session="").exists)()


def test_a_command_ends_with_its_session_and_an_answer_goes_on(cast: Cast, channel: str) -> None:
    session = session_of(cast.bob)
    post_typed(cast.bob.pk, channel, "go", "a", session)
    assert claim_turn(channel, "machine:1:a") is not None
    post_typed(cast.bob.pk, channel, "!true", "b", session)
    post_typed(cast.bob.pk, channel, "and more", "c", session)
    Session.objects.filter(pk=session).delete()

    stop_turns_of(cast.bob.pk)

    states = Turn.objects.order_by("id").values_list("kind", "state", "cancel_asked")
    assert list(states) == [("answer", "running", False), ("answer", "queued", False)]
    error = known(Row.objects.get(client_ref="b").error)
    assert error["code"] == "session-ended"
    assert error["words"]["fr"] != error["words"]["en"]
