"""Model config: which model a workspace or a person begins conversations with (seed M §5.3)."""

from __future__ import annotations

from agents.domain.library.found import Warned
from agents.domain.library.model_config import FILES, parse_model_config
from agents.domain.library.problems import LibraryProblem
from agents.library.found import text_of
from workspaces.domain.entries import FileError
from workspaces.domain.places import Place
from workspaces.files.local import LocalFiles


def configured_model(place: Place) -> tuple[str, tuple[Warned, ...]]:
    """Returns the model that a config.json names, "" for none, and which files are broken."""
    files = LocalFiles(place)
    found, broken = "", []
    for path in FILES:
        try:
            found = found or parse_model_config(text_of(files, path))
        except LibraryProblem as problem:
            broken.append(Warned(path, problem))
        except FileError as error:
            if error.code != "not-found":
                broken.append(Warned(path, LibraryProblem("unreadable", cause=error.message)))
    return found, tuple(broken)
