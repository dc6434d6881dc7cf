"""Reads what a person wrote as one rule or several, or tells them why it is none."""

from __future__ import annotations

from django.utils.translation import gettext as _

from agents.domain.rules.text import RuleProblem, parse_rule, split_rules
from agents.domain.rules.verdict import SENTENCES, shown
from maia_web.lib.errors import InvalidInput


def checked_rules(text: str) -> list[str]:
    """Returns the rules of a text, one a line; raises `InvalidInput` for none, and as below."""
    texts = [checked_rule(one) for one in split_rules(text)]
    if not texts:
        raise InvalidInput(_("No rule was given."), field="rule")
    return texts


def checked_rule(text: str, field: str = "rule") -> str:
    """Returns the rule without blanks around it; raises `InvalidInput` naming what is wrong."""
    parsed = parse_rule(text)
    if isinstance(parsed, RuleProblem):
        values = {"rule": shown(text), "why": _(SENTENCES[parsed.code])}
        message = _("%(rule)s is not a rule: %(why)s") % values
        raise InvalidInput(message, field=field, rule=shown(text))
    return text.strip(" \t\n")
