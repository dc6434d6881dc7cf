"""What a new rule releases: the waiting requests that it allows."""

from __future__ import annotations

from functools import cache

from django.db import transaction
from django.utils import timezone

from agents.delivery import dispatch
from agents.domain.rules.verdict import Verdict
from agents.library.rule_files import rule_files
from agents.models import PermissionRequest as RequestRow
from agents.services.channels.frames import lock_channel
from agents.services.permissions.request_rows import fresh, judged, rules_of
from agents.services.permissions.requests import publish_resolved, record_outcome


def release_allowed(user_id: int, scope: str, workspace_id: str = "") -> int:
    """Ends the requests in reach of a new rule that are allowed by now; returns how many.

    `user_id` is who wrote the rule: it stands with the requests as the one who allowed them.
    """
    waiting = RequestRow.objects.filter(state="pending")
    if scope == "person":
        waiting = waiting.filter(turn__starter=user_id)
    elif scope == "workspace":
        waiting = waiting.filter(channel__workspace=workspace_id)
    read = cache(rule_files)
    released = 0
    for row in waiting.select_related("turn__agent", "channel__workspace").order_by("id"):
        verdict = judged(row, None, rules_of(row, read))
        if verdict.family == "allow":
            released += _release(row, verdict, user_id)
    return released


@transaction.atomic
def _release(row: RequestRow, verdict: Verdict, user_id: int) -> int:
    lock_channel(row.channel_id)
    changed = RequestRow.objects.filter(id=row.id, state="pending").update(
        state="answered",
        option="rule",
        rule=verdict.rule or "",
        answered_by=user_id,
        answered_at=timezone.now(),
    )
    if changed:
        latest = fresh(row.id)
        record_outcome(latest, user_id, "rule", verdict.scope or "")
        publish_resolved(latest)
        dispatch.hint_on_commit("request", row.id)
    return changed
