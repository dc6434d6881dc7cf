"""Dates as every page shows them: localised, one format, with the exact moment for machines."""

from __future__ import annotations

from datetime import datetime

from django import template
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

register = template.Library()
DAY, MINUTE, SECOND = "", ", H:i", ", H:i:s"


@register.filter
def moment(value: datetime | str | None) -> SafeString | str:
    """Returns day and time as a `<time>`; "" for no date. Text is read as ISO 8601."""
    return _shown(value, MINUTE)


@register.filter
def second(value: datetime | str | None) -> SafeString | str:
    """Returns the moment to the second."""
    return _shown(value, SECOND)


@register.filter
def day(value: datetime | str | None) -> SafeString | str:
    """Returns the day alone."""
    return _shown(value, DAY)


def _shown(value: datetime | str | None, look: str) -> SafeString | str:
    if not value:
        return ""
    exact = datetime.fromisoformat(value) if isinstance(value, str) else value
    local = timezone.localtime(exact)
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        local.isoformat(timespec="seconds"),
        f"{local:%Y-%m-%d %H:%M:%S %Z}",
        # Translators: the format of a day, as of Django's template filter "date"
        date_format(local, _("j M Y") + look),
    )
