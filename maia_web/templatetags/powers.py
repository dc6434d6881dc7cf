"""What an allow rule lets run besides what it says, in the reader's language."""

from __future__ import annotations

from collections.abc import Sequence

from django import template
from django.utils.translation import gettext as _

from agents.domain.rules.powers import powers, powers_sentence

register = template.Library()


@register.filter(name="powers")
def powers_of_rule(text: str) -> str:
    """Returns the sentence for the text of an allow rule; "" where nothing is to be said."""
    return powers_sentence(powers([text]), _)


@register.filter
def powers_in_words(names: Sequence[str]) -> str:
    """Returns the sentence for the programs of an offer."""
    return powers_sentence(names, _)
