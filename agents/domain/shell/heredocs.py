"""Here-documents: read at the next line break, expanded unless the delimiter is quoted."""

from __future__ import annotations

from dataclasses import dataclass

from agents.domain.shell.values import ShellCommand, Unreadable, Word
from agents.domain.shell.words import WordReader


@dataclass(frozen=True, slots=True)
class Heredoc:
    """A here-document whose body has not been read yet."""

    delimiter: Word
    strips_tabs: bool
    command: ShellCommand | None


class HeredocReader(WordReader):
    """Adds line breaks, which is where bodies begin."""

    pending: list[Heredoc]

    def read_newline(self) -> None:
        """Moves over one line break and over the bodies that follow it."""
        self.at += 1
        self.script.spend()
        waiting, self.pending = self.pending, []
        for heredoc in waiting:
            self._read_body(heredoc)

    def add_heredoc(self, operator: str, word: Word, command: ShellCommand | None) -> None:
        """Remembers a `<<word` until the line ends."""
        if word.expands or any(char in word.raw for char in "$`\n("):
            raise Unreadable("heredoc")
        self.pending.append(Heredoc(word, operator == "<<-", command))

    def _read_body(self, heredoc: Heredoc) -> None:
        lines: list[str] = []
        while True:
            if self.at >= len(self.source):
                raise Unreadable("heredoc")
            end = self.source.find("\n", self.at)
            end = len(self.source) if end < 0 else end
            line = self.source[self.at : end]
            self.at = min(end + 1, len(self.source))
            if heredoc.strips_tabs:
                line = line.lstrip("\t")
            if line == heredoc.delimiter.text:
                break
            lines.append(line)
        self._keep_body(heredoc, "\n".join(lines))

    def _keep_body(self, heredoc: Heredoc, body: str) -> None:
        if heredoc.command is not None:
            heredoc.command.input_texts.append(body)
        if heredoc.delimiter.quoted:
            return
        self.script.spend(2 * body.count("$"))  # tree-sitter takes long over them
        if body.endswith("\\") or "\\\n" in body:
            self.script.doubt("heredoc", body[-200:])
        self.scan_expansions(body)
