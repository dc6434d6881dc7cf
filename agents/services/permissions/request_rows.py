"""Request rows: a permission request as somebody who may answer it reaches it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from agents.domain.content.storable import storable_json
from agents.domain.rules.files import RuleFiles
from agents.domain.rules.requests import PermissionRequest
from agents.domain.rules.verdict import Verdict
from agents.library.rule_files import rule_files
from agents.models import PermissionRequest as RequestRow
from agents.selectors.conversation.channels import ChannelAccess, channel_for, may_answer_all
from agents.selectors.permissions.policies import Rules, rules_for
from agents.selectors.values import answer_value
from agents.services.permissions.requests import input_of
from maia_web.lib.errors import Conflict, InvalidInput, NotAllowed, NotFound
from workspaces.domain.places import Place
from workspaces.files.real_paths import RealPaths


def answerable(user_id: int, request_id: str) -> tuple[RequestRow, ChannelAccess]:
    """Returns a request this person may answer; raises `NotFound`, `NotAllowed`."""
    row = (
        RequestRow.objects.select_related(
            "turn__agent", "turn__starter", "channel__workspace", "answered_by", "proposed_by"
        )
        .filter(id=request_id)
        .first()
    )
    if row is None:
        raise NotFound(_("There is no such request."))
    try:
        access = channel_for(user_id, row.channel_id)
    except NotFound:
        raise NotFound(_("There is no such request.")) from None
    if not is_starter(row, access) and not may_answer_all(access.workspace):
        raise NotAllowed(
            _("Only the person who asked, or an owner of the workspace, may answer this.")
        )
    return row, access


def is_starter(row: RequestRow, access: ChannelAccess) -> bool:
    """Tells whether this person asked for the turn: what is allowed runs in their home."""
    return row.turn.starter_id == access.user and access.role != "viewer"


def judged(row: RequestRow, edited: dict[str, Any] | None, rules: Rules) -> Verdict:
    """Returns what the rules say, about the files that the call names now: not for `in_db`."""
    part = PermissionRequest.model_validate(row.content).tool_call
    input = input_of(part) if edited is None else edited
    return rules.judge(part.name, input, names_of(rules)).verdict


def names_of(rules: Rules) -> RealPaths | None:
    """Returns what looks up where paths lead, None where nobody is to be told."""
    return None if rules.place is None else RealPaths(rules.place)


def rules_of(row: RequestRow, read: Callable[[Place], RuleFiles] = rule_files) -> Rules:
    """Returns the rules in force for the turn's person there, with those in files: not for `in_db`.

    Turn, agent and workspace of the row are selected. `read` reads the files.
    """
    workspace = row.channel.workspace
    place = Place(workspace.id, workspace.number, row.turn.starter_id or 0)
    definition = row.content.get("definition") or ""
    return rules_for(place, row.turn.agent_id, read(place), definition)


def rules_told(row: RequestRow, access: ChannelAccess) -> Rules:
    """Returns the rules that look at a command this person types instead.

    Only the starter's look says what is in the starter's home: their own rules, and where links
    lead. Others would learn all of it by typing; their proposal is judged anew when it is accepted.
    """
    rules = rules_of(row)
    if is_starter(row, access):
        return rules
    shared = tuple(one for one in rules.entries if one.scope != "person")
    return replace(rules, entries=shared, place=None)


def refuse_denied(verdict: Verdict) -> None:
    """Raises `NotAllowed` for what a deny rule forbids."""
    if verdict.family == "deny":
        raise NotAllowed(verdict.sentence(_), code="denied-by-rule", rule=verdict.rule)


def refuse_other(row: RequestRow, digest: str) -> None:
    """Raises `Conflict` where another call was shown; "" leaves it open what was."""
    if digest and digest != row.digest:
        raise Conflict(_("The request is another one than the one you saw."), code="other-call")


def edited_input(row: RequestRow, input: dict[str, Any] | None) -> dict[str, Any] | None:
    """Returns the input with another command, None where it is the same.

    Only the text of a command can be edited: it is all that the card shows of it.
    """
    asked = input_of(PermissionRequest.model_validate(row.content).tool_call)
    if input is None or input == asked:
        return None
    command = input.get("command")
    if not isinstance(asked.get("command"), str) or not isinstance(command, str):
        raise InvalidInput(_("Only a command can be edited."), field="input")
    if not command.strip():
        raise InvalidInput(_("There is nothing to run"), field="input")
    if {**asked, "command": ""} != {**input, "command": ""}:
        raise InvalidInput(_("Only a command can be edited."), field="input")
    if storable_json(input) != input:
        raise InvalidInput(_("The command contains control characters"), field="input")
    return input


def fresh(request_id: str) -> RequestRow:
    """Returns a request as it is now, with what its frames tell."""
    people = ("answered_by", "proposed_by")
    return RequestRow.objects.select_related("turn", "channel", *people).get(id=request_id)


def too_late(row: RequestRow) -> Conflict:
    """Returns that somebody was first, and who; or that another proposal took the place of one."""
    if row.state == "pending":
        return other_proposal()
    answer = answer_value(row)
    return Conflict(
        _("This request was answered already."),
        code="already-answered",
        state=row.state,
        answer=answer.wire() if answer else None,
    )


def other_proposal() -> Conflict:
    """Returns that the proposal somebody means is not the one that stands there."""
    message = _("The proposal is another one than the one you saw, or is gone.")
    return Conflict(message, code="other-proposal")
