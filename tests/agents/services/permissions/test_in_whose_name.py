"""In whose name: each row of the table of docs/security.md ("Somebody else's turn")."""

from __future__ import annotations

from typing import Any

import pytest

from agents.domain.content.messages import Counters, StopReason
from agents.domain.typed.slash import parse_slash
from agents.library.rule_files import rule_files
from agents.models import (
    AgentSession,
    ChannelAgent,
    Message,
    ModelServer,
    PermissionRequest,
    Rule,
    Turn,
)
from agents.selectors.conversation.channels import channel_for
from agents.selectors.models.context_sizes import chosen_model
from agents.services.channels.channels import create_channel
from agents.services.channels.messages import remove_queued
from agents.services.memory import sessions
from agents.services.memory.named_sessions import new_session
from agents.services.models.choice import choose_model
from agents.services.permissions.answers import Given, answer_permission, judge_edit
from agents.services.permissions.proposals import decline, propose
from agents.services.turns.compact_queue import queue_compaction, queue_if_full
from agents.services.turns.hosts import claim_turn, end_turn
from agents.services.turns.people import cancel_channel, resume_turn
from agents.services.typed import slash
from maia_web.lib.errors import Conflict, InvalidInput, NotAllowed, NotFound
from tests.agents.services.permissions.asked import HOST, ask, start_turn
from tests.cast import Cast
from tests.support.known import known
from tests.support.typed import post_message, post_typed
from workspaces.sandboxes.folders import folders_of

EDITED = {"command": "cat ~/private"}


@pytest.fixture
def turn(cast: Cast, channel: str) -> str:
    """A turn that bob started in the channel."""
    return start_turn(cast.bob.pk, channel)


def row(request: str) -> PermissionRequest:
    return PermissionRequest.objects.get(id=request)


def end(claimed: Any) -> None:
    """Ends a turn as its host does."""
    end_turn(
        claimed.lease, parts=(), counters=Counters(), stop_reason=StopReason.MAX_TURN_REQUESTS,
        error=None,
    )  # fmt: skip


# --- allow ---------------------------------------------------------------------------------


def test_allow_is_judged_by_the_rules_of_the_starter(cast: Cast, turn: str) -> None:
    request = ask(cast, turn)
    Rule.objects.create(scope="person", user=cast.bob, family="deny", text="Bash(make)")
    with pytest.raises(NotAllowed) as refused:
        answer_permission(cast.alice.pk, request.id, Given("allow_once"))
    assert refused.value.code == "denied-by-rule"


def test_an_allow_rule_of_whoever_answers_covers_nothing_of_the_starters(
    cast: Cast, turn: str
) -> None:
    request = ask(cast, turn, "ls -l")
    given = Given("allow_always", rule="Bash(ls *)", scope="person")
    answer_permission(cast.alice.pk, request.id, given)
    assert list(Rule.objects.filter(text="Bash(ls *)").values_list("user", flat=True)) == [
        cast.alice.pk
    ]
    ask(cast, turn, "ls -a")  # asks, as before


# --- edit and propose ------------------------------------------------------------------------


@pytest.mark.parametrize("option", ["allow_once", "allow_always"])
def test_only_the_starter_edits(cast: Cast, turn: str, option: str) -> None:
    request = ask(cast, turn)
    given = Given(option, rule="Bash(cat *)", input=EDITED)
    with pytest.raises(NotAllowed) as refused:
        answer_permission(cast.alice.pk, request.id, given)
    assert refused.value.code == "only-starter-edits"
    assert "Bob" in refused.value.message
    assert (row(request.id).state, row(request.id).edited) == ("pending", None)
    assert not Rule.objects.filter(text="Bash(cat *)").exists()

    answer_permission(cast.bob.pk, request.id, Given("allow_once", input=EDITED))
    assert row(request.id).edited == EDITED


def test_who_may_not_answer_may_not_propose(cast: Cast, turn: str) -> None:
    request = ask(cast, turn)
    for person, refusal in (
        (cast.vera, NotAllowed), (cast.charlie, NotFound), (cast.administrator, NotFound),
        (cast.bob, InvalidInput),
    ):  # fmt: skip
        with pytest.raises(refusal):
            propose(person.pk, request.id, EDITED)
        with pytest.raises((refusal, Conflict)):
            decline(person.pk, request.id, "0" * 64)
    assert row(request.id).proposal == ""


