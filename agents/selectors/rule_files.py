"""The rules that stand in files: a person's own, and those of a workspace."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from django.utils.translation import gettext as _

from agents.domain.rules.files import (
    HOME_FILE,
    WORKSPACE_FILE,
    FileProblem,
    RuleFile,
    read_rule_file,
)
from agents.domain.rules.text import FAMILIES
from agents.models import TrustedFile
from workspaces.domain.entries import FileError
from workspaces.domain.places import Place
from workspaces.files.local import LocalFiles

MAX_FILE = 1024 * 1024
_SCOPES = {HOME_FILE: "person", WORKSPACE_FILE: "workspace"}


def home_rules(place: Place) -> RuleFile:
    """Returns the rules of `~/.maia/settings.json` as it is now."""
    return _read(place, HOME_FILE)


def workspace_rules(place: Place) -> RuleFile:
    """Returns the rules of the workspace's `.maia/settings.json`, as this person's files show it.

    No link is followed: agents cannot write this file, but others (decision 0011). Its `allow`
    rules count only if `is_trusted`.
    """
    return _read(place, WORKSPACE_FILE)


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


def _read(place: Place, path: str) -> RuleFile:
    try:
        content = LocalFiles(place).read_bytes(path, MAX_FILE, links=path == HOME_FILE)
    except FileError as error:
        if error.code == "not-found":
            return RuleFile(path)
        return RuleFile(path, problems=(FileProblem("file-unreadable", why=str(error)),))
    return _parsed(path, content)


@lru_cache(maxsize=64)
def _parsed(path: str, content: bytes) -> RuleFile:
    return read_rule_file(path, content, _SCOPES[path])
