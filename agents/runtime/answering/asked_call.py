"""asked_call: what a person is told about a call that no rule allows."""

from __future__ import annotations

from itertools import islice

from agents.domain.content.model_messages import ToolUseBlock
from agents.domain.content.parts import ToolPart
from agents.domain.rules.requests import Reason
from agents.domain.rules.verdict import shown
from agents.selectors.permissions.offers import allowed_with, working_offers
from agents.selectors.permissions.policies import Judged, Rules, rule_author
from agents.services.permissions.requests import Asked

MAX_LINKS = 20
"""As many links of a call stand on its card."""


def asked_call(
    call: ToolUseBlock, part: ToolPart, judged: Judged, rules: Rules, definition: str = ""
) -> Asked:
    """Says why it is asked, and which rules would allow the call, in codes for every language.

    `definition`: of a custom tool.
    """
    return Asked(
        call_id=call.id,
        tool=call.name,
        input=call.input,
        part=part,
        verdict=judged.verdict,
        reason=_reason(call, judged, rules),
        offers=working_offers(call.name, call.input, rules),
        definition=definition,
        leads=judged.leads,
    )


def _reason(call: ToolUseBlock, judged: Judged, rules: Rules) -> Reason:
    verdict = judged.verdict
    links = (shown(one) for one in judged.links if one not in verdict.part)
    origin = verdict.origin or ""
    in_file = bool(origin) and not origin.isdecimal()
    return Reason(
        rule=verdict.rule,
        scope=verdict.scope,
        part=verdict.part,
        code=verdict.code,
        params=dict(verdict.params),
        sentence=verdict.sentence(),
        by=rule_author(origin) or None,
        file=origin if in_file else None,
        untrusted=bool(rules.untrusted)
        and allowed_with(call.name, call.input, rules, rules.untrusted),
        links=tuple(islice(links, MAX_LINKS)),
    )
