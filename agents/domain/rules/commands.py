"""CommandRules: the Bash rules of one family, found by the first words of a command."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Self

from agents.domain.rules.verdict import Rule
from agents.domain.shell.bash import Part
from agents.domain.shell.patterns import Wildcard
from workspaces.domain.names import all_forms

BLANKS = " \t\n"
"""What bash takes for nothing at the ends of a line; other blanks are signs of a word."""
_OPERATORS = frozenset("|;&<>\n")
_BREAK = "\n"
_RUNS = re.compile(r"[ \t]+")
_AROUND_OPERATORS = re.compile(r" ?([|;&<>\n]+) ?")
_BLANKS = re.compile(r"('[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.)|[ \t]+", re.DOTALL)
_QUOTES = str.maketrans("", "", "'\"\\")


@dataclass(frozen=True, slots=True)
class _CommandPattern:
    """`cmd *` covers `cmd` with and without arguments, never `cmdx` (seed M §9.3)."""

    rule: Rule
    whole: Wildcard
    bare: Wildcard | None = None

    @classmethod
    def of(cls, rule: Rule, text: str) -> Self:
        star = rule.parsed.star
        bare = text[:-2] if star and text.endswith(" *") else ""
        return cls(rule, Wildcard.of(text, star), Wildcard.of(bare) if bare else None)

    def matches(self, text: str) -> bool:
        return self.whole.matches(text) or (self.bare is not None and self.bare.matches(text))

    def may_meet(self, pattern: Wildcard) -> bool:
        return self.whole.may_meet(pattern) or (
            self.bare is not None and self.bare.may_meet(pattern)
        )


@dataclass(slots=True)
class CommandRules:
    """An index, so that a verdict does not read hundreds of rules.

    `exact`: no wildcard. `starts`: `cmd *`, by `cmd`. `by_word`: other patterns that begin with a
    whole word, and (for what bash still decides) those two. `others`: everything else.
    `longest`: how many words `starts` has after a first word. `words`: the first words of all but
    `others`.
    `by_name`: of deny and ask, those that name a path, by the name at its end.
    `width`: the most comparisons that a command of a known program takes; `size`: of any.
    """

    bare: list[Rule] = field(default_factory=list)
    exact: dict[str, list[Rule]] = field(default_factory=dict)
    starts: dict[str, list[Rule]] = field(default_factory=dict)
    by_word: dict[str, list[_CommandPattern]] = field(default_factory=dict)
    literals: dict[str, list[_CommandPattern]] = field(default_factory=dict)
    others: list[_CommandPattern] = field(default_factory=list)
    words: set[str] = field(default_factory=set)
    by_name: dict[str, list[_CommandPattern]] = field(default_factory=dict)
    compound: list[_CommandPattern] = field(default_factory=list)
    longest: dict[str, int] = field(default_factory=dict)
    width: int = 0
    size: int = 0

    @classmethod
    def of(cls, rules: Iterable[Rule]) -> CommandRules:
        """Sorts `rules`, all of one family and for Bash, into the index."""
        index = cls()
        for rule in rules:
            index._add(rule)
        lists = [
            *index.by_word.values(), *index.literals.values(), *index.by_name.values(), [],
        ]  # fmt: skip
        index.width = len(index.others) + max(map(len, lists))
        index.size = len(index.others) + sum(map(len, lists))
        return index

    def _add(self, rule: Rule) -> None:
        text, star = rule.parsed.pattern, rule.parsed.star
        if text is None or (star and not text.strip(star)):
            self.bare.append(rule)
            return
        is_strict = rule.entry.family != "allow"
        texts = tuple(all_forms((text,))) if is_strict else (text,)
        if _OPERATORS & set(text):
            patterns = (Wildcard.of(_spaced(one), star) for one in texts)
            self.compound += (_CommandPattern(rule, pattern) for pattern in patterns)
        by_form = (
            _forms(one, is_strict=is_strict) if star or is_strict else (one,) for one in texts
        )
        for form in dict.fromkeys(chain.from_iterable(by_form)):
            self._add_form(rule, form)

    def _add_form(self, rule: Rule, text: str) -> None:
        pattern = _CommandPattern.of(rule, text)
        word, blank, _ = pattern.whole.pieces[0].partition(" ")
        self.words.add(word)
        if "/" in word and rule.entry.family != "allow":
            self._add_name(rule, word, text)
        if pattern.whole.is_text:
            self.exact.setdefault(text, []).append(rule)
            self.literals.setdefault(word, []).append(pattern)
        elif pattern.bare is not None and pattern.bare.is_text:
            start = pattern.bare.pieces[0]
            self.starts.setdefault(start, []).append(rule)
            self.literals.setdefault(word, []).append(pattern)
            longest = max(self.longest.get(word, 0), start.count(" ") + 1)
            self.longest[word] = longest
        elif blank:
            self.by_word.setdefault(word, []).append(pattern)
        else:
            self.others.append(pattern)

    def _add_name(self, rule: Rule, path: str, text: str) -> None:
        """Keeps a rule about `./deploy.sh` as one about what is called `deploy.sh`, too."""
        name = path.rpartition("/")[2]
        pattern = _CommandPattern.of(rule, name + text[len(path) :])
        self.by_name.setdefault(name, []).append(pattern)

    def called(self, text: str) -> Iterator[Rule]:
        """Yields the rules about a program that has the name `text` begins with, by any path."""
        for one in all_forms((text,)):
            yield from self.matching(one)
            for pattern in self.by_name.get(one.split(" ", 1)[0], ()):
                if pattern.matches(one):
                    yield pattern.rule

    def matching(self, text: str) -> Iterator[Rule]:
        """Yields the rules with a pattern that cover the command `text`."""
        yield from self.exact.get(text, ())
        word = text.split(" ", 1)[0]
        if word in self.longest:
            yield from self._starting(text, self.longest[word])
        for pattern in self.by_word.get(word, ()):
            if pattern.matches(text):
                yield pattern.rule
        for pattern in self.others:
            if pattern.matches(text):
                yield pattern.rule

    def _starting(self, text: str, longest: int) -> Iterator[Rule]:
        yield from self.starts.get(text, ())
        end = -1
        for _ in range(longest):
            end = text.find(" ", end + 1)
            if end < 0:
                return
            yield from self.starts.get(text[:end], ())

    def naming(self, text: str) -> list[Rule]:
        """Returns the rules without a wildcard that say exactly `text`."""
        return self.exact.get(text, [])

    def about(self, part: Part) -> Iterator[Rule]:
        """Yields the rules with a pattern that cover `part` in all its quotes and forms."""
        for text in all_forms(part.texts):
            if self.others or text.split(" ", 1)[0] in self.words:
                yield from self.matching(text)

    def about_line(self, source: str) -> Iterator[Rule]:
        """Yields the rules that say exactly this line, or hold an operator and cover it."""
        for text in all_forms((source.strip(BLANKS),)):
            yield from self.naming(text)
        for line in all_forms((_spaced(source),)) if self.compound else ():
            for pattern in self.compound:
                if pattern.matches(line):
                    yield pattern.rule

    def possible(self, part: Part) -> Iterator[Rule]:
        """Yields the rules that `part` may turn out to match once bash has expanded it."""
        for wanted in chain.from_iterable(pattern.forms for pattern in part.patterns):
            for pattern in self._candidates(wanted):
                if pattern.may_meet(wanted):
                    yield pattern.rule

    def _candidates(self, wanted: Wildcard) -> Iterator[_CommandPattern]:
        """Yields what may be about `wanted`: everything where bash decides its first word, too."""
        word = wanted.pieces[0].split(" ", 1)[0]
        for index in (self.literals, self.by_word):
            if has_open_name(wanted):
                yield from chain.from_iterable(index.values())
            else:
                yield from index.get(word, ())
        yield from self.others


def has_open_name(wanted: Wildcard) -> bool:
    """Says whether bash decides which program a command starts."""
    return len(wanted.pieces) > 1 and " " not in wanted.pieces[0]


def _forms(text: str, *, is_strict: bool) -> Iterator[str]:
    """Yields the pattern as written, as bash would separate it, and for deny and ask unquoted."""
    yield text
    single = _BLANKS.sub(lambda found: found[1] or " ", text).strip(" ")
    unquoted = single.translate(_QUOTES) if is_strict else single
    yield from (form for form in (single, unquoted) if form.strip("* "))


def means_one_line(text: str) -> bool:
    """Says whether an allow rule with this pattern covers no other spelling of it."""
    return "*" not in text and set(_forms(text, is_strict=False)) <= {text}


def _spaced(line: str) -> str:
    """Puts one blank around operators; a line break separates as `;` does."""
    single = _RUNS.sub(" ", line.strip(BLANKS))
    return _AROUND_OPERATORS.sub(lambda found: f" {found[1].strip(_BREAK) or ';'} ", single)
