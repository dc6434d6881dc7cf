"""The style sheets of each kind of page, in the order of the cascade; no template names one."""

from __future__ import annotations

from django import template
from django.templatetags.static import static
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

register = template.Library()

SHEETS = {
    "site": (
        "css/tokens.css",
        "css/base.css",
        "css/controls.css",
        "css/components.css",
        "css/conversation.css",
        "css/cards.css",
        "css/composer.css",
        "css/layout.css",
        "css/documents.css",
        "css/narrow.css",
    ),
    "pages": ("css/pages.css",),
    "app": ("vendor/xterm.css", "css/panel.css", "css/app.css", "css/replies.css"),
    "inbox": ("css/app.css", "css/replies.css", "css/rules.css"),
    "rules": ("css/rules.css",),
    "sessions": ("css/sessions.css",),
}
"""Every page has those of the site; a server-rendered one adds "pages", then its own."""


@register.simple_tag
def style_sheets(kind: str) -> SafeString:
    """Returns the links to the sheets of one kind of page; raises KeyError for an unknown kind."""
    links = ((static(sheet),) for sheet in SHEETS[kind])
    return format_html_join("\n", '<link rel="stylesheet" href="{}">', links)
