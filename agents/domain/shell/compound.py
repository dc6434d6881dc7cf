"""ShellReader: compound commands (groups, if, loops, case, functions, `[[ ]]`, `(( ))`)."""

from __future__ import annotations

import re
from collections.abc import Callable

from agents.domain.shell.reader import CommandReader
from agents.domain.shell.values import ShellCommand, Unreadable

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TEST_END = re.compile(r"\]\](?=[ \t\n;&|<>()]|$)")
_NUMBER_OR_NAME = re.compile(r"-?[0-9]+|-[a-z]|!|[A-Z]+")
_PLAIN_LOOP = re.compile(r"for[ \t]+(?!histchars\b)[a-z][a-z0-9]{0,15}(?![A-Za-z0-9_])")
"""A loop over such a variable changes nothing that bash or a program looks at."""
_ARITHMETIC_TESTS = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v", "-R"})


def _read_parenthesis(reader: CommandReader) -> None:
    end = reader.arithmetic_end(reader.at)
    if end is not None:
        _keep_arithmetic(reader, end)
        return
    first = len(reader.script.commands)
    reader.at += 1
    reader.read_list()
    reader.expect(")")
    reader.script.subshells.append((first, len(reader.script.commands)))


def _keep_arithmetic(reader: CommandReader, end: int) -> None:
    raw = reader.source[reader.at : end]
    command = ShellCommand(reader.at, "arithmetic", source=raw)
    reader.script.add(command)
    reader.script.special("arithmetic", raw)
    reader.at = end
    reader.scan_arithmetic(raw[2:-2], raw)


def _read_group(reader: CommandReader) -> None:
    reader.at += 1
    reader.read_list()
    reader.expect_word("}")


def _read_if(reader: CommandReader) -> None:
    reader.expect_word("if")
    reader.read_list()
    reader.expect_word("then")
    reader.read_list()
    while reader.reserved() == "elif":
        reader.at += 4
        reader.read_list()
        reader.expect_word("then")
        reader.read_list()
    if reader.reserved() == "else":
        reader.at += 4
        reader.read_list()
    reader.expect_word("fi")


def _read_while(reader: CommandReader) -> None:
    first = len(reader.script.commands)
    reader.at += len(reader.reserved())
    reader.read_list()
    _read_do(reader)
    reader.script.loops.append((first, len(reader.script.commands)))


def _read_do(reader: CommandReader) -> None:
    reader.expect_word("do")
    reader.read_list()
    reader.expect_word("done")


def _read_for(reader: CommandReader) -> None:
    """A loop sets a variable, as an assignment does: only a plain name is harmless."""
    start, first = reader.at, len(reader.script.commands)
    reader.at += len(reader.reserved())
    reader.skip_blanks()
    if reader.peek() == "(":
        _read_arithmetic_head(reader)
    else:
        name = _NAME.match(reader.source, reader.at)
        if name is None:
            raise Unreadable("syntax")
        reader.at = name.end()
        _read_loop_words(reader)
    if not _PLAIN_LOOP.match(reader.source, start):
        reader.script.special("loop", reader.source[start : reader.at])
    reader.skip_lines()
    if reader.reserved() == "{":
        _read_group(reader)
    else:
        _read_do(reader)
    reader.script.loops.append((first, len(reader.script.commands)))


def _read_arithmetic_head(reader: CommandReader) -> None:
    end = reader.arithmetic_end(reader.at)
    if end is None:
        raise Unreadable("syntax")
    raw = reader.source[reader.at : end]
    reader.at = end
    reader.scan_expansions(raw[2:-2])
    _skip_semicolon(reader)


def _skip_semicolon(reader: CommandReader) -> None:
    reader.skip_blanks()
    if reader.peek() == ";" and reader.peek(2) != ";;":
        reader.at += 1


def _read_loop_words(reader: CommandReader) -> None:
    reader.skip_lines()
    if re.compile(r"in(?=[ \t\n;]|\\\n)").match(reader.source, reader.at):
        reader.at += 2
        reader.skip_blanks()
        while reader.peek() and reader.peek() not in "\n;&|)":
            reader.read_word()
            reader.skip_blanks()
    _skip_semicolon(reader)


