"""BashLine: what a Bash call would run, ready to be compared with rules."""

from __future__ import annotations

import re
import unicodedata
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from agents.domain.shell.compound import ShellReader
from agents.domain.shell.guards import special_of
from agents.domain.shell.names import elsewhere, folders_of, names_of
from agents.domain.shell.opinion import commands_by_tree_sitter, seen_by_tree_sitter
from agents.domain.shell.patterns import Wildcard
from agents.domain.shell.targets import Target, Written, places_of, targets_of, written_by
from agents.domain.shell.values import (
    ANY,
    Finding,
    ShellCommand,
    ShellScript,
    Unreadable,
    Word,
)
from agents.domain.shell.wrappers import INPUT_RUNNERS, program, started_by

MAX_LENGTH = 65_536
"""Characters examined in full; longer lines ask, after a coarse look for denies."""
MAX_COARSE = 2_097_152
MAX_CHUNK = 4_096
MAX_CHUNKS = 2_000
MAX_SUBSCRIPTS = 50
MAX_SIMPLE = 2_000
MAX_NESTED = 200
"""Scripts (and twenties of words) looked at inside wrappers; such a line asks anyway."""
MAX_NESTING = 8
_MAX_GUESSED = 1_024
_MAX_SPANS = 40
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_JOINED = re.compile(r"[<>$]\\\n|[&|;]\\\n[&|;<>]")
_COARSE = str.maketrans(dict.fromkeys(";&|(){}`", "\n"))
_KEYWORDS = re.compile(r"(?:(?:if|then|elif|else|while|until|do|!|time)\s+|[A-Za-z_]\w*=\S*\s+)*")
_BRACKETS = re.compile(r"[\[({]")
_QUOTES = str.maketrans("", "", "'\"\\")


@dataclass(frozen=True, slots=True)
class Part:
    """One command of the line.

    `written`: as written, for allow. `texts`: what deny and ask look at. `patterns`: where bash
    still decides part of it. `special`: why only an exact rule may allow it, or "". `elsewhere`:
    set after `cd`, `written` with ELSEWHERE for what is another file there. `guesses`: what it may
    be where a path does not say which file it is. `keyword`: where it is `time`, or stands right
    behind it, that as written; `timed`: both, the keyword and the command.
    """

    written: str
    texts: tuple[str, ...]
    patterns: tuple[Wildcard, ...] = ()
    special: str = ""
    is_nested: bool = False
    elsewhere: str = ""
    guesses: tuple[str, ...] = ()
    writes: tuple[Written, ...] = ()
    keyword: str = ""
    timed: str = ""

    @property
    def is_keyword(self) -> bool:
        """Says whether this is `time`, which bash itself carries out."""
        return self.keyword != "" and self.written == self.keyword


@dataclass(frozen=True, slots=True)
class BashLine:
    """The parts, targets and findings of one command line."""

    source: str
    parts: tuple[Part, ...]
    nested: tuple[Part, ...]
    targets: tuple[Target, ...]
    doubts: tuple[Finding, ...]
    specials: tuple[Finding, ...]


def read_script(source: str, depth: int = 0) -> ShellScript:
    """Reads `source`; what cannot be read is a doubt. Never raises."""
    script = ShellScript()
    try:
        ShellReader(source, script, depth).read_all()
    except Unreadable as unreadable:
        script.doubt(unreadable.code, source[-200:])
        script.is_complete = False
    except RecursionError:
        script.doubt("too-deep", source[-200:])
        script.is_complete = False
    return script


def analyse(source: str, root: str = "/workspace") -> BashLine:
    """Finds out what bash would run in the folder `root` (seed M §9.4). Never raises."""
    if len(source) > MAX_LENGTH:
        doubts = (Finding("too-long", source[:200]),)
        return BashLine(source, (), tuple(_coarse_parts(source)), (), doubts, ())
    script = read_script(source)
    _add_opinions(source, script)
    folders = folders_of(script, root)
    parts = _parts(script, folders, root)
    scripts = _nested_scripts(script.commands)
    everywhere = tuple(dict.fromkeys(one for moved in folders for one in moved))
    nested = list(_nested_parts(scripts, everywhere, root))
    places = places_of(script.commands)
    if not script.is_complete:
        nested.extend(_coarse_parts(source))
    if not script.is_complete or any(doubt.code == "opinions" for doubt in script.doubts):
        nested.extend(_guessed_parts(source))
    targets = dict.fromkeys(
        found for each in (script, *scripts) for found in targets_of(each, places)
    )
    return BashLine(
        source, parts, tuple(dict.fromkeys(nested)), tuple(targets),
        tuple(dict.fromkeys(script.doubts)), tuple(dict.fromkeys(script.specials)),
    )  # fmt: skip


