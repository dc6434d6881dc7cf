"""The rules that stand in files: a person's own, and those of a workspace.

They are read anew each time, whatever their times say: what a call is judged by is what stands
there in that moment. Only what a content means is kept.
"""

from __future__ import annotations

from functools import lru_cache

from agents.domain.rules.files import (
    HOME_FILE,
    WORKSPACE_FILE,
    FileProblem,
    RuleFile,
    RuleFiles,
    read_rule_file,
)
from workspaces.domain.entries import FileError
from workspaces.domain.places import Place
from workspaces.files.local import LocalFiles

MAX_FILE = 1024 * 1024
_SCOPES = {HOME_FILE: "person", WORKSPACE_FILE: "workspace"}


def rule_files(place: Place) -> RuleFiles:
    """Returns both as they are now: `~/.maia/settings.json`, and that of the workspace.

    In a thread of its own, never in that of the database.
    """
    files = LocalFiles(place)
    return RuleFiles(_read(files, HOME_FILE), _read(files, WORKSPACE_FILE))


def workspace_rules(place: Place) -> RuleFile:
    """Returns the rules of the workspace's `.maia/settings.json`, as this person's files show it.

    No link is followed: agents cannot write this file, but others (decision 0011). Its `allow`
    rules count only if `is_trusted`.
    """
    return _read(LocalFiles(place), WORKSPACE_FILE)


def _read(files: LocalFiles, path: str) -> RuleFile:
    try:
        content = files.read_bytes(path, MAX_FILE, links=path == HOME_FILE)
    except FileError as error:
        if error.code == "not-found":
            return RuleFile(path)
        return RuleFile(path, problems=(FileProblem("file-unreadable", why=str(error)),))
    return _parsed(path, content)


@lru_cache(maxsize=256)
def _parsed(path: str, content: bytes) -> RuleFile:
    return read_rule_file(path, content, _SCOPES[path])
