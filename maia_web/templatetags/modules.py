"""Template tags that tell the browser where its modules are."""

from __future__ import annotations

from django import template
from django.utils.safestring import SafeString, mark_safe

from maia_web.pages import importmap

register = template.Library()


@register.simple_tag
def import_map() -> SafeString:
    """Returns the import map, for a script element with the page's nonce."""
    return mark_safe(importmap.import_map())  # noqa: S308 - JSON with every "<" escaped


@register.simple_tag
def preload_modules(*names: str) -> list[str]:
    """Returns the addresses of modules the page needs at once."""
    return importmap.modules_for_page(*names)
