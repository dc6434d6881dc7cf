"""working_offers: the rules that would really let a call run, beside those there are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.domain.rules.offers import offers
from agents.domain.rules.policy import Policy
from agents.domain.rules.requests import RuleOffer
from agents.domain.rules.verdict import RuleEntry
from agents.selectors.permissions.policies import Rules


def working_offers(tool: str, input: Mapping[str, Any], rules: Rules) -> tuple[RuleOffer, ...]:
    """Leaves out what would change nothing: an ask rule goes on asking."""
    return tuple(
        offer
        for offer in offers(tool, input, rules.context)
        if allowed_with(
            tool,
            input,
            rules,
            tuple(RuleEntry("allow", rule) for rule in (offer.rule, *offer.also)),
        )
    )


def allowed_with(
    tool: str, input: Mapping[str, Any], rules: Rules, more: tuple[RuleEntry, ...]
) -> bool:
    """Returns whether the rules and some more would allow a call."""
    policy = Policy((*rules.entries, *more))
    return policy.evaluate(tool, input, rules.context).family == "allow"
