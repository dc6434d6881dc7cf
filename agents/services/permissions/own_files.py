"""Own files: a person reads and saves the files of their ~/.maia, which no shell changes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from agents.domain.library.own_files import NAMES, SETTINGS, LineProblem, path_of, problems_of
from agents.selectors.models.servers import current_server
from agents.services import audit
from agents.services.permissions.release import release_allowed
from maia_web.lib.errors import Conflict, InvalidInput, NotFound
from workspaces.domain.entries import FileError
from workspaces.domain.places import Place
from workspaces.files.local import LocalFiles

MAX_FILE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A file as it is: `version` is to be given when saving, "" where there is none yet."""

    name: str
    text: str = ""
    version: str = ""
    problems: tuple[LineProblem, ...] = ()

    @property
    def path(self) -> str:
        """The file as people write its path."""
        return path_of(self.name)


def own_file(place: Place, name: str) -> OwnFile:
    """Reads one of the files. Raises `NotFound` for another name, `FileError` (no text)."""
    _check_name(name)
    try:
        found = LocalFiles(place).read(path_of(name), MAX_FILE)
    except FileError as error:
        if error.code == "not-found":
            return OwnFile(name)
        raise
    return OwnFile(name, found.text, found.version, own_problems(name, found.text))


def own_problems(name: str, text: str) -> tuple[LineProblem, ...]:
    """Returns what is wrong or does not count in a text for this file, for its reader."""
    language = get_language() or "en"
    allowed, site = settings.OWN_MODEL_SERVERS, current_server()
    return problems_of(name, text, _, language, with_server=allowed, site=site)


def save_own_file(user_id: int, place: Place, name: str, text: str, version: str) -> OwnFile:
    """Writes the file if it still is `version`.

    Raises `NotFound` for another name, `InvalidInput` where something is wrong in the text
    (`data["problems"]`), `Conflict` where the file changed meanwhile, `FileError`.
    """
    _check_name(name)
    problems = tuple(one for one in own_problems(name, text) if one.blocks)
    if problems:
        message = _("Nothing is saved: the file would not count as it is meant.")
        raise InvalidInput(message, field="text", problems=problems)
    try:
        saved = LocalFiles(place).write(path_of(name), text, version)
    except FileError as error:
        if error.code == "conflict":
            raise Conflict(_("The file changed meanwhile. Nothing is saved.")) from error
        raise
    digest = hashlib.sha256(text.encode()).hexdigest()
    facts = {"file": path_of(name), "sha256": digest}
    audit.record("setting", "own-file", user=user_id, input=facts)
    if name == SETTINGS:
        release_allowed(user_id, "person")
    return OwnFile(name, text, saved.version)


def _check_name(name: str) -> None:
    if name not in NAMES:
        raise NotFound(_("There is no such file."))
