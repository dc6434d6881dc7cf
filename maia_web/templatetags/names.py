"""Names of people and things within the sentences of pages."""

from __future__ import annotations

from django import template

from maia_web.lib.names.isolate import isolated

register = template.Library()


@register.filter(name="isolated")
def as_isolated(name: object) -> str:
    """Returns a name that turns nothing around it, whichever way it runs."""
    return isolated(str(name))
