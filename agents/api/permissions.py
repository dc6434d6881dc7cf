"""REST: permission requests (seed S, AnswerPermission)."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from ninja import Router

from agents.api.schemas import AnswerIn
from agents.selectors.permissions import requests_waiting_for
from agents.services.permissions import Given, answer_permission

router = Router(tags=["permissions"])


@router.get("", summary="Requests that wait for me")
def waiting(request: HttpRequest) -> list[dict[str, Any]]:
    """Every pending request this person may answer, oldest first."""
    return [one.wire() for one in requests_waiting_for(int(request.user.pk or 0))]


@router.post("/{request_id}", summary="AnswerPermission", response={204: None})
def answer(request: HttpRequest, request_id: str, body: AnswerIn) -> tuple[int, None]:
    """Answers a request with one of its options; the first answer wins."""
    given = Given(body.option, body.rule, body.scope, body.instruction)
    answer_permission(int(request.user.pk or 0), request_id, given)
    return 204, None
