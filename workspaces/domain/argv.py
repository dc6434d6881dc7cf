"""The command line of a sandbox: every flag, as a pure function of what goes in."""

from __future__ import annotations

from dataclasses import dataclass, field

from workspaces.domain.bounds import FILE_MB, MB

WORKSPACE = "/workspace"
RULES_NAME = ".maia"
RULES_FOLDER = f"{WORKSPACE}/{RULES_NAME}"
HOME = "/home/agent"
SETTINGS = f"{HOME}/.maia"
SKILLS, CUSTOM_TOOLS = f"{SETTINGS}/skills", f"{SETTINGS}/tools"
TEAM_SKILLS = "/opt/skills"
TOOLS = "/opt/bin"
RIPGREP = f"{TOOLS}/rg"
PATH = f"/usr/local/bin:/usr/bin:/bin:{TOOLS}"
UID = "1000"

PASSWD = f"agent:x:{UID}:{UID}:agent:{HOME}:/bin/bash\nnobody:x:65534:65534::/:/usr/sbin/nologin\n"
GROUP = f"agent:x:{UID}:\nnogroup:x:65534:\n"
HOSTS = "127.0.0.1 localhost box\n::1 localhost\n"
FILES = {
    "/etc/passwd": PASSWD,
    "/etc/group": GROUP,
    "/etc/hosts": HOSTS,
}

_LIMITS = ("--nproc=256", "--as=4294967296", "--nofile=1024", "--core=0")
# Without the signal a program that cannot write hears of an error, and a shell lives on.
_FROZEN = ("env", "--ignore-signal=XFSZ")


@dataclass(frozen=True, slots=True)
class Layout:
    """What one sandbox is made of: paths on the host, and open descriptors for small files.

    `own`: the person's own commands, which may change their settings; agents' may not. `team`: the
    team's skills, "" where there are none. `file_mb`: how large a file may grow. `rules`: a
    descriptor of the workspace's `.maia`, if it is a folder; `rules_inner`: of the folders in it,
    by name.
    """

    bwrap: str
    workspace: str
    home: str
    settings: str
    files: dict[str, int]
    seccomp: int
    status: int | None = None
    tools: tuple[str, ...] = ()
    chdir: str = WORKSPACE
    env: dict[str, str] = field(default_factory=dict)
    read_only: bool = False
    own: bool = False
    team: str = ""
    file_mb: int = FILE_MB
    rules: int | None = None
    rules_inner: dict[str, int] = field(default_factory=dict)


def environment(extra: dict[str, str] | None = None) -> dict[str, str]:
    """Returns all variables a command in a sandbox sees."""
    return {
        "PATH": PATH,
        "HOME": HOME,
        "USER": "agent",
        "LOGNAME": "agent",
        "SHELL": "/bin/bash",
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        **(extra or {}),
    }