def _read_case(reader: CommandReader) -> None:
    reader.expect_word("case")
    reader.skip_blanks()
    reader.read_word()
    reader.skip_lines()
    if not re.compile(r"in(?=[ \t\n]|\\\n)").match(reader.source, reader.at):
        raise Unreadable("syntax")
    reader.at += 2
    reader.skip_lines()
    while reader.reserved() != "esac":
        _read_case_item(reader)
        reader.skip_lines()
    reader.expect_word("esac")


def _read_case_item(reader: CommandReader) -> None:
    if reader.peek() == "(":
        reader.at += 1
    while True:
        reader.skip_blanks()
        reader.read_word()
        reader.skip_blanks()
        if reader.peek() != "|":
            break
        reader.at += 1
    reader.expect(")")
    reader.read_list()
    reader.skip_lines()
    if reader.reserved() == "esac":
        return
    for separator in (";;&", ";;", ";&"):
        if reader.peek(len(separator)) == separator:
            reader.at += len(separator)
            return
    raise Unreadable("syntax")


def _read_function(reader: CommandReader) -> None:
    reader.expect_word("function")
    reader.skip_blanks()
    name = reader.read_word()
    reader.skip_blanks()
    if reader.peek() == "(":
        reader.at += 1
        reader.skip_blanks()
        reader.expect(")")
    reader.script.special("function", name.raw)
    reader.skip_lines()
    reader.read_command()


def _read_coproc(reader: CommandReader) -> None:
    """`coproc [NAME] command`: with a name only before a compound command."""
    reader.expect_word("coproc")
    reader.script.special("background", "coproc")
    reader.skip_blanks()
    name = re.compile(r"[A-Za-z_][A-Za-z0-9_]*[ \t]+(?=[({]|(?:if|while|until|for|case)\b)").match(
        reader.source, reader.at
    )
    if name is not None:
        reader.at = name.end()
    reader.read_command()


def _read_test(reader: CommandReader) -> None:
    start = reader.at
    command = ShellCommand(start, "test")
    reader.script.add(command)
    reader.at += 2
    while True:
        reader.skip_lines()
        if _TEST_END.match(reader.source, reader.at):
            reader.at += 2
            break
        _read_test_word(reader, command)
    command.source = reader.source[start : reader.at]
    _doubt_arithmetic_test(reader, command)


def _doubt_arithmetic_test(reader: CommandReader, command: ShellCommand) -> None:
    """`-eq` and its kind evaluate names and subscripts, quoted or not; `-v` a subscript."""
    texts = [word.text for word in command.words if word.text not in _ARITHMETIC_TESTS]
    if len(texts) < len(command.words) and not all(map(_NUMBER_OR_NAME.fullmatch, texts)):
        reader.script.doubt("arithmetic", command.source)


def _read_test_word(reader: CommandReader, command: ShellCommand) -> None:
    if not reader.peek():
        raise Unreadable("syntax")
    if reader.peek() in "()&|;" or (reader.peek() in "<>" and reader.peek(2)[1:] != "("):
        reader.at += 1
    else:
        command.words.append(reader.read_word())


_READERS: dict[str, Callable[[CommandReader], None]] = {
    "{": _read_group,
    "if": _read_if,
    "while": _read_while,
    "until": _read_while,
    "for": _read_for,
    "select": _read_for,
    "case": _read_case,
    "function": _read_function,
    "coproc": _read_coproc,
    "[[": _read_test,
}


class ShellReader(CommandReader):
    """Reads a whole line of bash into the flat list of commands it would run; runs nothing."""

    def read_compound(self) -> bool:
        """Reads the compound command that stands here; False if none does."""
        read = _read_parenthesis if self.peek() == "(" else _READERS.get(self.reserved())
        if read is None:
            return False
        self.deeper(lambda: read(self))
        return True