def test_typing_a_proposal_tells_nothing_of_the_starters_home(cast: Cast, turn: str) -> None:
    home = folders_of(cast.access(cast.bob).place).home
    (home / "work").unlink(missing_ok=True)  # homes are named after keys, which others had
    (home / "work").symlink_to("private/plan")
    Rule.objects.create(scope="site", family="deny", text="Bash(dd *)")
    for family, text in (("deny", "Bash(rm *)"), ("allow", "Bash(cat *)"), ("ask", "Bash(ls *)")):
        Rule.objects.create(scope="person", user=cast.bob, family=family, text=text)
    request = ask(cast, turn)
    for command, own in (("echo a > ~/work", "ask"), ("rm x", "deny"), ("cat x", "allow")):
        verdict, offers = judge_edit(cast.bob.pk, request.id, {"command": command})
        assert verdict.family == own
        told, offered = judge_edit(cast.alice.pk, request.id, {"command": command})
        assert (told.family, told.code, told.matches) == ("ask", "no-rule", ()), command
        assert "private" in str(offers) or own != "ask"
        assert "private" not in f"{told}{offered}"
        propose(cast.alice.pk, request.id, {"command": command})
    with pytest.raises(NotAllowed):
        propose(cast.alice.pk, request.id, {"command": "dd x"})

    propose(cast.alice.pk, request.id, {"command": "rm x"})
    with pytest.raises(NotAllowed) as refused:
        answer_permission(
            cast.bob.pk, request.id, Given("allow_once", proposal=row(request.id).proposal)
        )
    assert refused.value.code == "denied-by-rule"


# --- deny with a word --------------------------------------------------------------------------


def test_who_told_the_agent_what_to_do_does_not_allow_what_comes_of_it(
    cast: Cast, turn: str
) -> None:
    first = ask(cast, turn)
    answer_permission(cast.alice.pk, first.id, Given("deny", instruction="cat ~/private instead"))
    asked = ask(cast, turn, "cat ~/private")
    with pytest.raises(NotAllowed) as refused:
        answer_permission(cast.alice.pk, asked.id, Given("allow_once"))
    assert refused.value.code == "own-word"
    answer_permission(cast.alice.pk, ask(cast, turn, "cat b").id, Given("deny"))
    answer_permission(cast.bob.pk, asked.id, Given("allow_once"))


def test_a_denial_without_a_word_and_a_word_of_the_starters_take_nothing_away(
    cast: Cast, turn: str
) -> None:
    answer_permission(cast.alice.pk, ask(cast, turn, "a").id, Given("deny", instruction="  "))
    answer_permission(cast.bob.pk, ask(cast, turn, "b").id, Given("deny", instruction="do c"))
    answer_permission(cast.alice.pk, ask(cast, turn, "c").id, Given("allow_once"))
    answer_permission(cast.bob.pk, ask(cast, turn, "d").id, Given("allow_once"))


# --- stop, queue, take back ------------------------------------------------------------------


def test_stop_runs_nothing_and_gives_queued_messages_back_to_their_authors(
    cast: Cast, channel: str, turn: str
) -> None:
    ask(cast, turn)
    waits = post_message(cast.bob.pk, channel, "and more")
    cancel_channel(cast.alice.pk, channel)
    assert Turn.objects.get(id=turn).cancel_asked
    assert list(Turn.objects.values_list("id", flat=True)) == [turn]
    dropped = Message.objects.get(id=waits)
    assert (dropped.author_id, known(dropped.error)["code"]) == (cast.bob.pk, "cancelled")


def test_a_message_sent_meanwhile_is_a_turn_in_its_authors_name(
    cast: Cast, channel: str, turn: str
) -> None:
    post_message(cast.alice.pk, channel, "mine")
    assert Turn.objects.get(state="queued").starter_id == cast.alice.pk


def test_a_queued_message_is_its_authors_alone_to_take_back(
    cast: Cast, channel: str, turn: str
) -> None:
    waits = post_message(cast.bob.pk, channel, "and more")
    with pytest.raises(NotFound):
        remove_queued(cast.alice.pk, channel, waits)
    assert remove_queued(cast.bob.pk, channel, waits) == "and more"


# --- continue, try again -----------------------------------------------------------------------


def test_an_answer_goes_on_in_the_name_of_whoever_says_so(cast: Cast, channel: str) -> None:
    post_message(cast.bob.pk, channel, "go")
    first = claim_turn(channel, HOST)
    assert first is not None
    end(first)
    resume_turn(cast.alice.pk, channel, first.answer)
    second = claim_turn(channel, HOST)
    assert second is not None
    assert (first.place.user, second.place.user) == (cast.bob.pk, cast.alice.pk)


