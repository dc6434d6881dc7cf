"""Programs that start other programs: what they would start, for deny and ask."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from agents.domain.shell_values import Word

SHELLS = frozenset(["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "rbash", "yash"])
INPUT_RUNNERS = SHELLS | {"at", "batch", "source", "."}
"""What they read from their input, they run."""

_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")


@dataclass(frozen=True, slots=True)
class Inner:
    """What a wrapper would start: `commands` as words, `scripts` as text for a shell."""

    commands: list[list[Word]] = field(default_factory=list)
    scripts: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Form:
    """How a wrapper's arguments are laid out before the inner command begins."""

    short: str = ""
    long: frozenset[str] = frozenset()
    skipped: int = 0
    joins: bool = False


def _form(short: str = "", long: str = "", skipped: int = 0, *, joins: bool = False) -> _Form:
    return _Form(short, frozenset(long.split()), skipped, joins)


_FORMS: dict[str, _Form] = {
    "sudo": _form("CDghpRrTtUu", "--user --group --host --prompt --chdir --chroot --role --type"),
    "doas": _form("Cu"),
    "env": _form("uC", "--unset --chdir"),
    "nice": _form("n", "--adjustment"),
    "nohup": _form(),
    "setsid": _form(),
    "timeout": _form("ks", "--kill-after --signal", 1),
    "xargs": _form(
        "adEILnPs",
        "--arg-file --delimiter --max-args --max-procs --max-chars --max-lines --replace "
        "--process-slot-var --eof",
    ),
    "exec": _form("a"),
    "command": _form(),
    "builtin": _form(),
    "time": _form("fo", "--format --output"),
    "stdbuf": _form("ioe", "--input --output --error"),
    "ionice": _form("cnpPu", "--class --classdata"),
    "chrt": _form("TPD", "", 1),
    "taskset": _form("p", "", 1),
    "chroot": _form("", "--userspec --groups", 1),
    "unshare": _form("SGRw", "--root --wd"),
    "nsenter": _form("tSGrw", "--target"),
    "prlimit": _form("p", "--pid"),
    "setpriv": _form("", "--reuid --regid --groups --inh-caps --bounding-set"),
    "setarch": _form("", "", 1),
    "strace": _form("abeEIoOPsSuUX", "--output --trace"),
    "ltrace": _form("aAeFlnopsuwx"),
    "busybox": _form(),
    "toybox": _form(),
    "fakeroot": _form("lisb"),
    "pkexec": _form("", "--user"),
    "systemd-run": _form("pMHut", "--property --unit --uid --gid"),
    "runuser": _form("ugGs", "--user --group"),
    "unbuffer": _form(),
    "parallel": _form("jnNaI", "--jobs --arg-file", joins=True),
    "flock": _form("wEo", "--wait --timeout --conflict-exit-code", 1),
    "watch": _form("nq", "--interval", joins=True),
    "ssh": _form("bBcDEeFIiJLlmOoPpQRSWw", "", 1, joins=True),
    "entr": _form(),
    "xvfb-run": _form("eflnpsw"),
    "valgrind": _form(),
    "catchsegv": _form(),
    "faketime": _form("", "", 1),
    "proxychains": _form("f"),
    "proxychains4": _form("f"),
    "torsocks": _form(),
    "torify": _form(),
    "gosu": _form("", "", 1),
    "su-exec": _form("", "", 1),
    "coproc": _form(),
    "firejail": _form(),
    "bwrap": _form(),
    "dbus-run-session": _form(),
    "chronic": _form(),
    "ifne": _form(),
    "linux32": _form(),
    "linux64": _form(),
    "i386": _form(),
    "x86_64": _form(),
    "uname26": _form(),
    "rlwrap": _form("bCDfHlOPSst"),
    "numactl": _form("CNimp"),
    "hyperfine": _form("wrmMPDLspcSi", "--warmup --runs --prepare --setup", joins=True),
    "start-stop-daemon": _form("xapnusdgNP", "--exec --startas --pidfile --name --user"),
    "at": _form("fqt"),
    "batch": _form("fq"),
    "perf": _form("eop", "--event --output --pid", 1),
    "sg": _form("", "", 1),
    "capsh": _form(),
}
_RUNNERS: dict[str, tuple[frozenset[str], _Form]] = {
    name: (frozenset(verbs.split()), form)
    for name, verbs, form in (
        ("uv", "run", _form("p", "--python --with --extra --group --directory --package")),
        ("uvx", "", _form("p", "--python --from --with")),
        ("poetry", "run", _form("CP", "--directory --project")),
        ("pipenv", "run", _form()),
        ("pdm", "run", _form("p", "--project")),
        ("hatch", "run", _form("e", "--env")),
        ("rye", "run", _form()),
        ("npx", "", _form("p", "--package")),
        ("bunx", "", _form()),
        ("npm", "exec x", _form()),
        ("pnpm", "exec dlx", _form()),
        ("yarn", "exec dlx", _form()),
        ("bundle", "exec", _form()),
        ("conda", "run", _form("np", "--name --prefix")),
        ("mamba", "run", _form("np", "--name --prefix")),
    )
}
"""Programs of a project that start others: looked through for deny and ask, no more."""
_FIND_ACTIONS = ("-exec", "-execdir", "-ok", "-okdir")
MAX_ACTIONS = 20
MAX_STARTS = 8
_OPTION_SCRIPTS = {
    "su": "c", "runuser": "c", "script": "c", "flock": "c", "env": "S", "sg": "c", "capsh": "c",
}  # fmt: skip


