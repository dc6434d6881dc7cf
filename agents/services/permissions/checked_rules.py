"""Reads what a person wrote as one rule or several, or tells them why it is none."""

from __future__ import annotations

from django.utils.translation import gettext as _

from agents.domain.rules.text import RuleProblem, parse_rule, split_rules
from agents.domain.rules.verdict import SENTENCES, shown
from maia_web.lib.errors import InvalidInput


def checked_rules(text: str) -> list[str]:
    """Returns the rules of a text, one a line; raises `InvalidInput` for none, and as below."""
    texts = [_checked(one) for one in split_rules(text)]
    if not texts:
        raise InvalidInput(_("No rule was given."), field="rule")
    return texts


def checked_rule(text: str) -> str:
    """Returns the one rule of a text, without blanks around it; raises `InvalidInput`.

    Two rules, one a line, are never taken for one about what stands between their brackets.
    """
    texts = split_rules(text) or [""]
    if len(texts) > 1:
        raise InvalidInput(_("This is more than one rule."), field="rule")
    return _checked(texts[0])


def _checked(text: str) -> str:
    parsed = parse_rule(text)
    if isinstance(parsed, RuleProblem):
        values = {"rule": shown(text), "why": _(SENTENCES[parsed.code])}
        message = _("%(rule)s is not a rule: %(why)s") % values
        raise InvalidInput(message, field="rule", rule=shown(text))
    return text.strip(" \t\n")
