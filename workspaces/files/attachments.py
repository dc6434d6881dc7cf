"""Attachments: uploads, kept in a folder under a safe and free name, of a bounded size."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

from workspaces.domain.entries import FileError


def attachment_name(name: str) -> str:
    """Returns a safe name for an upload: the last part, spaces as `-`, nothing hidden."""
    last = re.split(r"[/\\]", name)[-1]
    cleaned = re.sub(r"[\s\x00-\x1f\x7f\ud800-\udfff]+", "-", last).strip("-").lstrip(".")
    stem, dot, ending = cleaned.rpartition(".")
    if not dot:
        stem, ending = cleaned, ""
    while len(stem.encode()) > 150:
        stem = stem[:-1]
    ending = ending if len(ending.encode()) <= 20 else ""
    return f"{stem or 'file'}.{ending}" if ending else stem or "file"


def counted(chunks: Iterable[bytes], max_bytes: int) -> Iterator[bytes]:
    """Yields the chunks; raises FileError ("too-large") with the byte that is one too many."""
    room = max_bytes
    for chunk in chunks:
        room -= len(chunk)
        if room < 0:
            raise FileError("too-large", f"A file to attach has at most {max_bytes:,} bytes.")
        yield chunk


def link_free(folder: int, temporary: str, wanted: str) -> str:
    """Gives a file of the open folder the name, or one like it that is free; returns it."""
    stem, dot, ending = wanted.rpartition(".")
    for number in range(1, 1_000):
        name = wanted
        if number > 1:
            name = f"{stem}-{number}.{ending}" if dot else f"{wanted}-{number}"
        try:
            os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        except FileExistsError:
            continue
        return name
    raise FileError("exists", f"{wanted} exists already.")
