"""REST: the audit log, for administrators."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from django.http import HttpRequest, StreamingHttpResponse
from ninja import Query, Router, Schema
from pydantic import Field

from agents.selectors.audit import (
    AuditFilter,
    audit_csv,
    audit_days,
    audit_jsonl,
    audit_page,
    checked_filter,
)
from agents.selectors.people import administrator
from agents.services.audit import keep_audit_for, record

router = Router(tags=["audit"])


class FilterIn(Schema):
    """Which lines are wanted; dates as ISO 8601."""

    kind: str = ""
    who: str = ""
    workspace: str = ""
    agent: str = ""
    tool: str = ""
    verdict: str = ""
    outcome: str = ""
    since: str = ""
    until: str = ""


class KeepIn(Schema):
    """Days after which lines are dropped; null: never."""

    days: int | None = None


def _user(request: HttpRequest) -> int:
    return int(request.user.pk or 0)


@router.get("", summary="Lines of the audit log")
def lines(
    request: HttpRequest,
    wanted: Query[FilterIn],
    before: int | None = None,
    limit: Annotated[int, Field(ge=1, le=500)] = 50,
) -> dict[str, Any]:
    """Newest first; go on with `before` set to the `next` of the answer."""
    found, more = audit_page(_user(request), AuditFilter(**wanted.dict()), before, limit)
    return {"lines": [line.wire() for line in found], "next": more}


@router.get("/export", summary="Export")
def export(
    request: HttpRequest, wanted: Query[FilterIn], format: Literal["csv", "jsonl"] = "csv"
) -> Any:
    """All lines that are wanted, as CSV or JSON lines, streamed."""
    administrator(_user(request))
    return streamed(_user(request), AuditFilter(**wanted.dict()), format)


def streamed(user_id: int, wanted: AuditFilter, format: str) -> StreamingHttpResponse:
    """Returns the file as it is read from the database, and records that it was taken."""
    checked_filter(wanted)
    record("export", "audit", user=user_id, input={"format": format, **wanted.as_query()})
    body, kind = (
        (audit_jsonl(wanted), "application/jsonl")
        if format == "jsonl"
        else (audit_csv(wanted), "text/csv; charset=utf-8")
    )
    answer = StreamingHttpResponse(body, content_type=kind)
    answer["Content-Disposition"] = f'attachment; filename="audit.{format}"'
    return answer


@router.get("/settings", summary="How long the log is kept")
def settings(request: HttpRequest) -> dict[str, int | None]:
    """Days after which lines are dropped; null: never."""
    administrator(_user(request))
    return {"days": audit_days()}


@router.put("/settings", summary="Change it")
def change_settings(request: HttpRequest, body: KeepIn) -> dict[str, int | None]:
    """At least 30 days."""
    keep_audit_for(_user(request), body.days)
    return {"days": audit_days()}
