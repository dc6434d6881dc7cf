"""A repeated slash command: nothing happens again, and the same answer comes back."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from agents.domain.typed.replies import Reply
from agents.models import AgentSession, Message, SlashAnswer, Turn
from agents.services.turns import hosts
from agents.services.typed import replies, slash
from agents.services.typed.lines import SlashAsked, say
from maia_web.lib.errors import NotFound
from tests.cast import Cast
from workspaces.services import remove_member

pytestmark = pytest.mark.django_db


def ask(cast: Cast, channel: str, text: str, ref: str, person: str = "alice") -> Reply:
    asked = say(getattr(cast, person).pk, channel, text, ref)
    assert isinstance(asked, SlashAsked)
    return slash.answer(asked.access, asked.line, asked.client_ref)


def begun() -> int:
    return Message.objects.filter(code="session-new").count()


def test_a_repeated_command_is_carried_out_once(cast: Cast, channel: str) -> None:
    first = ask(cast, channel, "/new", "r1")
    ask(cast, channel, "/rename work", "r2")
    again = ask(cast, channel, "/new", "r1")

    assert (again, begun()) == (first, 1)
    assert AgentSession.objects.get(current=True).name == "work"


def test_who_left_since_it_was_read_changes_nothing(cast: Cast, channel: str) -> None:
    """What a command needs of files is read in between."""
    say(cast.bob.pk, channel, "@maia hi")
    hosts.claim_turn(channel, "machine:1:a")
    asked = say(cast.bob.pk, channel, "/compact", "r1")
    assert isinstance(asked, SlashAsked)
    remove_member(cast.alice.pk, cast.atelier.id, cast.bob.pk)

    with pytest.raises(NotFound):
        slash.answer(asked.access, asked.line, asked.client_ref)
    assert not Turn.objects.filter(kind="compact").exists()


def test_a_refusal_is_repeated_too(cast: Cast, channel: str) -> None:
    refused = ask(cast, channel, "/load gone", "r1")
    assert refused.level == "warn"
    ask(cast, channel, "/rename gone", "r2")
    AgentSession.objects.update(start_context="not empty: it is saved")
    ask(cast, channel, "/new", "r3")

    assert ask(cast, channel, "/load gone", "r1") == refused


@pytest.mark.parametrize(
    ("text", "ref", "person"), [("/new", "r2", "alice"), ("/new", "r1", "bob"), ("/new", "", "bob")]
)
def test_another_ref_or_person_is_another_command(
    cast: Cast, channel: str, text: str, ref: str, person: str
) -> None:
    ask(cast, channel, "/new", "r1" if ref else "")
    ask(cast, channel, text, ref, person)

    assert begun() == 2


@pytest.mark.parametrize("again", ["/NEW", "/new ", "/rename two"])
def test_the_ref_alone_says_what_is_a_repetition(cast: Cast, channel: str, again: str) -> None:
    first = ask(cast, channel, "/new", "r1")
    ask(cast, channel, "/rename one", "r2")

    assert ask(cast, channel, again, "r1") == first
    assert AgentSession.objects.get(current=True).name == "one"
    assert begun() == 1


def test_what_is_kept_of_a_load_is_not_its_history(cast: Cast, channel: str) -> None:
    ask(cast, channel, "/rename one", "r1")
    AgentSession.objects.update(start_context="what was summed up")
    ask(cast, channel, "/new", "r2")
    first = ask(cast, channel, "/load one", "r3")
    again = ask(cast, channel, "/load one", "r3")

    assert "what was summed up" in str(first.wire())
    assert "what was summed up" not in str(list(SlashAnswer.objects.values()))
    assert again.blocks == first.blocks[:1]


def test_answers_are_forgotten_after_a_week(cast: Cast, channel: str) -> None:
    ask(cast, channel, "/new", "r1")
    SlashAnswer.objects.update(at=timezone.now() - replies.KEPT - timedelta(minutes=1))
    ask(cast, channel, "/help", "r2")

    assert [one.client_ref for one in SlashAnswer.objects.all()] == ["r2"]
