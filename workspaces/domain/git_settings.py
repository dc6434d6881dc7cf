"""What git is told in sandboxes, whatever a repository's own configuration says.

An agent writes files of repositories, `.git/config` too if somebody let it, and a person then
types `git status` there. What git would run then on its own is named here with a harmless value.
It comes from the environment: above the configurations of repository, home and machine, below
`git -c`. What cannot be told so is in docs/security.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from workspaces.domain.argv import WORKSPACE
from workspaces.domain.identity import Identity

FOR_ALL: Mapping[str, str] = MappingProxyType(
    {
        "core.fsmonitor": "false",  # status, diff, add and others run the program it names
        "safe.bareRepository": "explicit",  # a folder with HEAD, config, objects is no repository
        "protocol.ext.allow": "never",  # fetch runs what stands in an address ext::
        "core.sshCommand": "ssh",  # fetch, pull, push
        "core.askPass": "",  # fetch, pull, push
        "credential.helper": "",  # "" forgets those named before
        "gpg.program": "gpg",  # log, show, pull: where signatures are shown
        "gpg.openpgp.program": "gpg",
        "gpg.x509.program": "gpgsm",
        "gpg.ssh.program": "ssh-keygen",
    }
)
FOR_AGENTS: Mapping[str, str] = MappingProxyType({**FOR_ALL, "core.hooksPath": "/dev/null"})

_VARIABLES: Mapping[str, str] = MappingProxyType(
    {
        # above core.pager and pager.<verb>
        "GIT_PAGER": "${PAGER:-$(command -v less || command -v more || echo cat)}",
        # status then writes no index, which would run the hook post-index-change
        "GIT_OPTIONAL_LOCKS": "0",
    }
)


def git_environment(*, own: bool) -> dict[str, str]:
    """Returns the variables for git; `own`: for what the person types, where hooks run."""
    told = (FOR_ALL if own else FOR_AGENTS).items()
    keys = {f"GIT_CONFIG_KEY_{at}": key for at, (key, _) in enumerate(told)}
    values = {f"GIT_CONFIG_VALUE_{at}": value for at, (_, value) in enumerate(told)}
    return {**_VARIABLES, "GIT_CONFIG_COUNT": str(len(told)), **keys, **values}


def gitconfig(repositories: Iterable[str] = (), identity: Identity | None = None) -> str:
    """Returns the /etc/gitconfig of a sandbox: what a person sets in their own counts before it.

    Members have different uids on the host: git refuses a repository of somebody else's unless
    `safe.directory` names it. `repositories`: those in the workspace, for a git before 2.46, which
    knows no folder with all that is in it. Nothing outside of the workspace is anybody else's.
    `identity`: who makes commits. Names are told as they are, for the file tools to open them.
    """
    own = (WORKSPACE, f"{WORKSPACE}/.git", f"{WORKSPACE}/*")
    each = (path for one in repositories for path in (one, f"{one}/.git"))
    safe = "".join(f"\tdirectory = {_quoted(path)}\n" for path in (*own, *each))
    user = "" if identity is None else _user(identity)
    return f"[safe]\n{safe}[core]\n\tsharedRepository = group\n\tquotePath = false\n{user}"


def host_gitconfig(identity: Identity) -> str:
    """Returns what takes the place of /etc/gitconfig where there is no sandbox, and reads it."""
    include = "[include]\n\tpath = /etc/gitconfig\n"
    return f"{include}[core]\n\tquotePath = false\n{_user(identity)}"


def committer_environment(committer: Identity | None) -> dict[str, str]:
    """Returns the variables that name another committer than the author."""
    if committer is None:
        return {}
    return {"GIT_COMMITTER_NAME": committer.name, "GIT_COMMITTER_EMAIL": committer.mail}


def _user(identity: Identity) -> str:
    name, mail = _quoted(identity.name), _quoted(identity.mail)
    return f"[user]\n\tname = {name}\n\temail = {mail}\n"


def _quoted(path: str) -> str:
    escaped = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