def _parts(script: ShellScript, folders: Sequence[tuple[str, ...]], root: str) -> tuple[Part, ...]:
    """Returns what the commands are, each once: looked up by what was read, which is cheap."""
    found: dict[object, Part] = {}
    for command, moved in zip(script.commands, folders, strict=True):
        key = (command.source or command.start, moved, command.timed, *command.input_texts)
        if key not in found:
            found[key] = _part(command, moved, root)
    return tuple(found.values())


def _nested_parts(
    scripts: Sequence[ShellScript], everywhere: tuple[str, ...], root: str
) -> Iterator[Part]:
    for script in scripts:
        for command, moved in zip(script.commands, folders_of(script, root), strict=True):
            yield _part(command, everywhere + moved, root, is_nested=True)


def _add_opinions(source: str, script: ShellScript) -> None:
    """Adds what is not certain about the line as a whole."""
    if _CONTROL.search(source):
        script.doubt("control", source[:200])
    if "\\\n" in source and _JOINED.search(source):
        script.doubt("syntax", source[:200])
    if not script.commands and not script.redirects:
        script.doubt("empty")
    is_plain = source.isascii()
    for command in script.commands:
        _doubt_name(command, script, is_plain=is_plain)
    if not script.doubts and not _agrees(source, script):
        script.doubt("opinions", source[:200])


def _doubt_name(command: ShellCommand, script: ShellScript, *, is_plain: bool) -> None:
    if command.kind != "simple":
        return
    if command.words and (not command.words[0].is_static or not command.words[0].text):
        script.doubt("dynamic-name", command.words[0].raw)
    for word in () if is_plain else command.prefixes + command.words:
        if _is_strange(word):
            script.doubt("control", word.raw)


def _is_strange(word: Word) -> bool:
    """Blanks that are none to bash, and invisible characters, outside quotes."""
    if word.raw.isascii() or (word.quoted and word.raw[0] in "'\""):
        return False
    return any(unicodedata.category(char) in ("Zs", "Zl", "Zp", "Cf", "Cc") for char in word.raw)


def _agrees(source: str, script: ShellScript) -> bool:
    """Says whether tree-sitter sees the same commands begin at the same places."""
    if len(source) > MAX_SIMPLE and len(_BRACKETS.findall(source)) > MAX_SIMPLE:
        return False  # tree-sitter would take long
    encoded = source.encode()
    ours = {
        command.words[0].start if command.words and command.kind == "simple" else command.start
        for command in script.commands
        if command.words or command.kind not in ("simple", "time")
    }
    keywords = {one.start: one.source for one in script.commands if one.kind == "time"}
    if len(encoded) != len(source):
        ours = {len(source[:at].encode()) for at in ours}
        keywords = {len(source[:at].encode()): text for at, text in keywords.items()}
    if keywords and not seen_by_tree_sitter(encoded)[0].issuperset(keywords):
        return False  # to it `time` is a program
    for at, text in keywords.items():
        encoded = encoded[:at] + b" " * len(text) + encoded[at + len(text) :]
    starts, is_sound = seen_by_tree_sitter(encoded)
    return is_sound and starts == ours


