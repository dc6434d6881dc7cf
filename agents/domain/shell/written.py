"""What a command writes: the files and folders its operands and options name, by the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from agents.domain.shell.arguments import UNSURE, Argument, read_arguments
from agents.domain.shell.guards import line_of
from agents.domain.shell.programs import Program
from agents.domain.shell.values import ANY, Word


def written_words(words: Sequence[Word]) -> tuple[Word, ...]:
    """Returns the paths that the command `words` creates, changes or removes, as far as known.

    Paths are as written, relative to where the command runs; one that is not `is_static` only bash
    knows. What is copied into something that may be a folder is named twice: `b` and `b/a` for
    `cp a b`. What a program of the kind `anything` writes, nobody knows.
    """
    line, arguments = line_of(words)
    if line is None:
        return ()
    found = list(read_arguments(arguments, line))
    operands = [one.value for one in found if not one.name and one.value is not None]
    folders = [folder for one in found for folder in _named(one, line.folders)]
    named = [word for one in found for word in _named(one, line.writes | line.outputs)]
    unsure = [one.value for one in found if one.name == UNSURE and one.value is not None]
    changed = _changed(operands, found, line, has_folder=bool(folders))
    names = operands[:-1] if line.operands == "last" and not folders else operands
    into = [*folders, *(changed[-1:] if line.operands in ("last", "all") else [])]
    inside = [_inside(folder, name) for folder in into for name in names if name is not folder]
    return tuple(dict.fromkeys([*named, *folders, *changed, *inside, *unsure]))


def _named(argument: Argument, names: frozenset[str]) -> Iterator[Word]:
    """Yields the file that an option of `names` has as its value."""
    if argument.name in names and argument.name and argument.value is not None:
        yield argument.value
    word = argument.partly or argument.value
    if argument.name and argument.partly is None:
        text = argument.name + ("" if word is None else "=" + word.text)
        word = Word(text, text, text, 0) if word is None or word.is_static else None
    for name in names:
        stem = name.removesuffix("*")
        if stem != name and word is not None and word.known.startswith(stem):
            yield word.after(len(stem))


def _changed(
    operands: Sequence[Word], found: Sequence[Argument], line: Program, *, has_folder: bool
) -> list[Word]:
    """Returns the operands that are changed, always or because of an option (`sed -i`)."""
    names = {argument.name for argument in found}
    if line.changes and not line.changes & names:
        return []
    if line.operands == "first":
        return list(operands[:1])
    if line.operands == "last":
        return [] if has_folder else list(operands[-1:])
    if line.operands == "rest":
        has_script = bool(names & {"-e", "--expression", "-f", "--file"})
        return list(operands if has_script else operands[1:])
    return list(operands) if line.operands == "all" else []


def _inside(folder: Word, name: Word) -> Word:
    """Returns what `name` is called once it is in `folder`."""
    base = name.text.rstrip("/").rpartition("/")[2]
    pattern = base if name.is_static else ANY
    start, text = folder.pattern.rstrip("/"), folder.text.rstrip("/")
    return replace(folder, text=f"{text}/{base}", pattern=f"{start}/{pattern}")
