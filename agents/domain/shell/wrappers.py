"""Programs that start other programs: what they would start, for deny and ask."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agents.domain.shell.values import Word

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
    """How a program's arguments stand before the inner command begins: see `wrappers.toml`."""

    short: str = ""
    long: frozenset[str] = frozenset()
    skips: int = 0
    joins: bool = False
    scripts: tuple[str, ...] = ()
    verbs: frozenset[str] = frozenset()
    idle: bool = False
    runner: bool = False


def _form(row: Mapping[str, Any]) -> _Form:
    takes = row.get("takes", "").split()
    return _Form(
        "".join(name[1] for name in takes if len(name) == 2),
        frozenset(name for name in takes if len(name) > 2),
        row.get("skips", 0),
        row.get("joins", False),
        tuple(row.get("scripts", "").split()),
        frozenset(row.get("verbs", "").split()),
        row.get("idle", False),
        row.get("runner", False),
    )


_ROWS = tomllib.loads(Path(__file__).with_name("wrappers.toml").read_text(encoding="utf-8"))
_FORMS = {name: _form(row) for names, row in _ROWS.items() for name in names.split()}
_LOADER = re.compile(r"ld(?:-linux|-musl|64)?[A-Za-z0-9_.-]*\.so(?:\.[0-9]+)*")
_FIND_ACTIONS = ("-exec", "-execdir", "-ok", "-okdir")
MAX_ACTIONS = 20
MAX_STARTS = 8


def program(words: Sequence[Word]) -> str:
    """Returns the name of the program without its folder."""
    name = words[0].text if words else ""
    return name.rpartition("/")[2] if "/" in name else name


def inner_of(words: Sequence[Word]) -> Inner | None:
    """Returns what the wrapper `words[0]` would start; None if it is none."""
    name = program(words)
    if name in _RUNNERS or not starts_others(name):
        return None
    return started_by(words)


def started_by(words: Sequence[Word]) -> Inner | None:
    """Returns what a wrapper, or `uv run …` and its kind, would start; None if it is neither."""
    name = program(words)
    if not starts_others(name):
        return None
    if name in SHELLS:
        return _of_shell(words)
    reader = _READERS.get(name)
    return _inner(words, _FORMS.get(name, _FORMS["ld.so"])) if reader is None else reader(words)


def starts_others(name: str) -> bool:
    """Says whether the program may start another one that its arguments name."""
    return name in _STARTERS or (name.startswith("ld") and bool(_LOADER.fullmatch(name)))


def _inner(words: Sequence[Word], form: _Form) -> Inner | None:
    verb = 0
    if form.verbs:
        verb = next((at for at, word in enumerate(words) if word.text in form.verbs), -1)
    inner = Inner(scripts=_option_scripts(words, form.scripts) if form.scripts else [])
    if verb >= 0:
        _add_commands(inner, words[verb:], form)
    is_empty = not (inner.commands or inner.scripts)
    return None if is_empty and (form.idle or form.verbs) else inner


def _add_commands(inner: Inner, words: Sequence[Word], form: _Form) -> None:
    for at in _starts(words, form):
        rest = list(words[at + form.skips :])
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


def _option_scripts(words: Sequence[Word], options: Sequence[str]) -> list[str]:
    """Returns what follows options such as `-c` and `--command`, attached or as the next word."""
    letters = {name[1] for name in options if len(name) == 2}
    longs = tuple(name for name in options if len(name) > 2)
    found: list[str] = []
    for at, word in enumerate(words[1:], start=1):
        text = word.text
        is_long = bool(longs) and text.startswith(longs)
        if is_long and "=" in text:
            found.append(text.partition("=")[2])
        elif is_long or (text[:1] == "-" and text[-1:] in letters):
            found.extend(following.text for following in words[at + 1 : at + 2])
        elif text[:1] == "-" and text[1:2] in letters:
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
    "find": _of_find,
}
_RUNNERS = frozenset(name for name, form in _FORMS.items() if form.runner)
_STARTERS = frozenset(_FORMS) | SHELLS | frozenset(_READERS)