def bubblewrap_argv(layout: Layout, command: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the argv that runs `command` in a new sandbox (a bubblewrap that has --bind-fd)."""
    bind = "--ro-bind" if layout.read_only else "--bind"
    return (
        layout.bwrap,
        *("--unshare-all", "--unshare-user", "--disable-userns", "--uid", UID, "--gid", UID),
        *("--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "box"),
        *_system(layout),
        *("--proc", "/proc", "--dev", "/dev"),
        *("--size", "67108864", "--tmpfs", "/dev/shm"),  # noqa: S108  a path in the sandbox
        *("--size", "268435456", "--tmpfs", "/tmp"),  # noqa: S108  a path in the sandbox
        *(bind, layout.workspace, WORKSPACE, bind, layout.home, HOME),
        *_rules(layout),
        *_settings(layout),
        *("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", layout.chdir, "--clearenv"),
        *(word for name, value in layout.env.items() for word in ("--setenv", name, value)),
        *("--seccomp", str(layout.seccomp)),
        *(() if layout.status is None else ("--json-status-fd", str(layout.status))),
        *("--", "prlimit", *_LIMITS, f"--fsize={layout.file_mb * MB}", "--"),
        *(() if layout.file_mb else _FROZEN),
        *command,
    )


def shown_argv(argv: tuple[str, ...], descriptor: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns the options of `bubblewrap_argv`, and the argv that reads them from `descriptor`.

    Every process inside sees the command line of its first one: no path of the server may be there.
    It starts in the folder of bubblewrap.
    """
    end = argv.index("--")
    program = "./" + argv[0].rpartition("/")[2]
    return argv[1:end], (program, "--args", str(descriptor), *argv[end:])


def _rules(layout: Layout) -> tuple[str, ...]:
    """Mounts the workspace's `.maia` on itself, so that nobody renames it.

    To agents it is read-only, but for the folders in it: what a person saves there stays so.
    """
    if layout.rules is None or layout.read_only:
        return ()
    if layout.own:
        return ("--bind-fd", str(layout.rules), RULES_FOLDER)
    inner = (
        ("--bind-fd", str(number), f"{RULES_FOLDER}/{name}")
        for name, number in layout.rules_inner.items()
    )
    mounts = (word for mount in inner for word in mount)
    return ("--ro-bind-fd", str(layout.rules), RULES_FOLDER, *mounts)


def _settings(layout: Layout) -> tuple[str, ...]:
    """Shows `~/.maia`: all of it to the person, only skills and tools, read-only, to agents.

    The files in it are read-only to the person's commands too: a page of the account writes them.
    No part of these paths on the host is in reach of a sandbox: nobody can put a link there.
    """
    bind = "--bind" if layout.own and not layout.read_only else "--ro-bind"
    library = (
        *(bind, f"{layout.settings}/skills", SKILLS),
        *(bind, f"{layout.settings}/tools", CUSTOM_TOOLS),
    )
    if layout.own:
        return ("--ro-bind", f"{layout.settings}/files", SETTINGS, *library)
    return ("--size", "65536", "--tmpfs", SETTINGS, *library, "--remount-ro", SETTINGS)


def _system(layout: Layout) -> tuple[str, ...]:
    return (
        *("--ro-bind", "/usr", "/usr"),
        *(("--ro-bind", layout.team, TEAM_SKILLS) if layout.team else ()),
        *("--symlink", "usr/bin", "/bin", "--symlink", "usr/sbin", "/sbin"),
        *("--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64"),
        *("--ro-bind-try", "/etc/alternatives", "/etc/alternatives"),
        *("--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache"),
        *(
            word
            for path, descriptor in layout.files.items()
            for word in ("--ro-bind-data", str(descriptor), path)
        ),
        *(
            word
            for tool in layout.tools
            for word in ("--ro-bind", tool, f"{TOOLS}/{tool.rpartition('/')[2]}")
        ),
    )


def as_person(uid: int, gid: int, command: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the argv by which a server that is root becomes one person, without any right."""
    return (
        *("setpriv", "--reuid", str(uid), "--regid", str(gid), "--clear-groups"),
        *("--inh-caps=-all", "--no-new-privs", "--", *command),
    )


_ENTERING = 'echo 0 > "$1" && shift && exec "$@"'


def in_cgroup(entry: str, command: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the argv that enters a cgroup (its file `cgroup.procs`) and goes on as `command`."""
    return ("sh", "-c", _ENTERING, "sh", entry, *command)


_MOUNTING = """\
while [ "$1" != -- ]; do mount --bind -- "$1" "$2" || exit 125; shift 2; done; shift
while [ "$1" != -- ]; do
  exec {new}< "$2" && [ "/proc/self/fd/$new" -ef "/proc/self/fd/$1" ] || exit 125
  eval "exec $1<&$new {new}<&-"; shift 2
done; shift
[ -t 1 ] && exec "$@" <&1
exec "$@"
"""
# bash would take the terminal on its stdin for its own, and leave none to the shell of a terminal
_APART = ("sh", "-c", 'exec "$@" < /dev/null', "sh")


def with_mounts(
    mounts: dict[str, str], command: tuple[str, ...], opened: dict[int, str] | None = None
) -> tuple[str, ...]:
    """Returns the argv by which root first shows folders at other paths, to this command only.

    For a data folder below one that only root may enter (a checkout in /root). `opened`:
    descriptors the command gets, and where their folders are seen then; they are opened anew there,
    for a descriptor of another mount namespace cannot be mounted.
    """
    pairs = (word for pair in mounts.items() for word in pair)
    folders = (word for number, path in (opened or {}).items() for word in (str(number), path))
    return (
        *_APART,
        *("unshare", "--mount", "--propagation", "private", "--"),
        *("bash", "-c", _MOUNTING, "bash", *pairs, "--", *folders, "--", *command),
    )


def terminal_command(settings: str = SETTINGS) -> tuple[str, ...]:
    """Returns the shell of a terminal: a session of its own that owns the tty on stdin.

    It reads no start-up file that an agent could have written: only one in the settings.
    """
    return ("setsid", "-c", "-w", "bash", "--rcfile", f"{settings}/bashrc", "-i")
