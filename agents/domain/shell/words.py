"""WordReader: reads words as bash does: quotes, escapes, expansions, substitutions."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable

from agents.domain.shell.pieces import Piece, build_word, decode_ansi
from agents.domain.shell.values import ShellScript, Unreadable, Word

MAX_DEPTH = 24
_PLAIN = re.compile(r"[^ \t\n\\'\"$`;&|<>()]+")
_SIMPLE_WORD = re.compile(r"[A-Za-z0-9_./:,@%^+-]+(?=[ \t\n;|&)]|$)")
_DOUBLE_PLAIN = re.compile(r'[^"\\$`]+')
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]")
_SIMPLE_EXPANSION = re.compile(
    r"#?(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])(?:: ?-?[0-9]+(?:: ?-?[0-9]+)?"
    r"|(?::?[-+?]|##?|%%?|//?|\^\^?|,,?)[A-Za-z0-9_./ :*?,+~^-]*)?"
)
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?\+?=")
_SAFE_ARITHMETIC = re.compile(r"[0-9 \t+*/%<>!&|^~?:(),-]*")
_PARENTHESIS = re.compile(r"[()]|\\.", re.DOTALL)
_BACKTICK_ESCAPE = re.compile(r"\\([\\`$])")


class WordReader(ABC):
    """A cursor over one text; everything found goes into `script`."""

    def __init__(self, source: str, script: ShellScript, depth: int = 0) -> None:
        if depth > MAX_DEPTH:
            raise Unreadable("too-deep")
        self.source = source
        self.at = 0
        self.script = script
        self.depth = depth

    @abstractmethod
    def read_substitution(self) -> None:
        """Reads commands up to the `)` that closes a substitution."""

    @abstractmethod
    def read_nested(self, text: str) -> None:
        """Reads `text` as a script of its own."""

    def deeper(self, read: Callable[[], None]) -> None:
        """Calls `read` one level deeper; raises `Unreadable` where it is too deep."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Unreadable("too-deep")
        read()
        self.depth -= 1

    def peek(self, length: int = 1) -> str:
        """Returns the next characters without moving."""
        return self.source[self.at : self.at + length]

    def read_word(self) -> Word:
        """Reads one word; raises `Unreadable` when there is none or a quote stays open."""
        start = self.at
        self.script.spend()
        simple = _SIMPLE_WORD.match(self.source, start)
        if simple:  # most words: nothing in them means anything to bash
            self.at = simple.end()
            text = simple[0]
            return Word(text, text, text, start)
        pieces: list[Piece] = []
        while self._read_piece(pieces, start):
            pass
        if self.at == start:
            raise Unreadable("syntax")
        return build_word(pieces, start)

    def _read_piece(self, pieces: list[Piece], start: int) -> bool:
        plain = _PLAIN.match(self.source, self.at)
        if plain:
            self.at = plain.end()
            pieces.append(Piece(plain[0], plain[0], "plain"))
            return True
        char = self.peek()
        if char in "'\"\\$`" and char:
            pieces.append(self._read_quoted(char))
            return True
        if self.peek(2) in ("<(", ">("):
            pieces.append(self._read_process())
            return True
        if char == "(" and _ASSIGNMENT.fullmatch(self.source, start, self.at):
            pieces.append(self._read_array())
            return True
        return False

    def _read_quoted(self, char: str) -> Piece:
        self.script.spend()
        if char == "'":
            return self._read_single()
        if char == '"':
            return self._read_double()
        if char == "\\":
            return self._read_escape()
        if char == "`":
            return self._read_backtick()
        return self._read_dollar(quoted=False)

    def _read_escape(self) -> Piece:
        following = self.source[self.at + 1 : self.at + 2]
        self.at += 2
        if following == "\n":
            return Piece("", "", "plain")
        if not following:
            raise Unreadable("open-quote")
        return Piece("\\" + following, following, "quoted")

    def _read_single(self) -> Piece:
        end = self.source.find("'", self.at + 1)
        if end < 0:
            raise Unreadable("open-quote")
        raw = self.source[self.at : end + 1]
        self.at = end + 1
        return Piece(raw, raw[1:-1], "quoted")

    def _read_double(self) -> Piece:
        start = self.at
        self.at += 1
        inner: list[Piece] = []
        while self.peek() != '"':
            if self.at >= len(self.source):
                raise Unreadable("open-quote")
            inner.append(self._read_in_double())
        self.at += 1
        return Piece.joined(self.source[start : self.at], inner)

    def _read_in_double(self) -> Piece:
        plain = _DOUBLE_PLAIN.match(self.source, self.at)
        if plain:
            self.at = plain.end()
            return Piece(plain[0], plain[0], "quoted")
        self.script.spend()
        char = self.peek()
        if char == "$":
            return self._read_dollar(quoted=True)
        if char == "`":
            return self._read_backtick()
        if char == '"':
            self.at += 1
            return Piece('"', '"', "quoted")
        following = self.source[self.at + 1 : self.at + 2]
        self.at += 2
        text = {"\n": "", "": "\\"}.get(following, following)
        return Piece("\\" + following, text if following in '$`"\\\n' else "\\" + text, "quoted")

    def _read_backtick(self) -> Piece:
        end = self.at + 1
        while self.source[end : end + 1] != "`":
            if end >= len(self.source):
                raise Unreadable("open-quote")
            end += 2 if self.source[end] == "\\" else 1
        raw = self.source[self.at : end + 1]
        self.at = end + 1
        self.script.doubt("substitution", raw)
        self.read_nested(_BACKTICK_ESCAPE.sub(r"\1", raw[1:-1]))
        return Piece(raw, raw, "dynamic")

    def _read_process(self) -> Piece:
        start = self.at
        self.at += 2
        return self._finish_substitution(start)

    def _finish_substitution(self, start: int) -> Piece:
        self.script.doubt("substitution", self.source[start : start + 200])
        self.read_substitution()
        raw = self.source[start : self.at]
        return Piece(raw, raw, "dynamic")

    def _read_dollar(self, *, quoted: bool) -> Piece:
        start = self.at
        following = self.source[start + 1 : start + 2]
        if following == "'" and not quoted:
            return self._read_ansi()
        if following == '"' and not quoted:
            self.at += 1
            inner = self._read_double()
            return Piece("$" + inner.raw, inner.text, "dynamic")
        if following == "(":
            return self._read_parenthesis(start)
        if following == "{":
            return self._read_braced(start)
        if following == "[":
            raise Unreadable("arithmetic")
        if following == "\\" and self.peek(3) == "$\\\n":
            raise Unreadable("syntax")
        return self._read_variable(start)

    def _read_variable(self, start: int) -> Piece:
        name = _NAME.match(self.source, start + 1)
        self.at = name.end() if name else start + 1
        raw = self.source[start : self.at]
        return Piece(raw, raw, "dynamic" if name else "quoted")

    def _read_ansi(self) -> Piece:
        end = self.at + 2
        while self.source[end : end + 1] != "'":
            if end >= len(self.source):
                raise Unreadable("open-quote")
            end += 2 if self.source[end] == "\\" else 1
        raw = self.source[self.at : end + 1]
        self.at = end + 1
        text, is_certain = decode_ansi(raw[2:-1])
        if not is_certain:
            self.script.doubt("escape", raw)
        return Piece(raw, text, "quoted")

    def _read_parenthesis(self, start: int) -> Piece:
        """Reads `$(…)` or `$((…))`; bash tries arithmetic first."""
        end = self.arithmetic_end(start + 1)
        if end is None:
            self.at = start + 2
            return self._finish_substitution(start)
        self.at = end
        raw = self.source[start:end]
        self.scan_arithmetic(raw[3:-2], raw)
        return Piece(raw, raw, "dynamic")

    def arithmetic_end(self, start: int) -> int | None:
        """Returns where `((…))`, opened at `start`, ends; None if it is no arithmetic."""
        if self.source[start : start + 2] != "((":
            return None
        level = 0
        for found in _PARENTHESIS.finditer(self.source, start):
            self.script.spend()
            level += {"(": 1, ")": -1}.get(found[0], 0)
            if level == 1 and found[0] == ")":
                end = found.end()
                return end + 1 if self.source[end : end + 1] == ")" else None
        return None

    def scan_arithmetic(self, inner: str, raw: str) -> None:
        """Plain numbers are harmless; anything else may run a substitution in a subscript."""
        if not _SAFE_ARITHMETIC.fullmatch(inner):
            self.script.doubt("arithmetic", raw)
            self.scan_expansions(inner)

    def scan_expansions(self, text: str) -> None:
        """Finds substitutions in `text` as if it stood in double quotes."""
        nested = self.nested(text)
        while nested.at < len(text):
            nested._read_in_double()

    @abstractmethod
    def nested(self, text: str) -> WordReader:
        """Returns a reader of `text`, one level deeper, that collects into the same script."""

    def _read_braced(self, start: int) -> Piece:
        self.at = start + 2
        if self.peek() in (" ", "\t", "\n", "|"):  # bash 5.3 runs commands here
            self.script.doubt("substitution", self.source[start : start + 200])
        self.deeper(self._read_to_brace)
        raw = self.source[start : self.at]
        if not _SIMPLE_EXPANSION.fullmatch(raw, 2, len(raw) - 1):
            self.script.doubt("expansion", raw)
        return Piece(raw, raw, "dynamic")

    def _read_to_brace(self) -> None:
        while self.peek() != "}":
            if self.at >= len(self.source):
                raise Unreadable("open-quote")
            self._read_in_braces()
        self.at += 1

    def _read_in_braces(self) -> None:
        char = self.peek()
        if char in ("'", '"', "\\", "$", "`"):
            self._read_quoted(char)
        elif self.peek(2) in ("<(", ">("):
            self._read_process()
        else:
            self.at += 1

    def _read_array(self) -> Piece:
        start = self.at
        self.at += 1
        self.deeper(self._read_elements)
        raw = self.source[start : self.at]
        self.script.doubt("assignment", raw)
        return Piece(raw, raw, "dynamic")

    def _read_elements(self) -> None:
        while self.peek() != ")":
            if self.at >= len(self.source):
                raise Unreadable("syntax")
            if self.peek() in (" ", "\t", "\n"):
                self.at += 1
            else:
                self.read_word()
        self.at += 1
