"""REST: permission requests (seed S, AnswerPermission), and calls that are only tried."""

from __future__ import annotations

from typing import Annotated, Any

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Router, Schema, Status
from pydantic import Field

from agents.api.schemas import AnswerIn
from agents.domain.rules.request_words import in_words, offer_in_words
from agents.selectors.permissions.policies import requests_waiting_for
from agents.selectors.permissions.tester import verdict_info
from agents.services.permissions.answers import Given, answer_permission, judge_edit
from agents.services.permissions.proposals import decline, propose
from agents.services.permissions.trials import try_call

router = Router(tags=["permissions"])


class TryIn(Schema):
    """A call to try: whose, where, of which agent. `person` 0 is oneself."""

    workspace: Annotated[str, Field(max_length=64)]
    tool: Annotated[str, Field(max_length=200)]
    input: dict[str, Any]
    agent: Annotated[str, Field(max_length=64)] = "maia"
    person: int = 0


class EditIn(Schema):
    """The input of a request with another command."""

    input: dict[str, Any]


class ProposalIn(EditIn):
    """The same, for the starter to decide; `digest` is that of the request that was shown."""

    digest: Annotated[str, Field(max_length=64)] = ""


class DeclinedIn(Schema):
    """The proposal that is not wanted, by its id."""

    proposal: Annotated[str, Field(max_length=64)]


def _user(request: HttpRequest) -> int:
    return int(request.user.pk or 0)


@router.get("", summary="Requests that wait for me")
def waiting(request: HttpRequest) -> list[dict[str, Any]]:
    """Every pending request this person may answer, oldest first."""
    return [in_words(one, _).wire() for one in requests_waiting_for(_user(request))]


@router.post("/test", summary="Try a call")
def test(request: HttpRequest, body: TryIn) -> dict[str, Any]:
    """The verdict of the rules, its parts, and every rule that matched; nothing runs.

    Administrators may try calls as any member of a workspace.
    """
    verdict = try_call(
        _user(request), body.workspace, body.tool, body.input, person=body.person, agent=body.agent
    )
    return verdict.wire()


@router.post("/{request_id}", summary="AnswerPermission", response={204: None})
def answer(request: HttpRequest, request_id: str, body: AnswerIn) -> Status[None]:
    """Answers a request with one of its options; the first answer wins.

    With `input` the starter of the turn edited the command, with `proposal` they accept what
    somebody else proposed: the rules look at it again, and the agent is told.
    """
    given = Given(
        body.option,
        body.rule,
        body.scope,
        body.instruction,
        body.input,
        body.digest,
        body.proposal,
    )
    answer_permission(_user(request), request_id, given)
    return Status(204, None)


@router.post("/{request_id}/propose", summary="Propose another command", response={204: None})
def propose_input(request: HttpRequest, request_id: str, body: ProposalIn) -> Status[None]:
    """Proposes to the starter of the turn what else to run; nothing runs until they accept it."""
    propose(_user(request), request_id, body.input, body.digest)
    return Status(204, None)


@router.post("/{request_id}/decline", summary="Decline a proposal", response={204: None})
def decline_proposal(request: HttpRequest, request_id: str, body: DeclinedIn) -> Status[None]:
    """Takes a proposal away, for the starter or who made it; the request waits on."""
    decline(_user(request), request_id, body.proposal)
    return Status(204, None)


@router.post("/{request_id}/edit", summary="What the rules say about an edited command")
def edit(request: HttpRequest, request_id: str, body: EditIn) -> dict[str, Any]:
    """The verdict, and the rules that would allow it; answers nothing."""
    verdict, offers = judge_edit(_user(request), request_id, body.input)
    told = [offer_in_words(one, _).wire() for one in offers]
    return {**verdict_info(verdict).wire(), "offers": told}
