"""The audit log: what was decided or changed, written in the transaction that does it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from agents.models import AuditEntry, PolicySettings
from agents.selectors.people import administrator
from maia_web.accounts.models import User
from maia_web.lib.audit import Happened, came_from
from maia_web.lib.errors import InvalidInput
from workspaces.models import Workspace

SHORTEST_DAYS = 30
LONGEST_DAYS = 36_500


def record(kind: str, outcome: str, *, user: int | None = None, **fields: Any) -> None:
    """Adds a line; names of the person and the workspace are kept with it."""
    workspace = fields.pop("workspace", None)
    AuditEntry.objects.create(
        kind=kind,
        outcome=outcome,
        user_id=user,
        who=_username(user),
        workspace_id=workspace,
        place=_workspace_name(workspace),
        address=came_from.get()[:64],
        **fields,
    )


def record_happened(happened: Happened) -> None:
    """Keeps what accounts and workspaces tell."""
    record(
        happened.kind,
        happened.outcome,
        user=happened.user,
        workspace=happened.workspace,
        input=happened.facts,
    )


def _username(user_id: int | None) -> str:
    if user_id is None:
        return ""
    return User.objects.values_list("username", flat=True).filter(pk=user_id).first() or ""


def _workspace_name(workspace_id: str | None) -> str:
    if workspace_id is None:
        return ""
    names = Workspace.objects.values_list("name", flat=True)
    return names.filter(pk=workspace_id).first() or ""


def keep_audit_for(user_id: int, days: int | None) -> None:
    """Sets after how many days lines are dropped, None for never; administrators only."""
    administrator(user_id)
    if days is not None and not SHORTEST_DAYS <= days <= LONGEST_DAYS:
        raise InvalidInput(
            _("The audit log is kept for at least %(days)d days.") % {"days": SHORTEST_DAYS},
            field="days",
        )
    settings, _made = PolicySettings.objects.get_or_create(pk=1)
    settings.audit_days = days
    settings.save(update_fields=["audit_days"])
    record("setting", "audit-days", user=user_id, input={"days": days})


def rotate_audit(days: int | None = None) -> int:
    """Drops lines older than `days`, or than the administrators set; returns how many."""
    if days is None:
        days = PolicySettings.objects.values_list("audit_days", flat=True).filter(pk=1).first()
    if days is None:
        return 0
    before = timezone.now() - timedelta(days=max(days, SHORTEST_DAYS))
    old = AuditEntry.objects.filter(at__lt=before).order_by()
    count = old.count()
    if count:
        old._raw_delete(old.db)
        record("setting", "rotated", input={"lines": count, "days": days})
    return count
