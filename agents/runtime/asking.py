"""asked_call: what a person is told about a call that no rule allows."""

from __future__ import annotations

from django.utils.translation import gettext as _

from agents.domain.model_messages import ToolUseBlock
from agents.domain.offers import offers
from agents.domain.parts import ToolPart
from agents.domain.permission_requests import Reason, RuleOffer
from agents.domain.rule_verdict import RuleEntry, Verdict
from agents.domain.rules import Policy
from agents.selectors.permissions import CONTEXT, Rules, rule_author
from agents.services.permission_requests import Asked


def asked_call(call: ToolUseBlock, part: ToolPart, verdict: Verdict, rules: Rules) -> Asked:
    """Says why it is asked, and which rules would allow the call; sentences in the language set."""
    return Asked(
        call_id=call.id,
        tool=call.name,
        input=call.input,
        part=part,
        verdict=verdict,
        reason=_reason(call, verdict, rules),
        offers=_working_offers(call, rules),
    )


def _reason(call: ToolUseBlock, verdict: Verdict, rules: Rules) -> Reason:
    origin = verdict.origin or ""
    in_file = bool(origin) and not origin.isdecimal()
    return Reason(
        rule=verdict.rule,
        scope=verdict.scope,
        part=verdict.part,
        sentence=verdict.sentence(_),
        by=rule_author(origin) or None,
        file=origin if in_file else None,
        untrusted=bool(rules.untrusted) and _allowed_with(call, rules, rules.untrusted),
    )


def _working_offers(call: ToolUseBlock, rules: Rules) -> tuple[RuleOffer, ...]:
    """Leaves out what would change nothing: an ask rule goes on asking."""
    return tuple(
        offer
        for offer in offers(call.name, call.input, CONTEXT, _)
        if _allowed_with(
            call, rules, tuple(RuleEntry("allow", rule) for rule in (offer.rule, *offer.also))
        )
    )


def _allowed_with(call: ToolUseBlock, rules: Rules, more: tuple[RuleEntry, ...]) -> bool:
    policy = Policy((*rules.entries, *more))
    return policy.evaluate(call.name, call.input, CONTEXT).family == "allow"