@pytest.mark.parametrize("text", ["look at @~/notes.txt", "look at $~/notes.txt", "§skill go"])
def test_what_a_message_names_is_read_from_its_authors_home_alone(
    cast: Cast, channel: str, text: str
) -> None:
    """Otherwise: bob names a file, and alice who presses Continue reads hers out to him."""
    post_message(cast.bob.pk, channel, text)
    claimed = claim_turn(channel, HOST)
    assert claimed is not None
    assert claimed.unread
    end(claimed)
    with pytest.raises(NotAllowed) as refused:
        resume_turn(cast.alice.pk, channel, claimed.answer)
    assert refused.value.code == "not-the-author"
    resume_turn(cast.bob.pk, channel, claimed.answer)
    again = claim_turn(channel, HOST)
    assert again is not None
    assert again.place.user == cast.bob.pk


# --- the model and its memory --------------------------------------------------------------------


def test_a_compaction_asks_the_model_of_whoever_wants_it(cast: Cast, channel: str) -> None:
    agent = ChannelAgent.objects.get(channel=channel).agent
    session = AgentSession.objects.create(channel_id=channel, agent=agent, name="s")
    session.pending_context = ["something"]
    session.save()
    queue_compaction(channel, agent, cast.alice.pk)
    claimed = claim_turn(channel, HOST)
    assert claimed is not None
    assert (claimed.kind, claimed.place.user) == ("compact", cast.alice.pk)


def test_a_compaction_that_comes_by_itself_asks_the_model_of_the_turns_starter(
    cast: Cast, channel: str, turn: str
) -> None:
    ModelServer.objects.create(kind="openai", url="http://m", model="m", context_size=100_000)
    started = Turn.objects.select_related("agent", "channel").get(id=turn)
    AgentSession.objects.filter(channel=channel).update(context_used=10**9)
    queue_if_full(started, sessions.session_of(started))
    assert Turn.objects.get(kind="compact").starter_id == cast.bob.pk


def test_a_chosen_model_is_a_name_for_all_and_each_turn_has_its_starters_place(
    cast: Cast, channel: str
) -> None:
    choose_model(cast.alice.pk, channel, "maia", "large")
    post_message(cast.bob.pk, channel, "go")
    claimed = claim_turn(channel, HOST)
    assert claimed is not None
    assert (claimed.model, claimed.place.user) == ("large", cast.bob.pk)
    assert chosen_model(channel, "maia") == "large"


def test_nobody_changes_the_memory_under_a_turn_that_runs(
    cast: Cast, channel: str, turn: str
) -> None:
    with pytest.raises(Conflict):
        new_session(cast.alice.pk, channel)


# --- commands, hosts ---------------------------------------------------------------------------


def test_a_typed_command_runs_in_the_home_of_who_typed_it(
    cast: Cast, channel: str, turn: str
) -> None:
    post_typed(cast.alice.pk, channel, "!true")
    queued = Turn.objects.get(kind="command")
    assert queued.starter_id == cast.alice.pk


def test_another_host_goes_on_in_the_starters_name(cast: Cast, channel: str, turn: str) -> None:
    Turn.objects.filter(id=turn).update(lease_until=None)
    taken = claim_turn(channel, "machine:2:b")
    assert taken is not None
    assert (taken.id, taken.place.user) == (turn, cast.bob.pk)


def test_a_rule_that_ends_waiting_requests_is_judged_with_those_of_each_starter(
    cast: Cast, channel: str, turn: str
) -> None:
    Rule.objects.create(scope="person", user=cast.bob, family="ask", text="Bash(ls *)")
    held = ask(cast, turn, "ls -l")
    other = start_turn_of_alice(cast)
    mine = ask(cast, other, "ls -l")
    given = Given("allow_always", rule="Bash(ls *)", scope="workspace")
    answer_permission(cast.alice.pk, mine.id, given)
    assert row(held.id).state == "pending"


def test_a_slash_command_tells_of_ones_own_rules(cast: Cast, channel: str, turn: str) -> None:
    for user, text in ((cast.alice, "Bash(hers)"), (cast.bob, "Bash(his)")):
        Rule.objects.create(scope="person", user=user, family="deny", text=text)
    line = parse_slash("/permissions", ("maia",))
    assert line is not None
    access = channel_for(cast.alice.pk, channel)
    found = slash.Found(rules=rule_files(access.workspace.place))
    reply = str(slash.answer(access, line, found=found))
    assert "Bash(hers)" in reply
    assert "Bash(his)" not in reply


def start_turn_of_alice(cast: Cast) -> str:
    second = create_channel(cast.alice.pk, cast.atelier.id, "second", members=("maia",))
    return start_turn(cast.alice.pk, second)
