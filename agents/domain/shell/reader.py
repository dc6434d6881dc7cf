"""CommandReader: reads lists, pipelines, simple commands and redirections of bash."""

from __future__ import annotations

import re
from abc import abstractmethod
from typing import Self

from agents.domain.shell.heredocs import HeredocReader
from agents.domain.shell.values import (
    COMMAND_EFFORT,
    Redirect,
    ShellCommand,
    ShellScript,
    Unreadable,
    Word,
)

_BLANKS = re.compile(r"(?:[ \t]|\\\n)*(?:#[^\n]*)?")
_MAY_BE_SKIPPED = frozenset(" \t\\#")
_MAY_REDIRECT = frozenset("<>&{0123456789")
_REDIRECT = re.compile(
    r"(?P<fd>[0-9]+|\{[A-Za-z_][A-Za-z0-9_]*\})?"
    r"(?P<op><<<|<<-|<<|<&|<>|<(?!\()|>>|>&|>\||>(?!\())|(?P<both>&>>|&>)"
)
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\[.*\])?\+?=", re.DOTALL)
RESERVED = frozenset(
    [
        *("if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case"),
        *("esac", "select", "function", "time", "coproc", "{", "}", "!", "[["),
    ]
)
_RESERVED = re.compile(
    r"(if|then|elif|else|fi|for|while|until|do|done|case|esac|select|function|time|coproc"
    r"|\{|\}|!|\[\[)(?=[ \t\n;&|<>()]|\\\n|$(?!\n))"
)
_TIME = re.compile(
    r"time(?!\\\n)(?:(?:[ \t]|\\\n)+-p(?=[ \t\n;&|<>()]|$(?!\n)))?"
    r"(?:(?:[ \t]|\\\n)+--(?=[ \t\n;&|<>()]|$(?!\n)))?"
)
"""The keyword with what belongs to it (parse.y of bash 5.2: TIMEOPT, TIMEIGN)."""
_CLOSING = frozenset({"then", "elif", "else", "fi", "do", "done", "esac", "}"})
_SEPARATOR = re.compile(r"&&|\|\||;;&|;&|;;|;|&|\|&|\|")
_DUPLICATION = re.compile(r"[0-9]+-?|-")


