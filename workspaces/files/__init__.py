"""The files one person reaches in one workspace."""

from workspaces.files.store import WorkspaceFiles, open_files

__all__ = ["WorkspaceFiles", "open_files"]
