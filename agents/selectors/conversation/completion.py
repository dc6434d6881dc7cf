"""Completion: what may follow a sign in the composer, for one person in one conversation."""

from __future__ import annotations

from collections.abc import Callable

from agents.domain.typed.completion import MOST, Completion, CompletionKind, best_paths
from agents.domain.typed.file_references import print_reference
from agents.domain.typed.shell_input import parse_quoted_start, quote_shell
from agents.library.found import library_of
from agents.models import Agent, ChannelAgent, Turn
from agents.selectors.conversation.channels import ChannelAccess
from workspaces.domain.entries import FileError
from workspaces.files.listing import listing_of
from workspaces.files.local import LocalFiles

REMEMBERED = 500


def complete(access: ChannelAccess, kind: CompletionKind, typed: str) -> tuple[Completion, ...]:
    """Returns at most twelve entries, best first; commands of the server are not among them."""
    return _SOURCES[kind](access, typed)


def _mentions(access: ChannelAccess, typed: str) -> tuple[Completion, ...]:
    return (*_agents(access, typed), *_files(access, typed))[:MOST]


def _agents(access: ChannelAccess, typed: str) -> list[Completion]:
    members = set(ChannelAgent.objects.filter(channel=access.id).values_list("agent", flat=True))
    rows = Agent.objects.filter(enabled=True, name__istartswith=typed)
    ordered = sorted(rows, key=lambda row: (row.pk not in members, row.position, row.name))
    return [
        Completion(kind="agent", label=row.name, insert=f"@{row.name} ", words=row.title)
        for row in ordered
    ]


def _files(access: ChannelAccess, typed: str) -> tuple[Completion, ...]:
    path = parse_quoted_start(typed).removeprefix("/workspace/").removeprefix("./")
    if path.startswith("~"):
        return tuple(_of_home(LocalFiles(access.workspace.place), path))
    listing = listing_of(access.workspace.place)
    return tuple(_file(one) for one in best_paths(path, listing.paths, listing.folded))


def _dollars(access: ChannelAccess, typed: str) -> tuple[Completion, ...]:
    """The same files; a path after `$` ends at its first space, others keep their quotes."""
    found = _files(access, typed)
    return tuple(
        one.model_copy(update={"insert": f"${one.insert[1:]}"}) if "'" not in one.insert else one
        for one in found
    )


def _of_home(files: LocalFiles, path: str) -> list[Completion]:
    folder, _, begun = path.rpartition("/")
    try:
        entries = files.entries(folder or "~")
    except FileError:
        return []
    names = [f"{one.path}/" if one.dir else one.path for one in entries]
    wanted = f"{folder or '~'}/{begun}".casefold() if folder or begun != "~" else "~/"
    shown = [name for name in names if name.casefold().startswith(wanted)]
    return [_file(name) for name in shown[:MOST]]


def _file(path: str) -> Completion:
    is_folder = path.endswith("/")
    insert = print_reference(path)
    return Completion(
        kind="folder" if is_folder else "file",
        label=path,
        insert=insert if is_folder else f"{insert} ",
    )


def _skills(access: ChannelAccess, typed: str) -> tuple[Completion, ...]:
    wanted = typed.casefold()
    found = [
        skill
        for skill in library_of(access.workspace.place).skills
        if wanted in skill.name.casefold()
    ]
    found.sort(key=lambda skill: (not skill.name.casefold().startswith(wanted), skill.name))
    return tuple(
        Completion(
            kind="skill", label=skill.name, insert=f"§{skill.name} ", words=skill.description
        )
        for skill in found[:MOST]
    )


def _recent(access: ChannelAccess, typed: str) -> tuple[Completion, ...]:
    """The person's own commands in this workspace, the latest first."""
    rows = Turn.objects.filter(
        kind="command", starter=access.user, channel__workspace=access.workspace.id
    ).order_by("-id")
    commands = dict.fromkeys(rows.values_list("argument", flat=True)[:REMEMBERED])
    fitting = [command for command in commands if command.startswith(typed.lstrip())]
    return tuple(
        Completion(kind="shell", label=command, insert=quote_shell(command))
        for command in fitting[:MOST]
        if command != typed.strip()
    )


def _nothing(_access: ChannelAccess, _typed: str) -> tuple[Completion, ...]:
    return ()


_SOURCES: dict[str, Callable[[ChannelAccess, str], tuple[Completion, ...]]] = {
    "@": _mentions,
    "$": _dollars,
    "§": _skills,
    "!": _recent,
    "/": _nothing,
}
