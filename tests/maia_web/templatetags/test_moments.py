"""Dates look the same on every page, in the language of the reader."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.template import Context, Template
from django.utils import timezone, translation

AT = datetime(2026, 11, 30, 9, 12, 41, tzinfo=UTC)


@pytest.mark.parametrize(
    ("language", "look", "shown"),
    [
        ("en", "moment", "30 Nov 2026, 09:12"),
        ("fr", "moment", "30 nov. 2026, 09:12"),
        ("en", "second", "30 Nov 2026, 09:12:41"),
        ("fr", "day", "30 nov. 2026"),
    ],
)
@pytest.mark.parametrize("at", [AT, AT.isoformat(), "2026-11-30T09:12:41Z"])
def test_a_date_is_short_for_people_and_exact_for_machines(
    language: str, look: str, shown: str, at: object
) -> None:
    with translation.override(language), timezone.override(UTC):
        page = Template("{% load moments %}{{ at|" + look + " }}").render(Context({"at": at}))
    assert page == (
        f'<time datetime="2026-11-30T09:12:41+00:00" title="2026-11-30 09:12:41 UTC">{shown}</time>'
    )


def test_no_date_is_nothing() -> None:
    assert Template("{% load moments %}{{ at|moment }}").render(Context({"at": None})) == ""
