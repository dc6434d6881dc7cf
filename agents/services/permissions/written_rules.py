"""The rules that an answer writes: offered or one's own, each covering the call it answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from agents.domain.rules.policy import Policy
from agents.domain.rules.requests import PermissionRequest, RuleScope
from agents.domain.rules.text import PermissionRule, parse_rule
from agents.domain.rules.verdict import RuleEntry, shown
from agents.models import PermissionRequest as RequestRow
from agents.selectors.conversation.channels import ChannelAccess
from agents.selectors.permissions.policies import CONTEXT, Rules
from agents.selectors.permissions.rules import home_of
from agents.services.permissions.checked_rules import checked_rules
from agents.services.permissions.request_rows import names_of
from agents.services.permissions.requests import input_of
from agents.services.permissions.rules import Entry, keep_rules
from maia_web.lib.errors import InvalidInput


def covering_rules(
    row: RequestRow, rule: str, edited: dict[str, Any] | None, rules: Rules
) -> list[str]:
    """Returns the rules of an answer, judged before its transaction: it looks at files.

    `edited`: what runs instead of the call. Raises `InvalidInput` where a rule is none, or does not
    cover the call.
    """
    texts = _given_rules(row, rule)
    _refuse_beside(row, texts, edited, rules)
    return texts


def write_rules(
    access: ChannelAccess, row: RequestRow, scope: RuleScope, texts: Sequence[str]
) -> None:
    """Keeps the rules of an answer in the transaction of the answer.

    Raises `NotAllowed` where the person may add none there.
    """
    home = home_of(access.user, scope, access.workspace.id)
    keep_rules(access.user, home, [Entry("allow", text, _bound(row, text)) for text in texts])
    row.rule, row.rule_scope = "\n".join(texts), scope
    row.save(update_fields=["rule", "rule_scope"])


def _given_rules(row: RequestRow, given: str) -> list[str]:
    """Returns the rules of an answer, one a line; an offered rule may itself have several lines."""
    for offer in PermissionRequest.model_validate(row.content).offers:
        rules = [offer.rule, *offer.also]
        if given.strip() == "\n".join(rules).strip():
            return rules
    return checked_rules(given)


def _refuse_beside(
    row: RequestRow, texts: list[str], edited: dict[str, Any] | None, rules: Rules
) -> None:
    """Raises `InvalidInput` where new rules would not cover the call that runs with them."""
    part = PermissionRequest.model_validate(row.content).tool_call
    allows = (entry for entry in rules.entries if entry.family == "allow")
    policy = Policy((*allows, *(RuleEntry("allow", text) for text in texts)))
    context = replace(CONTEXT, real=names_of(rules))
    verdict = policy.evaluate(part.name, edited or input_of(part), context)
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