def _part(
    command: ShellCommand, folders: tuple[str, ...], root: str, *, is_nested: bool = False
) -> Part:
    special = special_of(command)
    if special and command.input_texts:
        special = "shell-input"  # even an exact rule does not say what is fed to it
    moved = elsewhere(command, special) if folders else ""
    written, text = command.written, _text(command.words)
    texts = dict.fromkeys(_texts(command, written, text))
    patterns = _patterns([command.words])
    if command.kind == "time":
        return Part(written, ("time", written), keyword=written, timed=command.timed)
    guesses: tuple[str, ...] = ()
    names = names_of(command.words, text, folders, root) if command.words else None
    if names is not None:
        texts.update(dict.fromkeys(map(_text, names.certain)))
        patterns += _patterns([*names.certain, *names.possible])
        guesses = tuple(map(_text, names.possible))
    keyword = command.timed.removesuffix(written).rstrip()
    if keyword:
        begins = ("time", keyword)
        texts.update(dict.fromkeys(f"{one} {text}" for text in [*texts] for one in begins))
        patterns += tuple(Wildcard((f"time {one.pieces[0]}", *one.pieces[1:])) for one in patterns)
    return Part(
        written, tuple(texts), patterns, special, is_nested, moved, guesses,
        written_by(command, folders), keyword, command.timed,
    )  # fmt: skip


def _text(words: Sequence[Word]) -> str:
    return " ".join([word.text for word in words])


def _patterns(forms: Sequence[Sequence[Word]]) -> tuple[Wildcard, ...]:
    """Returns the pattern of each form in which bash decides something."""
    written = [" ".join([word.pattern for word in words]) for words in forms]
    written += [ANY for words in forms if words and words[0].splits]  # it may start another program
    return tuple([Wildcard.of(text, ANY) for text in written if ANY in text])


def _texts(command: ShellCommand, written: str, text: str) -> Iterator[str]:
    """Everything a deny or ask rule may mean by the command."""
    yield written
    if command.redirects:
        yield command.source
    if not command.words:
        return
    yield text
    if "{" in command.words[0].raw:
        yield text.replace("{", "", 1).replace("}", "", 1).replace(",", " ")


def _nested_scripts(commands: Sequence[ShellCommand]) -> list[ShellScript]:
    """What wrappers and shells among `commands` would start, and so on inwards, breadth first."""
    found: list[ShellScript] = []
    todo = deque((command, 0) for command in commands)
    effort = 0
    while todo and effort < MAX_NESTED:
        command, depth = todo.popleft()
        effort += len(command.words) // 20
        for script in _inner_scripts(command, depth) if depth < MAX_NESTING else ():
            effort += 1 + sum(len(inner.words) for inner in script.commands) // 20
            found.append(script)
            todo.extend((inner, depth + 1) for inner in script.commands)
    return found


def _inner_scripts(command: ShellCommand, depth: int) -> Iterator[ShellScript]:
    inner = started_by(command.words) if command.words else None
    if inner is not None:
        for words in inner.commands:
            yield ShellScript([ShellCommand(words[0].start if words else 0, words=list(words))])
        for text in inner.scripts:
            yield read_script(text, depth + 1)
    if command.words and program(command.words) in INPUT_RUNNERS:
        for text in command.input_texts:
            yield read_script(text, depth + 1)
    quoted = [word for word in command.words if word.quoted]
    for word in islice(filter(_has_subscript, quoted), MAX_SUBSCRIPTS):
        yield read_script(f': "{word.text}"', depth + 1)


def _has_subscript(word: Word) -> bool:
    return "[" in word.text and ("$(" in word.text or "`" in word.text)


def _guessed_parts(source: str) -> Iterator[Part]:
    """What tree-sitter takes for commands where our own reader gave up: for deny and ask."""
    encoded = source.encode(errors="replace")
    spans = commands_by_tree_sitter(encoded[:_MAX_GUESSED])
    for start, end in spans[:_MAX_SPANS]:
        text = encoded[start:end].decode(errors="replace")
        for command in read_script(text).commands:
            yield _part(command, (), "", is_nested=True)


def _coarse_parts(source: str) -> Iterator[Part]:
    """Cuts at every sign that may separate commands, quoted or not."""
    text = source[:MAX_COARSE].replace("\\\n", "").translate(_COARSE)
    chunks = dict.fromkeys(text.split("\n"))
    for long_chunk in islice(chunks, MAX_CHUNKS):
        chunk = long_chunk[:MAX_CHUNK]
        text = " ".join(chunk.translate(_QUOTES).strip("<>$ \t").split())
        bare = text[len(found[0]) :] if (found := _KEYWORDS.match(text)) else text
        if bare:
            yield Part(bare, (bare,), is_nested=True)