def program(words: Sequence[Word]) -> str:
    """Returns the name of the program without its folder."""
    return words[0].text.rpartition("/")[2] if words else ""


def inner_of(words: Sequence[Word]) -> Inner | None:
    """Returns what the wrapper `words[0]` would start; None if it is none."""
    name = program(words)
    if name == "find":
        return _of_find(words)
    if name in SHELLS:
        return _of_shell(words)
    if name in _READERS:
        return _READERS[name](words)
    inner = Inner()
    if name in _OPTION_SCRIPTS:
        inner.scripts.extend(_option_scripts(words, _OPTION_SCRIPTS[name]))
    if name in _FORMS:
        _add_commands(inner, words, _FORMS[name])
    return inner if name in _FORMS or name in _OPTION_SCRIPTS else None


def runner_inner(words: Sequence[Word]) -> Inner | None:
    """Returns what `uv run …` and its kind would start; None if it is none of them."""
    verbs, form = _RUNNERS.get(program(words), (frozenset(), None))
    if form is None:
        return None
    verb = next((at for at, word in enumerate(words) if word.text in verbs), -1 if verbs else 0)
    inner = Inner()
    if verb >= 0:
        _add_commands(inner, words[verb:], form)
    return inner


def _add_commands(inner: Inner, words: Sequence[Word], form: _Form) -> None:
    for at in _starts(words, form):
        rest = list(words[at + form.skipped :])
        if form.joins and rest:
            inner.scripts.append(" ".join(word.text for word in rest))
        elif rest:
            inner.commands.append(rest)


def _starts(words: Sequence[Word], form: _Form) -> list[int]:
    """Where the inner command may begin; several places when an option is not known."""
    at = 1
    found: list[int] = []
    while at < len(words):
        text = words[at].text
        if text == "--":
            return [*found, at + 1]
        if text.startswith("--") and "=" not in text and text not in form.long:
            if len(found) < MAX_STARTS:
                found.append(at + 2)  # its value may follow
            at += 1
        elif text.startswith("-"):
            at += 2 if _takes_next(text, form) else 1
        elif _ASSIGNMENT.match(text):
            at += 1
        else:
            break
    return [*found, at]


def _takes_next(text: str, form: _Form) -> bool:
    if text.startswith("--"):
        return text in form.long
    place = next((at for at, letter in enumerate(text[1:]) if letter in form.short), -2)
    return place == len(text) - 2


def _option_scripts(words: Sequence[Word], letter: str) -> list[str]:
    """Returns what follows `-c`, `-S` and their long forms."""
    found: list[str] = []
    for at, word in enumerate(words[1:], start=1):
        text = word.text
        long_form = text.startswith(("--command", "--split-string", "--session-command"))
        if long_form and "=" in text:
            found.append(text.partition("=")[2])
        elif long_form or (text.startswith("-") and text.endswith(letter)):
            found.extend(following.text for following in words[at + 1 : at + 2])
        elif text.startswith("-" + letter):
            found.append(text[2:])
    return found


def _of_find(words: Sequence[Word]) -> Inner | None:
    inner = Inner()
    for at, word in enumerate(words):
        if word.text in _FIND_ACTIONS and len(inner.commands) < MAX_ACTIONS:
            rest = list(words[at + 1 :])
            end = next((i for i, part in enumerate(rest) if part.text in (";", "+")), len(rest))
            inner.commands.append(rest[:end])
    return inner if inner.commands else None


def _of_shell(words: Sequence[Word]) -> Inner | None:
    has_script = any(_is_cluster_with_c(word.text) for word in words[1:])
    if not has_script:
        return None
    arguments = [word.text for word in words[1:] if word.text[:1] not in ("-", "+")]
    return Inner(scripts=arguments[:2])  # `-o pipefail -c …`: the value may come first


def _is_cluster_with_c(text: str) -> bool:
    return text.startswith(("-", "+")) and not text.startswith("--") and "c" in text


def _arguments(words: Sequence[Word]) -> Sequence[Word]:
    return words[2:] if words[1:] and words[1].text == "--" else words[1:]


def _of_eval(words: Sequence[Word]) -> Inner:
    return Inner(scripts=[" ".join(word.text for word in _arguments(words))])


def _of_trap(words: Sequence[Word]) -> Inner:
    return Inner(scripts=[word.text for word in _arguments(words)[:1]])


def _of_ip(words: Sequence[Word]) -> Inner | None:
    """`ip netns exec NAME command`, `ip vrf exec NAME command`."""
    at = next((at for at, word in enumerate(words) if word.text == "exec"), 0)
    return Inner(commands=[list(words[at + 2 :])]) if at and words[at + 2 :] else None


_READERS: dict[str, Callable[[Sequence[Word]], Inner | None]] = {
    "eval": _of_eval,
    "trap": _of_trap,
    "ip": _of_ip,
}
