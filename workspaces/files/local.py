"""LocalFiles: what one person does with the files of a workspace and of their home, in a thread."""

from __future__ import annotations

import base64
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TypeVar

from workspaces.domain.argv import RULES_NAME
from workspaces.domain.encodings import UTF_8, Encoding, decode
from workspaces.domain.entries import Entry, FileError, FileText
from workspaces.domain.paths import Root, Where, checked_name, parse_path
from workspaces.domain.places import Place
from workspaces.domain.real_paths import PathCheck
from workspaces.domain.spelling import raw, spelled
from workspaces.files import guarded, reads, trash, writes
from workspaces.files.attachments import attachment_name, counted, link_free
from workspaces.files.beneath import FOLDER, open_beneath, opened_folder, rename_free
from workspaces.files.checks import Checks, until_named
from workspaces.files.errors import file_errors
from workspaces.files.links import through_links
from workspaces.files.nearest import nearest_path, twin_path
from workspaces.files.reads import OpenFile
from workspaces.files.real_paths import OtherNames, leads_inside, real_of
from workspaces.sandboxes.folders import Folders, folders_of

T = TypeVar("T")

MAX_TEXT = 1_048_576
MAX_WRITE = 16 * 1_048_576
MAX_UPLOAD = 5 * 1_048_576
MAX_DOWNLOAD = 64 * 1_048_576
ATTACHMENTS = "attachments"
_RULES = Where("workspace", RULES_NAME)  # it is mounted in sandboxes that run
IMAGES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".svg": "image/svg+xml",
    ".bmp": "image/bmp",
    ".ico": "image/x-icon",
    ".avif": "image/avif",
}


