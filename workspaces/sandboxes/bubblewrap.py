"""Prepares one process in a bubblewrap sandbox: descriptors, folders, person."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from workspaces.domain.argv import (
    FILES,
    WORKSPACE,
    Layout,
    as_person,
    bubblewrap_argv,
    environment,
    shown_argv,
    with_mounts,
)
from workspaces.domain.bounds import FILE_MB
from workspaces.domain.git_settings import git_environment, gitconfig
from workspaces.sandboxes import programs, seccomp
from workspaces.sandboxes.cgroups import Cgroup
from workspaces.sandboxes.folders import Folders
from workspaces.sandboxes.process import Spawn
from workspaces.sandboxes.rules_folder import RulesFolder, open_rules_folder
from workspaces.sandboxes.status import Probed

# bubblewrap itself starts with this alone: its environment is readable as /proc/1/environ
BARE_ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}


class Rights(NamedTuple):
    """What a command may write: nothing; also a person's skills and tools; files up to a size."""

    read_only: bool = False
    own: bool = False
    file_mb: int = FILE_MB


@dataclass(frozen=True, slots=True)
class Prepared:
    """A spawn, and where bubblewrap reports: an open descriptor the caller closes, if asked for."""

    spawn: Spawn
    status: int


def prepare(
    probed: Probed,
    folders: Folders,
    command: tuple[str, ...],
    *,
    chdir: str = WORKSPACE,
    env: Mapping[str, str],
    rights: Rights | None = None,
    report: bool = True,
    group: Cgroup | None = None,
) -> Prepared:
    """Opens what the sandbox needs and returns the process to start.

    `group`: whose memory it shares. Raises OSError where
    nothing may run, with the reason.
    """
    if probed.bwrap is None:
        raise FileNotFoundError(probed.problem)
    if any("\0" in word for word in (chdir, *env, *env.values())):
        raise OSError(errno.EINVAL, "A NUL cannot be in a path or a variable")  # it ends an option
    rights = rights or Rights()
    rules = RulesFolder() if rights.read_only else open_rules_folder(folders, own=rights.own)
    status_reader, status_writer = os.pipe() if report else (-1, None)
    texts = {**FILES, "/etc/gitconfig": gitconfig(folders.repositories, folders.identity)}
    files = {path: _memory_file(os.fsencode(text)) for path, text in texts.items()}
    filter_file = _memory_file(seccomp.program() or b"")
    shown = programs.stage() if probed.staged else None
    layout = Layout(
        bwrap=probed.bwrap,
        workspace=str(shown / "workspace" if shown else folders.workspace),
        home=str(shown / "home" if shown else folders.home),
        settings=str(shown / "settings" if shown else folders.settings),
        files=files,
        seccomp=filter_file,
        status=status_writer,
        tools=_tools(folders),
        chdir=chdir,
        env=environment({**git_environment(own=rights.own), **env}),
        read_only=rights.read_only,
        own=rights.own,
        team=_team(folders, shown),
        file_mb=rights.file_mb,
        rules=rules.folder,
        rules_inner=rules.inner,
    )
    options_file = _memory_file(b"")
    options, argv = shown_argv(bubblewrap_argv(layout, command), options_file)
    _fill(options_file, b"".join(os.fsencode(word) + b"\0" for word in options))
    if folders.owner is not None:
        argv = as_person(folders.owner.uid, folders.owner.gid, argv)
    if probed.staged:
        mounts = {
            str(folders.workspace): layout.workspace,
            str(folders.home): layout.home,
            str(folders.settings): layout.settings,
            **({str(folders.team): layout.team} if folders.team else {}),
        }
        places = {number: f"{layout.workspace}/{path}" for number, path in rules.places.items()}
        argv = with_mounts(mounts, argv, places)
    if group is not None:
        argv = group.entered(argv)
    passed = (*files.values(), filter_file, options_file, *rules.descriptors)
    if status_writer is not None:
        passed = (*passed, status_writer)
    beside = str(Path(probed.bwrap).parent)
    return Prepared(Spawn(argv, BARE_ENVIRONMENT, cwd=beside, pass_fds=passed), status_reader)


def command_ran(status: int) -> bool:
    """Reads bubblewrap's report after its end: whether the command was started and ended."""
    os.set_blocking(status, False)
    try:
        return b'"exit-code"' in os.read(status, 65_536)
    except BlockingIOError:
        return False


def _team(folders: Folders, shown: Path | None) -> str:
    if folders.team is None:
        return ""
    return str(shown / "team" if shown else folders.team)


def _tools(folders: Folders) -> tuple[str, ...]:
    ripgrep = programs.ripgrep()
    if ripgrep is None:
        return ()
    return (ripgrep if folders.owner is None else programs.for_everybody(ripgrep),)


def _memory_file(content: bytes) -> int:
    descriptor = os.memfd_create("maia")
    _fill(descriptor, content)
    return descriptor


def _fill(descriptor: int, content: bytes) -> None:
    os.write(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