class CommandReader(HeredocReader):
    """The grammar of bash, as far as it decides what runs. Never runs anything itself."""

    def __init__(self, source: str, script: ShellScript, depth: int = 0) -> None:
        super().__init__(source, script, depth)
        self.pending = []

    def nested(self, text: str) -> Self:
        """Returns a reader of `text`, one level deeper, that collects into the same script."""
        return type(self)(text, self.script, self.depth + 1)

    @abstractmethod
    def read_compound(self) -> bool:
        """Reads the compound command that stands here; False if none does."""

    def read_nested(self, text: str) -> None:
        """Reads `text` as a script of its own."""
        self.nested(text).read_all()

    def read_all(self) -> None:
        """Reads to the end; raises `Unreadable` when something does not fit."""
        self.read_list()
        if self.at < len(self.source):
            raise Unreadable("syntax")
        if self.pending:
            raise Unreadable("heredoc")

    def read_substitution(self) -> None:
        """Reads commands up to the `)` that closes a substitution."""
        if self.pending:
            raise Unreadable("heredoc")
        self.deeper(self.read_list)
        self.expect(")")

    def expect(self, text: str) -> None:
        """Moves over `text`, which must stand here."""
        if self.peek(len(text)) != text:
            raise Unreadable("syntax")
        self.at += len(text)

    def expect_word(self, word: str) -> None:
        """Moves over the reserved word that must stand here."""
        if self.reserved() != word:
            raise Unreadable("syntax")
        self.at += len(word)

    def skip_blanks(self) -> None:
        """Moves over blanks, line continuations and a comment."""
        if self.source[self.at : self.at + 1] in _MAY_BE_SKIPPED:
            found = _BLANKS.match(self.source, self.at)
            self.at = found.end() if found else self.at

    def skip_lines(self) -> None:
        """Moves over blanks, comments and line breaks."""
        self.skip_blanks()
        while self.peek() == "\n":
            self.read_newline()
            self.skip_blanks()

    def reserved(self) -> str:
        """Returns the reserved word that stands here, or "" ."""
        found = _RESERVED.match(self.source, self.at)
        return found[1] if found else ""

    def read_list(self) -> None:
        """Reads commands until a word or sign that closes a group, or the end."""
        separator = ""
        while True:
            self.skip_lines()
            if not self.peek() or self.peek() == ")" or self.reserved() in _CLOSING:
                return
            self._read_pipeline(is_first=separator not in ("|", "|&"))
            self.skip_blanks()
            separator = self._read_separator()
            if not separator:
                return

    def _read_separator(self) -> str:
        """Moves over what ends a command and returns it, "" where the list ends."""
        if self.peek() == "\n":
            return "\n"
        found = _SEPARATOR.match(self.source, self.at)
        separator = found[0] if found else ""
        if separator in ("", ";;", ";&", ";;&"):
            return ""
        self.at += len(separator)
        if separator == "&":
            self.script.special("background", "&")
        if separator in ("&&", "||", "|", "|&"):
            self.skip_lines()
            if not self.peek() or self.peek() in ");&|" or self.reserved() in _CLOSING:
                raise Unreadable("syntax")
        return separator

    def _read_pipeline(self, *, is_first: bool) -> None:
        """Reads one command with what may stand before it (`!`, and first of all `time`)."""
        keyword: ShellCommand | None = None
        while (word := self.reserved()) == "!" or (word == "time" and is_first):
            if word == "time":
                keyword = self._read_time()
            else:
                self.at += len(word)
                self.script.spend()
            self.skip_blanks()
        if not self.peek() or (self.peek() in "\n;&|)" and self.peek(2) != "&>"):
            if keyword is None or self.peek() in ("&", "|", ")"):
                raise Unreadable("syntax")
            return
        first, start = len(self.script.commands), self.at
        self.read_command()
        for command in self.script.commands[first : first + 1] if keyword else ():
            if keyword and command.kind == "simple" and command.start == start:
                command.timed = keyword.timed = f"{keyword.written} {command.written}"

    def _read_time(self) -> ShellCommand:
        """Reads the keyword `time`, `-p` included, as a command of its own."""
        found = _TIME.match(self.source, self.at)
        if found is None:
            raise Unreadable("syntax")
        keyword = ShellCommand(self.at, "time", source=found[0])
        self.script.add(keyword)
        self.at = found.end()
        return keyword

    def read_command(self) -> None:
        """Reads one command, simple or compound."""
        if self.read_compound():
            self._read_trailing_redirects()
        else:
            self._read_simple()

    def _read_trailing_redirects(self) -> None:
        self.skip_blanks()
        while self._read_redirect(None):
            self.skip_blanks()

    def _read_simple(self) -> None:
        command = ShellCommand(self.at)
        self.script.add(command)
        while True:
            self.skip_blanks()
            if self._read_redirect(command):
                continue
            if not self.peek() or self.peek() in "\n;&|)":
                break
            if self.peek() == "(":
                self._read_function(command)
                return
            self._add_word(command, self.read_word())
        command.source = self.source[command.start : self.at].strip(" \t\n")
        if not (command.words or command.prefixes or command.redirects):
            raise Unreadable("syntax")

    def _add_word(self, command: ShellCommand, word: Word) -> None:
        if command.words:
            command.words.append(word)
        elif _is_assignment(word):
            command.prefixes.append(word)
        else:
            if word.raw == "time":  # here it is the program, and looks like the keyword
                self.script.special("wrapper", word.raw)
            elif word.raw in RESERVED:
                raise Unreadable("syntax")
            command.words.append(word)

    def _read_function(self, command: ShellCommand) -> None:
        """Reads `name ( ) body`; `(` anywhere else is an error."""
        if len(command.words) != 1 or command.prefixes or command.redirects:
            raise Unreadable("syntax")
        self.at += 1
        self.skip_blanks()
        self.expect(")")
        self.script.commands.remove(command)
        self.script.special("function", command.words[0].raw)
        self.skip_lines()
        self.deeper(self.read_command)

    def _read_redirect(self, command: ShellCommand | None) -> bool:
        if self.source[self.at : self.at + 1] not in _MAY_REDIRECT:
            return False
        found = _REDIRECT.match(self.source, self.at)
        if found is None:
            return False
        self.script.spend(COMMAND_EFFORT)
        start, operator = self.at, found["op"] or found["both"]
        self.at = found.end()
        if (found["fd"] or "").startswith("{"):
            self.script.special("assignment", found[0])
        self.skip_blanks()
        word = self.read_word()
        if operator in ("<<", "<<-"):
            self.add_heredoc(operator, word, command)
        elif operator == "<<<":
            if command is not None:
                command.input_texts.append(word.text)
        else:
            self._add_redirect(command, start, operator, word)
        return True

    def _add_redirect(
        self, command: ShellCommand | None, start: int, operator: str, word: Word
    ) -> None:
        raw = self.source[start : self.at]
        if operator in (">&", "<&") and word.is_static and _DUPLICATION.fullmatch(word.text):
            return
        if operator in (">&", "<&"):
            self._doubt_twice_expanded(operator, word, raw)
        if word.text.startswith(("/dev/tcp", "/dev/udp")):
            self.script.doubt("network", raw)
        owner = self.script if command is None else command
        owner.redirects.append(Redirect(raw, word, writes=operator not in ("<", "<&")))

    def _doubt_twice_expanded(self, operator: str, word: Word, raw: str) -> None:
        """bash 5.2 expands the word after `>&` and `<&` once more, even what was quoted."""
        if operator == "<&" or set("$`'\"\\~*?[{") & set(word.text):
            self.script.doubt("redirect", raw)
            self.scan_expansions(word.text)


def _is_assignment(word: Word) -> bool:
    return bool(_ASSIGNMENT.match(word.raw))
