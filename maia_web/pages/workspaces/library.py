"""The library of a workspace as its page shows it: what agents find, and what is broken."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from agents.library.found import library_of
from agents.library.settings_files import settings_files
from agents.selectors.warnings import library_warnings, settings_warnings
from workspaces.domain.places import Place


def library_facts(place: Place) -> dict[str, Any]:
    """Returns skills and tools as (name, description, whose), and what is broken in words."""
    found = library_of(place)
    whose = {"workspace": _("workspace"), "team": _("team"), "home": _("yours")}
    return {
        "instructions": found.instructions,
        "skills": [(one.name, one.description, whose[one.source]) for one in found.skills],
        "tools": [(one.tool.name, one.tool.description, whose[one.source]) for one in found.tools],
        "warnings": [*settings_warnings(settings_files(place)), *library_warnings(found)],
    }
