"""Completion from files: paths after `@` and `$`, skills after `§`."""

from __future__ import annotations

from agents.domain.typed.completion import MOST, Completion, best_paths
from agents.domain.typed.file_references import print_reference
from agents.domain.typed.shell_input import parse_quoted_start
from agents.library.found import library_of
from maia_web.lib.names.folding import fold
from workspaces.domain.entries import FileError
from workspaces.domain.places import Place
from workspaces.files.listing import listing_of
from workspaces.files.local import LocalFiles


def files_to_complete(place: Place, typed: str) -> tuple[Completion, ...]:
    """Returns at most MOST files and folders of the workspace, or of the home after `~`."""
    path = parse_quoted_start(typed).removeprefix("/workspace/").removeprefix("./")
    if path.startswith("~"):
        return tuple(_of_home(LocalFiles(place), path))
    listing = listing_of(place)
    return tuple(_file(one) for one in best_paths(path, listing.paths, listing.folded))


def variables_to_complete(place: Place, typed: str) -> tuple[Completion, ...]:
    """Returns the same after `$`: a path ends at its first space there, others keep quotes."""
    return tuple(
        one.model_copy(update={"insert": f"${one.insert[1:]}"}) if "'" not in one.insert else one
        for one in files_to_complete(place, typed)
    )


def skills_to_complete(place: Place, typed: str) -> tuple[Completion, ...]:
    """Returns at most MOST skills whose names contain this, those that begin so first."""
    wanted = fold(typed)
    found = [one for one in library_of(place).skills if wanted in fold(one.name)]
    found.sort(key=lambda skill: (not fold(skill.name).startswith(wanted), skill.name))
    return tuple(
        Completion(
            kind="skill", label=skill.name, insert=f"§{skill.name} ", words=skill.description
        )
        for skill in found[:MOST]
    )


def _of_home(files: LocalFiles, path: str) -> list[Completion]:
    folder, _, begun = path.rpartition("/")
    try:
        entries = files.entries(folder or "~")
    except FileError:
        return []
    names = [f"{one.path}/" if one.dir else one.path for one in entries]
    wanted = fold(f"{folder or '~'}/{begun}") if folder or begun != "~" else "~/"
    shown = [name for name in names if fold(name).startswith(wanted)]
    return [_file(name) for name in shown[:MOST]]


def _file(path: str) -> Completion:
    is_folder = path.endswith("/")
    insert = print_reference(path)
    return Completion(
        kind="folder" if is_folder else "file",
        label=path,
        insert=insert if is_folder else f"{insert} ",
    )
