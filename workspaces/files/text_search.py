"""Searches files for what stands in them: ripgrep in a sandbox that sees the person's folders."""

from __future__ import annotations

from workspaces.domain.argv import RIPGREP
from workspaces.domain.commands import Run
from workspaces.domain.entries import FileError
from workspaces.domain.paths import Where
from workspaces.domain.places import Place
from workspaces.domain.search_arguments import checked_arguments
from workspaces.domain.spelling import raw
from workspaces.files.name_search import TIMEOUT, failure
from workspaces.sandboxes import open_sandbox

_SEARCH = (
    RIPGREP, "--no-config", "--no-require-git", "--no-ignore-global", "--no-ignore-exclude",
    "--no-messages", "--no-ignore-messages", "--color=never",
)  # fmt: skip


async def search(place: Place, arguments: tuple[str, ...], where: Where, max_output: int) -> str:
    """Returns ripgrep's output for `arguments` on `where`; paths are relative to the workspace.

    What of it is no UTF-8 is raw, as in names.
    """
    argv = (
        *_SEARCH,
        *checked_arguments(arguments),
        *_target(where),
    )
    command = Run(argv, timeout=TIMEOUT, max_output=max_output, stop_when_full=True, names=True)
    result = await open_sandbox(place, read_only=True).run(command)
    if result.status != "exited":
        raise failure(result)
    if result.exit_code == 2 and not result.dropped and _only_errors(result.output):
        raise FileError("invalid-pattern", result.output.strip()[:2_000])
    return result.output


def _target(where: Where) -> tuple[str, ...]:
    if where.root != "workspace":
        return (raw(where.inside),)
    if not where.path:
        return ()
    return (f"./{where.raw}" if where.path.startswith("-") else where.raw,)


def _only_errors(output: str) -> bool:
    return output.startswith(("rg: ", "regex parse error", "error: ", "ripgrep: "))
