"""Judgement: what each family has to say about one call, before the families are weighed."""

from __future__ import annotations

from dataclasses import dataclass, field

from agents.domain.rules.text import Family
from agents.domain.rules.verdict import PartVerdict, Rule, RuleEntry, Verdict


@dataclass(frozen=True, slots=True)
class Hit:
    """A rule and the part of the call it matches."""

    rule: Rule
    part: str


@dataclass(frozen=True, slots=True)
class Open:
    """Why it is asked although no rule says so."""

    code: str
    part: str
    rule: Rule | None = None
    by: str = ""


@dataclass(slots=True)
class Judgement:
    """Collected while a call is examined. `open`: reasons that stand in the way of an allow."""

    hits: dict[Family, list[Hit]] = field(
        default_factory=lambda: {"deny": [], "ask": [], "allow": []}
    )
    open: list[Open] = field(default_factory=list)
    parts: list[PartVerdict] = field(default_factory=list)
    targets: tuple[str, ...] = ()

    def hit(self, family: Family, rule: Rule, part: str) -> None:
        """Records that `rule` matches `part`."""
        self.hits[family].append(Hit(rule, part))

    def leave_open(self, code: str, part: str = "", rule: Rule | None = None, by: str = "") -> None:
        """Records why the call is not allowed; `by`: the program it is about."""
        self.open.append(Open(code, part, rule, by))

    def verdict(self) -> Verdict:
        """Weighs: deny, then ask, then what is open, then allow (seed M §9.2)."""
        for family in ("deny", "ask"):
            if self.hits[family]:
                return self._decided(family, self._first(family))
        if self.open:
            return self._open(self.open[0])
        if self.hits["allow"]:
            return self._decided("allow", self._first("allow"))
        return self._open(Open("no-rule", ""))

    def _first(self, family: Family) -> Hit:
        """Takes the part that stands first; among its rules, the one written first."""
        hits = self.hits[family]
        return min((hit for hit in hits if hit.part == hits[0].part), key=_position)

    def _decided(self, family: Family, hit: Hit) -> Verdict:
        entry = hit.rule.entry
        return Verdict(
            family, "rule", entry.text, entry.scope, entry.origin, hit.part,
            matches=self._matches(), parts=tuple(self.parts), targets=self.targets,
        )  # fmt: skip

    def _open(self, reason: Open) -> Verdict:
        entry = None if reason.rule is None else reason.rule.entry
        return Verdict(
            "ask", reason.code,
            None if entry is None else entry.text,
            None if entry is None else entry.scope,
            None if entry is None else entry.origin,
            reason.part,
            params={"by": reason.by} if reason.by else {},
            matches=self._matches(), parts=tuple(self.parts), targets=self.targets,
        )  # fmt: skip

    def _matches(self) -> tuple[RuleEntry, ...]:
        rules = {hit.rule.position: hit.rule for hits in self.hits.values() for hit in hits}
        return tuple(rules[position].entry for position in sorted(rules))


def _position(hit: Hit) -> int:
    return hit.rule.position
