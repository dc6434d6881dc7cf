"""Rules in force for a turn, and the requests that wait."""

from __future__ import annotations

from typing import cast

from django.db.models import Q

from agents.domain.permission_requests import PermissionRequest
from agents.domain.rule_text import Family
from agents.domain.rule_verdict import RuleEntry
from agents.models import PermissionRequest as RequestRow
from agents.models import Rule
from agents.selectors.channels import channels_of
from agents.selectors.values import request_value


def rules_for(workspace_id: str, user_id: int, agent: str) -> tuple[RuleEntry, ...]:
    """Returns every enabled rule of the site, the workspace, the person and the agent."""
    rows = Rule.objects.filter(enabled=True).filter(
        Q(scope="site")
        | Q(scope="workspace", workspace=workspace_id)
        | Q(scope="person", user=user_id)
        | Q(scope="agent", agent__name=agent)
    )
    return tuple(
        RuleEntry(cast(Family, family), text, scope)
        for family, text, scope in rows.order_by("id").values_list("family", "text", "scope")
    )


def request_state(request_id: str) -> PermissionRequest | None:
    """Returns a request as it is now, for the turn that waits for it."""
    row = RequestRow.objects.select_related("answered_by").filter(id=request_id).first()
    return request_value(row) if row else None


def requests_waiting_for(user_id: int) -> tuple[PermissionRequest, ...]:
    """Returns the pending requests this person may answer, oldest first."""
    channels = {info.id: info for info in channels_of(user_id)}
    rows = RequestRow.objects.filter(channel__in=channels, state="pending").select_related("turn")
    return tuple(
        request_value(row)
        for row in rows
        if channels[row.channel_id].role == "owner"
        or (row.turn.starter_id == user_id and channels[row.channel_id].role == "editor")
    )