class LocalFiles:
    """Files of the workspace, the home and ~/.maia. Every method raises FileError.

    `for_agent`: reading and writing stop at what is guarded from agents. `check` judges what was
    really opened, before a byte of it moves.
    """

    def __init__(
        self, place: Place, *, for_agent: bool = False, check: PathCheck | None = None
    ) -> None:
        self._place = place
        self._for_agent = for_agent
        self._checks = Checks(check, for_agent=for_agent)
        self._made: Folders | None = None

    def entries(self, path: str) -> tuple[Entry, ...]:
        """Returns the entries of a folder, folders first, then by name (seed S)."""
        with self._at(path) as (where, root, folders):
            on_open = self._checks.on_open(where, root, folders)
            shown = where.path if where.root == "workspace" else where.display

            def leads_to_folder(name: str) -> bool:
                link = Where(where.root, f"{where.path}/{spelled(name)}".lstrip("/"))
                with suppress(OSError), _opened(root, link, FOLDER, folders):
                    return True
                return False

            def listed(path: str) -> tuple[Entry, ...]:
                return reads.list_folder(root, path, leads_to_folder, shown=shown, on_open=on_open)

            return until_named(lambda: through_links(folders, where, listed))

    def read(self, path: str, max_bytes: int = MAX_TEXT) -> FileText:
        """Returns a text file of at most `max_bytes`, in whichever encoding it is."""
        where = parse_path(path)
        try:
            content = self.read_bytes(path, max_bytes)
        except FileError as error:
            raise self._with_nearest(where, error) from error
        text, encoding = decode(content)
        return FileText(where.display, text, reads.version_of(content), encoding.name)

    def _with_nearest(self, where: Where, error: FileError) -> FileError:
        """Returns an error that names the file that was meant, if it may be shown."""
        if error.code != "not-found":
            return error
        folders, told = self._folders(), dict[str, str]()
        real = leads_inside(folders, where) or where
        with suppress(OSError), opened_folder(folders.under(where.root)) as root:
            shows = partial(self._checks.shows, root, self._checks.names(folders))
            twin, there = twin_path(root, real.path)
            if twin and shows(Where(where.root, there)):
                told["twin"] = Where(where.root, twin).display
            path, is_lookalike = nearest_path(root, real.path)
            if path and shows(meant := Where(where.root, path)):
                told["lookalike" if is_lookalike else "nearest"] = meant.display
        return FileError(error.code, error.message, **told)

    def read_bytes(self, path: str, max_bytes: int = MAX_DOWNLOAD, *, links: bool = True) -> bytes:
        """Returns the content of a regular file of at most `max_bytes`; `links`: through links."""
        return self.use(path, max_bytes, OpenFile.content, links=links)

    def use(
        self, path: str, max_bytes: int, use: Callable[[OpenFile], T], *, links: bool = True
    ) -> T:
        """Returns what `use` makes of an open regular file of at most `max_bytes`."""
        with self._at(path) as (where, root, folders):
            if self._for_agent:
                guarded.check_reading(where)
            on_open = self._checks.on_open(where, root, folders)
            above = str(folders.under(where.root))

            def used(path: str) -> T:
                return reads.use_regular(
                    root, path, max_bytes, use, above=above, links=links, on_open=on_open
                )

            if not links:
                return until_named(lambda: used(where.raw))
            return until_named(lambda: through_links(folders, where, used))

    def write(self, path: str, text: str, version: str | None = None) -> FileText:
        """Writes a text atomically, making the folders above it.

        `version`: only if the file still is that one, whose encoding it keeps, "" only if there is
        none; else "conflict".
        """
        encoding = UTF_8
        _encoded(text, UTF_8)  # before anything is opened

        def content_after(before: bytes) -> bytes:
            nonlocal encoding
            encoding = _kept_encoding(before)
            return _encoded(text, encoding)

        with self._at(path, write=True) as (where, root, folders):
            if self._for_agent:
                guarded.check_writing(where)
            on_spot = self._checks.on_spot(where, root, folders)

            def written(path: str) -> str:
                return writes.write_file(
                    root, path, content_after, folders.owner, version=version, on_spot=on_spot
                )

            new = until_named(lambda: through_links(folders, where, written))
        return FileText(where.display, text, new, encoding.name)

    def create(self, folder: str, name: str, *, is_folder: bool = False) -> str:
        """Makes an empty file (or a folder) with a new name and returns its path."""
        name = checked_name(name)
        with self._at(folder, write=True) as (where, root, folders):
            make = writes.make_folder if is_folder else writes.create_file
            with _opened(root, where, FOLDER, folders) as parent:
                make(parent, raw(name), folders.owner)
        return Where(where.root, f"{where.path}/{name}".lstrip("/")).display

    def rename(self, path: str, name: str) -> str:
        """Gives an entry another name in its folder, one that is free, and returns its path.

        A link is renamed, not what it leads to. The folders themselves and the rules' stay.
        """
        name = checked_name(name)
        with self._at(path, write=True) as (where, root, folders):
            above, old = where.split()
            with _opened_above(root, where, folders) as (parent, real):
                if real == _RULES and _is_folder(parent, raw(old)):
                    raise FileError("kept", f"{RULES_NAME} stays.")
                rename_free(parent, raw(old), raw(name))
        return Where(where.root, f"{above}/{name}".lstrip("/")).display

    def remove(self, path: str) -> bool:
        """Moves an entry to the person's trash; returns False if it was deleted for good.

        A link is removed, not what it leads to. The folders themselves stay.
        """
        with (
            self._at(path, write=True) as (where, root, folders),
            _opened_above(root, where, folders) as (parent, real),
        ):
            name = raw(where.split()[1])
            if _is_folder(parent, name) and real == _RULES:
                raise FileError("kept", f"{RULES_NAME} stays; what is in it can be deleted.")
            if not _in_trash(real):
                with opened_folder(folders.home) as home:
                    shown = raw(where.display)
                    if trash.move_to_trash(parent, name, shown, home, folders.owner):
                        return True
            trash.delete_for_good(parent, name)
        return False

    def image(self, path: str) -> str:
        """Returns an image of at most 5 MB as a `data:` URL (seed S)."""
        mime = IMAGES.get(PurePosixPath(parse_path(path).path).suffix.lower())
        if mime is None:
            raise FileError("not-a-file", f"{path[:200]} is not an image.")
        content = self.read_bytes(path, MAX_UPLOAD)
        return f"data:{mime};base64,{base64.b64encode(content).decode()}"

    def attach(
        self,
        name: str,
        chunks: Iterable[bytes],
        folder: str = ATTACHMENTS,
        max_bytes: int = MAX_UPLOAD,
    ) -> str:
        """Keeps an uploaded file in a folder under a free name and returns its path.

        The size is counted while reading; a file that turns out too large leaves nothing behind.
        """
        wanted = attachment_name(name)
        with self._at(folder) as (where, root, folders):
            _check_kept(where)
            if where.display == ATTACHMENTS:
                writes.make_folders(root, ATTACHMENTS, folders.owner)
            with _opened(root, where, FOLDER, folders) as parent:
                spot = writes.Spot(parent, wanted, None)
                temporary = writes.write_beside(spot, counted(chunks, max_bytes), folders.owner)
                try:
                    name = link_free(parent, temporary, wanted)
                finally:
                    os.unlink(temporary, dir_fd=parent)
        return Where(where.root, f"{where.path}/{name}".lstrip("/")).display

    def locate(self, path: str) -> tuple[Where, bool]:
        """Returns where a path really is and whether it is a folder; refuses a way out."""
        with self._at(path) as (where, root, folders):
            return until_named(lambda: self._located(where, root, folders))

    def shown(self, paths: Iterable[str]) -> frozenset[str]:
        """Returns those of the paths a search found that may be shown; links are none."""
        if not self._checks.hides_any:
            return frozenset(paths)
        folders = self._folders()
        names = self._checks.names(folders)
        by_root: dict[Root, list[tuple[str, Where]]] = {}
        for path in paths:
            with suppress(FileError):  # a name that is no text: nobody can ask for it either
                where = parse_path(path)
                by_root.setdefault(where.root, []).append((path, where))
        found: set[str] = set()
        for root, wheres in by_root.items():
            with opened_folder(folders.under(root)) as top:
                shows = partial(self._checks.shows, top, names)
                found.update(path for path, where in wheres if shows(where))
        return frozenset(found)

    def _located(self, where: Where, root: int, folders: Folders) -> tuple[Where, bool]:
        on_open = self._checks.on_open(where, root, folders, reads=False)
        with _opened(root, where, os.O_PATH, folders) as found:
            on_open(found)
            real = real_of(where, root, found, OtherNames(folders, lambda _folder: False))
            is_folder = stat.S_ISDIR(os.fstat(found).st_mode)
        return parse_path(real.path), is_folder

    def _folders(self) -> Folders:
        """Returns the folders, made and put right at the first use."""
        if self._made is None:
            self._made = folders_of(self._place)
        return self._made

    @contextmanager
    def _at(self, path: str, *, write: bool = False) -> Iterator[tuple[Where, int, Folders]]:
        """Opens the folder `path` is below (locked for writing); errors become FileError."""
        where = parse_path(path)
        with file_errors(where.display):
            folders = self._folders()
            folder: Path = folders.under(where.root)
            with opened_folder(folder) as root:
                if write:
                    _check_kept(where)
                    with writes.write_lock(folder):
                        yield where, root, folders
                else:
                    yield where, root, folders


