"""asked_call: what a person is told about a call that no rule allows."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from agents.domain.content.model_messages import ToolUseBlock
from agents.domain.content.parts import ToolPart
from agents.domain.rules.requests import Reason, RuleOffer
from agents.domain.rules.verdict import shown
from agents.selectors.permissions.offers import allowed_with, working_offers
from agents.selectors.permissions.policies import Judged, Rules, rule_author
from agents.services.permissions.requests import Asked
from workspaces.files.real_paths import RealPaths

MAX_LINKS = 20
"""As many links of a call stand on its card."""


@dataclass(frozen=True, slots=True)
class Release:
    """What would let a call run: rules to offer; `trust`: trusting the workspace's file."""

    offers: tuple[RuleOffer, ...] = ()
    trust: bool = False


def release_of(call: ToolUseBlock, rules: Rules) -> Release:
    """Returns what would let a call run, about the files that it names now: not for `in_db`."""
    real = None if rules.place is None else RealPaths(rules.place)
    offers = working_offers(call.name, call.input, rules, real)
    waiting = rules.untrusted
    trust = bool(waiting) and allowed_with(call.name, call.input, rules, waiting, real)
    return Release(offers, trust)


def asked_call(
    call: ToolUseBlock, part: ToolPart, judged: Judged, release: Release, definition: str = ""
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
        reason=_reason(judged, untrusted=release.trust),
        offers=release.offers,
        definition=definition,
        leads=judged.leads,
    )


def _reason(judged: Judged, *, untrusted: bool) -> Reason:
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
        untrusted=untrusted,
        links=tuple(islice(links, MAX_LINKS)),
    )
