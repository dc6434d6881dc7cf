"""The audit log as administrators read it: filtered, by pages, newest first."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from agents.domain.rules.tried_input import text_from_input
from agents.models import AuditEntry, PolicySettings
from agents.models.audit import KINDS
from agents.selectors.people import administrator
from agents.selectors.values import moment
from maia_web.accounts.models import User
from maia_web.lib.db import in_db
from maia_web.lib.errors import InvalidInput
from maia_web.lib.values import Value

AUDIT_KINDS = tuple(kind for kind, _label in KINDS)
PAGE = 50
CHUNK = 500
FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
CONTROL = ("\t", "\r", "\n")
COLUMNS = (
    "id", "at", "kind", "user", "onBehalfOf", "workspace", "workspaceName", "channel", "agent",
    "tool", "input", "verdict", "rule", "scope", "part", "outcome", "delayMs", "address",
)  # fmt: skip


class AuditLine(Value):
    """One line of the log."""

    id: int
    at: str
    kind: str
    user: str = ""
    on_behalf_of: str = ""
    workspace: str = ""
    workspace_name: str = ""
    channel: str = ""
    agent: str = ""
    tool: str = ""
    input: dict[str, Any] = {}
    verdict: str = ""
    rule: str = ""
    scope: str = ""
    part: str = ""
    outcome: str = ""
    delay_ms: int = 0
    address: str = ""

    @property
    def call(self) -> str:
        """The call in one text, as it would be typed."""
        shown = self.input.get("edited") or self.input.get("asked") or self.input
        return text_from_input(self.tool, shown) if self.tool and isinstance(shown, dict) else ""


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Which lines are wanted; "" means all.

    `who` is a username, in any case: who did it, or for whom. `workspace` is an id, or a part of a
    name, in any case.
    """

    kind: str = ""
    who: str = ""
    workspace: str = ""
    agent: str = ""
    tool: str = ""
    verdict: str = ""
    outcome: str = ""
    since: str = ""
    until: str = ""

    def as_query(self) -> dict[str, str]:
        """Returns the filters that are set, as they stand in an address."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value}


def audit_page(
    user_id: int, wanted: AuditFilter, before: int | None = None, limit: int = PAGE
) -> tuple[tuple[AuditLine, ...], int | None]:
    """Returns the lines before an id, and the id to go on with; administrators only.

    Raises `InvalidInput` for a date that is none.
    """
    administrator(user_id)
    return _page(wanted, before, limit)


def audit_days() -> int | None:
    """Returns after how many days lines are dropped, None for never."""
    return PolicySettings.objects.values_list("audit_days", flat=True).filter(pk=1).first()


async def audit_csv(wanted: AuditFilter) -> AsyncIterator[str]:
    """Yields all lines as CSV; no cell is a formula, and Excel reads it as UTF-8 (its mark)."""
    yield "\ufeff" + _csv_row(list(COLUMNS))
    async for line in _all(wanted):
        wire = line.wire()
        yield _csv_row([_cell(wire.get(column, "")) for column in COLUMNS])


async def audit_jsonl(wanted: AuditFilter) -> AsyncIterator[str]:
    """Yields all lines, one JSON object each."""
    async for line in _all(wanted):
        yield json.dumps(line.wire(), ensure_ascii=False) + "\n"


def checked_filter(wanted: AuditFilter) -> AuditFilter:
    """Returns the filter; raises `InvalidInput` for a date that is none."""
    _rows(wanted)
    return wanted


async def _all(wanted: AuditFilter) -> AsyncIterator[AuditLine]:
    before: int | None = None
    while True:
        lines, before = await in_db(_page)(wanted, before, CHUNK)
        for line in lines:
            yield line
        if before is None:
            return


def _page(
    wanted: AuditFilter, before: int | None, limit: int
) -> tuple[tuple[AuditLine, ...], int | None]:
    rows = _rows(wanted).select_related("on_behalf_of").order_by("-id")
    if before is not None:
        rows = rows.filter(id__lt=before)
    found = list(rows[: limit + 1])
    more = found[limit - 1].pk if len(found) > limit else None
    return tuple(_line(row) for row in found[:limit]), more


def _rows(wanted: AuditFilter) -> QuerySet[AuditEntry]:
    rows: QuerySet[AuditEntry] = AuditEntry.objects.all()
    for name in ("kind", "agent", "tool", "verdict", "outcome"):
        value = getattr(wanted, name)
        if value:
            rows = rows.filter(**{name: value})
    if wanted.who:
        name = User.normalize_username(wanted.who)
        rows = rows.filter(Q(who__iexact=name) | Q(on_behalf_of__username__iexact=name))
    if wanted.workspace:
        # a regular expression, since SQLite's LIKE knows the case of ASCII alone
        part = re.escape(wanted.workspace)
        rows = rows.filter(Q(workspace=wanted.workspace) | Q(place__iregex=part))
    if wanted.since:
        rows = rows.filter(at__gte=_moment(wanted.since, "since"))
    if wanted.until:
        rows = rows.filter(at__lt=_moment(wanted.until, "until"))
    return rows


def _moment(text: str, field: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput(_("This is not a date."), field=field) from None
    return found if found.tzinfo else found.astimezone()


def _line(row: AuditEntry) -> AuditLine:
    return AuditLine(
        id=row.pk,
        at=moment(row.at),
        kind=row.kind,
        user=row.who,
        on_behalf_of=row.on_behalf_of.username if row.on_behalf_of else "",
        workspace=row.workspace_id or "",
        workspace_name=row.place,
        channel=row.channel_id or "",
        agent=row.agent,
        tool=row.tool,
        input=row.input if isinstance(row.input, dict) else {"value": row.input},
        verdict=row.verdict,
        rule=row.rule,
        scope=row.scope,
        part=row.part,
        outcome=row.outcome,
        delay_ms=row.delay_ms,
        address=row.address,
    )


def _csv_row(cells: list[str]) -> str:
    out = io.StringIO()
    csv.writer(out).writerow(cells)
    return out.getvalue()


def _cell(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else str(value)
    return f"'{text}" if text.lstrip().startswith(FORMULA) or text[:1] in CONTROL else text