@contextmanager
def _opened(root: int, where: Where, flags: int, folders: Folders) -> Iterator[int]:
    """Opens what is there, through links that stay below, and closes it afterwards."""
    descriptor = through_links(folders, where, lambda path: open_beneath(root, path, flags))
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _opened_above(root: int, where: Where, folders: Folders) -> Iterator[tuple[int, Where]]:
    """Opens the folder of an entry; gives it, and where the entry is, whatever links lead there.

    Raises FileError ("denied") for a folder that is not in another one of ours.
    """
    above, name = where.split()
    with _opened(root, Where(where.root, above), FOLDER, folders) as parent:
        names = OtherNames(folders, lambda _folder: False)
        folder = until_named(lambda: real_of(Where(where.root, above), root, parent, names).path)
        real = parse_path(f"{folder}/{name}")
        if not name or not real.path:
            raise FileError("denied", "The folder itself stays.")
        yield parent, real


def _is_folder(parent: int, name: str) -> bool:
    return stat.S_ISDIR(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode)


def _encoded(text: str, encoding: Encoding) -> bytes:
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise FileError("binary", "The text is not valid Unicode.")
    content = encoding.encode(text)
    if len(content) > MAX_WRITE:
        raise FileError("too-large", f"A file has at most {MAX_WRITE:,} bytes.")
    return content


def _kept_encoding(content: bytes) -> Encoding:
    try:
        return decode(content)[1]
    except FileError:
        return UTF_8


def _check_kept(where: Where) -> None:
    if where.root == "team":
        raise FileError("denied", "The team's skills are kept by administrators.")


def _in_trash(where: Where) -> bool:
    inside = f"{where.path}/".startswith(f"{trash.TRASH}/")
    return where.root == "home" and (inside or f"{trash.TRASH}/".startswith(f"{where.path}/"))
