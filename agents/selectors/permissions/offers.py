"""working_offers: the rules that would really let a call run, beside those there are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents.domain.rules.offers import offers
from agents.domain.rules.policy import Policy
from agents.domain.rules.requests import RuleOffer
from agents.domain.rules.verdict import RuleEntry
from agents.selectors.permissions.policies import CONTEXT, Rules
from workspaces.domain.real_paths import RealNames


def working_offers(
    tool: str, input: Mapping[str, Any], rules: Rules, real: RealNames | None
) -> tuple[RuleOffer, ...]:
    """Leaves out what would change nothing: an ask rule goes on asking.

    `real` looks up where paths lead, which takes a thread; None: nobody is told.
    """
    context = replace(CONTEXT, real=real)
    return tuple(
        offer
        for offer in offers(tool, input, context)
        if allowed_with(
            tool,
            input,
            rules,
            tuple(RuleEntry("allow", rule) for rule in (offer.rule, *offer.also)),
            real,
        )
    )


def allowed_with(
    tool: str,
    input: Mapping[str, Any],
    rules: Rules,
    more: tuple[RuleEntry, ...],
    real: RealNames | None,
) -> bool:
    """Returns whether the rules and some more would allow a call."""
    policy = Policy((*rules.entries, *more))
    return policy.evaluate(tool, input, replace(CONTEXT, real=real)).family == "allow"
