"""REST: the files of a workspace (seed S, WorkspaceService)."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

from django.core.files.uploadedfile import UploadedFile as DjangoFile
from django.http import HttpRequest, HttpResponse
from django.utils.http import content_disposition_header
from ninja import File, Form, Router, Schema, Status, UploadedFile

from workspaces.api.failures import file_failures
from workspaces.api.people import person
from workspaces.domain.entries import Entry, FileError, FileText
from workspaces.domain.places import Role
from workspaces.files.local import ATTACHMENTS, MAX_DOWNLOAD, MAX_UPLOAD, LocalFiles
from workspaces.selectors import workspace_for

router = Router(tags=["files"])


class FileIn(Schema):
    """A text to write. `version`: the one that was opened; empty overwrites.

    `create`: only if there is no such file.
    """

    text: str
    version: str = ""
    create: bool = False


class NewIn(Schema):
    """A new empty file, or folder, in the folder `dir`."""

    dir: str = ""
    name: str
    folder: bool = False


class RenameIn(Schema):
    """A new name, without folders."""

    name: str


def _files(request: HttpRequest, workspace: str, at_least: Role = "viewer") -> LocalFiles:
    return LocalFiles(workspace_for(person(request).pk, workspace, at_least).place)


def _entry(entry: Entry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "path": entry.path,
        "dir": entry.dir,
        "size": entry.size,
        "modTime": entry.mod_time,
        "link": entry.link,
    }


def _text(file: FileText) -> dict[str, str]:
    return {"path": file.path, "text": file.text, "version": file.version}


@router.get("/{workspace}/files", summary="List")
def list_folder(request: HttpRequest, workspace: str, dir: str = "") -> list[dict[str, Any]]:
    """The entries of a folder, folders first, then by name."""
    with file_failures():
        return [_entry(entry) for entry in _files(request, workspace).entries(dir)]


@router.post("/{workspace}/files", summary="Create", response={201: dict[str, str]})
def create(request: HttpRequest, workspace: str, body: NewIn) -> Status[dict[str, str]]:
    """Makes an empty file or a folder; refused where something has that name."""
    with file_failures():
        files = _files(request, workspace, "editor")
        return Status(201, {"path": files.create(body.dir, body.name, is_folder=body.folder)})


@router.get("/{workspace}/file", summary="Read")
def read(request: HttpRequest, workspace: str, path: str) -> dict[str, str]:
    """A text file of at most 1 MB, with the version to give when saving."""
    with file_failures():
        return _text(_files(request, workspace).read(path))


@router.put("/{workspace}/file", summary="Save")
def save(request: HttpRequest, workspace: str, path: str, body: FileIn) -> dict[str, str]:
    """Writes a file if it still has `version`; else 409 with `conflict`, and nothing is written."""
    with file_failures():
        version = "" if body.create else body.version or None
        return _text(_files(request, workspace, "editor").write(path, body.text, version))


@router.patch("/{workspace}/file", summary="Rename")
def rename(request: HttpRequest, workspace: str, path: str, body: RenameIn) -> dict[str, str]:
    """Gives a file or folder another name in its folder; refused where something has it."""
    with file_failures():
        return {"path": _files(request, workspace, "editor").rename(path, body.name)}


@router.delete("/{workspace}/file", summary="Remove")
def remove(request: HttpRequest, workspace: str, path: str) -> dict[str, bool]:
    """Moves a file or folder to the person's trash; `trashed` is false if it is gone for good."""
    with file_failures():
        return {"trashed": _files(request, workspace, "editor").remove(path)}


@router.get("/{workspace}/image", summary="Image")
def image(request: HttpRequest, workspace: str, path: str) -> dict[str, str]:
    """An image of at most 5 MB as a `data:` URL."""
    with file_failures():
        return {"url": _files(request, workspace).image(path)}


@router.get("/{workspace}/download", summary="Download")
def download(request: HttpRequest, workspace: str, path: str) -> HttpResponse:
    """A file as an attachment, at most 64 MB; never shown on our own origin."""
    with file_failures():
        content = _files(request, workspace).read_bytes(path, MAX_DOWNLOAD)
    name = PurePosixPath(path).name or "file"
    response = HttpResponse(content, content_type="application/octet-stream")
    disposition = content_disposition_header(True, name)
    response["Content-Disposition"] = disposition or "attachment"
    response["X-Content-Type-Options"] = "nosniff"
    return response


@router.post("/{workspace}/attach", summary="Attach", response={201: dict[str, str]})
def attach(
    request: HttpRequest,
    workspace: str,
    file: File[UploadedFile],
    dir: Form[str] = ATTACHMENTS,
) -> Status[dict[str, str]]:
    """Keeps an uploaded file of at most 5 MB in a folder; returns its path, for `$`."""
    with file_failures():
        files = _files(request, workspace, "editor")
        if (file.size or 0) > MAX_UPLOAD:
            raise FileError("too-large", "")
        uploaded: DjangoFile = file
        return Status(201, {"path": files.attach(uploaded.name or "file", uploaded.chunks(), dir)})
