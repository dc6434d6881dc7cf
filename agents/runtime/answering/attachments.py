"""Attachments: reads the files a person named in their message, within the limits (M §11.4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from django.utils.translation import gettext as _

from agents.domain.content.messages import Attachment
from agents.domain.content.storable import storable
from agents.domain.typed.attached_files import (
    MAX_BYTES,
    AttachedFile,
    Budget,
    attached_text,
    folder_text,
)
from agents.domain.typed.file_references import MOST_DOLLARS, FileReference
from agents.runtime.answering.policies import links_checked
from maia_web.lib.languages import translated
from maia_web.lib.translated import translations
from workspaces.domain.entries import FileError
from workspaces.domain.places import Place
from workspaces.files.store import WorkspaceFiles, open_files

MISSING = frozenset({"not-found", "invalid-path"})


@dataclass(frozen=True, slots=True)
class _Unread:
    """A reference that gave nothing; `loud`: the person should hear of it."""

    path: str
    problem: str
    loud: bool


class Attaching:
    """Reads for one request, in the folders its person reaches."""

    def __init__(self, place: Place, agent: str, language: str) -> None:
        self._files: WorkspaceFiles = open_files(place, partial(links_checked, place, agent))
        self._agent = agent
        self._language = language

    async def read(self, references: Iterable[FileReference]) -> tuple[str, tuple[Attachment, ...]]:
        """Returns what the model reads of the files, and a line for each of them in the card."""
        budget = Budget(self._language)
        taken: dict[str, AttachedFile] = {}
        lines: dict[str, Attachment] = {}
        dollars = 0
        for reference in references:
            found = await self._first(reference)
            if isinstance(found, AttachedFile) and found.path not in taken:
                dollars += reference.sign == "$"
                cut = None if dollars > MOST_DOLLARS else budget.take(found)
                if dollars > MOST_DOLLARS:
                    most = translated(_too_many_dollars)
                    found = _Unread(found.path, most, True)
                elif cut is None:
                    full = translated(lambda: _("the other files fill the limit"))
                    found = _Unread(found.path, full, True)
                else:
                    taken[found.path] = cut
                    lines[found.path] = Attachment(agent=self._agent, path=found.path)
            if isinstance(found, _Unread) and found.loud:
                lines.setdefault(found.path, self._line(found))
        return storable(attached_text(taken.values(), self._language)), tuple(lines.values())

    def _line(self, unread: _Unread) -> Attachment:
        return Attachment(
            agent=self._agent,
            path=unread.path,
            problem=str(unread.problem),
            words=translations(unread.problem),
        )

    async def _first(self, reference: FileReference) -> AttachedFile | _Unread:
        """Returns the first candidate that exists, else why the last one could not be read."""
        unread: _Unread | None = None
        for path in reference.candidates:
            try:
                return await self._one(path)
            except FileError as error:
                loud = error.code not in MISSING or reference.is_path
                unread = _Unread(storable(path), translated(partial(_problem, error)), loud)
                if error.code not in MISSING:
                    break
        return unread or _Unread("", "", False)

    async def _one(self, path: str) -> AttachedFile:
        shown = self._files.display(path)
        try:
            file = await self._files.read(path, max_bytes=MAX_BYTES)
        except FileError as error:
            if error.code != "is-a-folder":
                raise
            entries = await self._files.entries(path)
            names = ((entry.name, entry.dir) for entry in entries)
            return AttachedFile(shown, folder_text(names, self._language), True)
        return AttachedFile(file.path, file.text)


def _too_many_dollars() -> str:
    return _("at most %(max)d files can be joined with $") % {"max": MOST_DOLLARS}


def _problem(error: FileError) -> str:
    """Returns the cause in the active language."""
    sentences = {
        "not-found": _("there is no such file"),
        "outside": _("it is outside the workspace and your home folder"),
        "binary": _("it is not a text file"),
        "too-large": _("it is larger than 2 MB"),
        "denied": _("access was denied"),
        "rule": _("a permission rule forbids reading the file that it leads to"),
        "secret": _("it may contain keys, which agents never see"),
        "invalid-path": _("it is not a valid path"),
        "not-a-file": _("it is not a regular file"),
    }
    return sentences.get(error.code, error.message)
