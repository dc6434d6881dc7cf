"""The rules that an answer writes: offered or one's own, each covering the call it answers."""

from __future__ import annotations

from django.utils.translation import gettext as _

from agents.domain.rules.policy import Policy
from agents.domain.rules.requests import PermissionRequest, RuleScope
from agents.domain.rules.text import PermissionRule, parse_rule, split_rules
from agents.domain.rules.verdict import RuleEntry, shown
from agents.models import PermissionRequest as RequestRow
from agents.models import Rule
from agents.selectors.conversation.channels import ChannelAccess
from agents.services import audit
from agents.services.permissions.checked_rules import checked_rule
from agents.services.permissions.request_rows import (
    rules_of,
)
from agents.services.permissions.requests import input_of
from maia_web.lib.errors import InvalidInput, NotAllowed


def write_rules(access: ChannelAccess, row: RequestRow, scope: RuleScope, rule: str) -> None:
    """Keeps the rules of an answer in the transaction of the answer.

    Raises `NotAllowed` where the person may add none there, `InvalidInput` where a rule is none, or
    does not cover the call.
    """
    if scope == "workspace" and access.role != "owner":
        raise NotAllowed(_("Only owners may add rules to the workspace."))
    texts = _given_rules(row, rule)
    _refuse_beside(row, texts)
    for text in texts:
        _keep_rule(access, scope, text, _bound(row, text))
    row.rule, row.rule_scope = "\n".join(texts), scope
    row.save(update_fields=["rule", "rule_scope"])


def _given_rules(row: RequestRow, given: str) -> list[str]:
    """Returns the rules of an answer, one a line; an offered rule may itself have several lines."""
    for offer in PermissionRequest.model_validate(row.content).offers:
        rules = [offer.rule, *offer.also]
        if given.strip() == "\n".join(rules).strip():
            return rules
    rules = split_rules(given)
    if not rules:
        raise InvalidInput(_("No rule was given."), field="rule")
    for text in rules:
        checked_rule(text)
    return rules


def _refuse_beside(row: RequestRow, texts: list[str]) -> None:
    """Raises `InvalidInput` where new rules would not cover the call that runs with them."""
    part = PermissionRequest.model_validate(row.content).tool_call
    rules = rules_of(row)
    allows = (entry for entry in rules.entries if entry.family == "allow")
    policy = Policy((*allows, *(RuleEntry("allow", text) for text in texts)))
    verdict = policy.evaluate(part.name, row.edited or input_of(part), rules.context)
    if verdict.family == "allow":
        return
    rule = shown("; ".join(texts))
    values = {"rule": rule, "call": shown(verdict.part or part.title or part.name)}
    message = _("This rule does not cover the call: %(rule)s does not match %(call)s.") % values
    raise InvalidInput(message, code="rule-beside-call", field="rule", rule=rule)


def _bound(row: RequestRow, text: str) -> str:
    """Returns the definition that a new rule for the tool of a request holds for, "" for any."""
    request = PermissionRequest.model_validate(row.content)
    parsed = parse_rule(text)
    same = isinstance(parsed, PermissionRule) and parsed.tool == request.tool_call.name
    return request.definition if same else ""


def _keep_rule(access: ChannelAccess, scope: RuleScope, text: str, definition: str) -> None:
    owner = {"workspace_id": access.workspace.id} if scope == "workspace" else {}
    person = {"user_id": access.user} if scope == "person" else {}
    _rule, made = Rule.objects.get_or_create(
        scope=scope,
        family="allow",
        text=text,
        definition=definition,
        enabled=True,
        **owner,
        **person,
        defaults={"added_by_id": access.user},
    )
    if made:
        audit.record(
            "rule",
            "added",
            user=access.user,
            workspace=access.workspace.id if scope == "workspace" else None,
            verdict="allow",
            rule=text,
            scope=scope,
        )
