"""Paths as people and agents write them, brought to one form; never touches the disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workspaces.domain.argv import CUSTOM_TOOLS, HOME, SETTINGS, SKILLS, TEAM_SKILLS, WORKSPACE
from workspaces.domain.entries import FileError
from workspaces.domain.spelling import raw, spelled

MAX_PATH = 4_095
MAX_NAME = 255
Root = Literal["workspace", "home", "settings", "skills", "tools", "team"]
FOLDERS: dict[Root, str] = {
    "workspace": WORKSPACE,
    "skills": SKILLS,
    "tools": CUSTOM_TOOLS,
    "settings": SETTINGS,
    "home": HOME,
    "team": TEAM_SKILLS,
}
"""Each folder as a command sees it; those inside another come before it."""


@dataclass(frozen=True, slots=True)
class Where:
    """A normalised place below one of the folders; `path` is spelled, "" is the folder itself.

    A person's `~/.maia`, its skills and its tools are folders of their own beside the home.
    """

    root: Root
    path: str

    @property
    def raw(self) -> str:
        """The path as the kernel is told it."""
        return raw(self.path)

    @property
    def display(self) -> str:
        """The path as people read it: relative to the workspace, or beginning with `~/`."""
        if self.root == "team":
            return self.inside
        if self.root != "workspace":
            return f"~{self.inside.removeprefix(HOME)}"
        if self.path == "~" or self.path.startswith("~/"):
            return f"./{self.path}"
        return self.path or "."

    @property
    def inside(self) -> str:
        """The full path as a command in the sandbox writes it."""
        folder = FOLDERS[self.root]
        return f"{folder}/{self.path}" if self.path else folder

    def split(self) -> tuple[str, str]:
        """Returns (parent, name); ("", "") for the folder itself."""
        parent, _, name = self.path.rpartition("/")
        return parent, name


def parse_path(text: str) -> Where:
    """Reads a path: relative to the workspace, `~/…`, or full as the sandbox sees it.

    `..` is resolved in the text, so that what is shown is what is opened. Raises FileError
    ("outside", "invalid-path").
    """
    _check_text(text)
    folder, rest = WORKSPACE, text
    if text == "~" or text.startswith("~/"):
        folder, rest = HOME, text[1:]
    elif text.startswith("/"):
        folder, rest = _below_a_folder(text)
    return _where("/".join((folder, *_normal(rest.split("/"), text))))


def _where(full: str) -> Where:
    for root, folder in FOLDERS.items():
        if full == folder or full.startswith(f"{folder}/"):
            return Where(root, full[len(folder) + 1 :])
    raise ValueError(full)


def checked_name(name: str) -> str:
    """Returns a name fit for a new entry of a folder; raises FileError ("invalid-path")."""
    _check_text(name)
    name = spelled(raw(name))
    if not name.strip() or name in {".", ".."} or "/" in name:
        raise FileError("invalid-path", f"{_shown(name)} is not a name for a file.")
    if any(character < " " or character == "\x7f" for character in name):
        raise FileError("invalid-path", "A name has no control characters.")
    _check_length(name)
    return name


def _below_a_folder(text: str) -> tuple[str, str]:
    for folder in (WORKSPACE, HOME, TEAM_SKILLS):
        if text == folder or text.startswith(f"{folder}/"):
            return folder, text[len(folder) :]
    raise FileError("outside", f"{_shown(text)} is outside the workspace.")


def _normal(parts: list[str], text: str) -> list[str]:
    kept: list[str] = []
    for part in parts:
        if part == "..":
            if not kept:
                raise FileError("outside", f"{_shown(text)} is outside the workspace.")
            kept.pop()
        elif part not in {"", "."}:
            _check_length(part)
            kept.append(spelled(raw(part)))
    return kept


def _check_text(text: str) -> None:
    if "\0" in text:
        raise FileError("invalid-path", "A path has no NUL character.")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise FileError("invalid-path", "The path is not valid Unicode.") from error
    if _size(text) > MAX_PATH:
        raise FileError("invalid-path", f"The path is longer than {MAX_PATH} bytes.")


def _check_length(name: str) -> None:
    if _size(name) > MAX_NAME:
        raise FileError("invalid-path", f"A name is longer than {MAX_NAME} bytes.")


def _size(spelling: str) -> int:
    return len(raw(spelling).encode(errors="surrogateescape"))


def _shown(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:80]}…"
