"""Trusted files: whose `allow` rules count, by the content somebody trusted."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from agents.domain.rules.files import RuleFile
from agents.domain.rules.text import FAMILIES
from agents.models import TrustedFile
from workspaces.domain.places import Place


def is_trusted(place: Place, file: RuleFile) -> bool:
    """Returns whether this person trusts exactly this content here."""
    return bool(file.sha256) and trusted_digest(place.user, place.workspace) == file.sha256


def trusted_digest(user_id: int, workspace_id: str) -> str:
    """Returns the digest of the content this person trusted here last, "" for none."""
    rows = TrustedFile.objects.filter(user=user_id, workspace=workspace_id)
    return rows.values_list("sha256", flat=True).first() or ""


def file_wire(file: RuleFile, *, trusted: bool) -> dict[str, Any]:
    """Returns a file as programs read it; `allow` counts only where it is trusted."""
    return {
        "path": file.path,
        "sha256": file.sha256,
        "trusted": trusted and bool(file.sha256),
        **{family: [entry.text for entry in file.of(family)] for family in FAMILIES},
        "problems": [
            {"entry": problem.entry, "why": problem.sentence(_)} for problem in file.problems
        ],
    }
