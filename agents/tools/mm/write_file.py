"""write_file: the whole content of a file, and the diff to what it was (seed T)."""

from __future__ import annotations

from agents.tools.write import WriteTool


class WriteFileTool(WriteTool):
    """Write under the name the toolset gives it."""

    name = "write_file"
    description = "mm/write_file"
    missing = "mm-file-not-found"
