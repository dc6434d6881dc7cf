"""Known rules: what a workspace's settings file forbade before it changed or went."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import cast

from agents.domain.rules.files import WORKSPACE_FILE, RuleFile
from agents.domain.rules.text import Family
from agents.domain.rules.verdict import RuleEntry
from agents.models import KnownRule

SCOPE = "earlier"


@dataclass(frozen=True, slots=True)
class Known:
    """A deny or ask that was in the file; `looked`: who has seen that it went."""

    id: int
    entry: RuleEntry
    looked: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class KnownRules:
    """All of a workspace, by the digest of family and text."""

    rules: Mapping[str, Known] = field(default_factory=dict)

    def gone(self, file: RuleFile, user_id: int = 0) -> tuple[Known, ...]:
        """Returns those that went from the file, unless this person (0: nobody) has looked."""
        present = set(map(digest, forbidding(file)))
        return tuple(
            one
            for key, one in self.rules.items()
            if key not in present and user_id not in one.looked
        )

    def unkept(self, file: RuleFile) -> tuple[RuleEntry, ...]:
        """Returns those of the file that are not known, or that are back after somebody looked."""
        entries = {digest(entry): entry for entry in forbidding(file)}
        known = {key for key, one in self.rules.items() if not one.looked}
        return tuple(entry for key, entry in entries.items() if key not in known)


def known_rules(workspace_id: str) -> KnownRules:
    """Returns what is known of a workspace's file, in the order in which it became so."""
    rows = KnownRule.objects.filter(workspace=workspace_id).order_by("pk")
    looked: dict[int, set[int]] = {}
    through = KnownRule.looked_by.through.objects.filter(knownrule__workspace=workspace_id)
    for rule_id, user_id in through.values_list("knownrule_id", "user_id"):
        looked.setdefault(rule_id, set()).add(user_id)
    return KnownRules(
        {
            key: Known(
                pk,
                RuleEntry(cast(Family, family), text, SCOPE, WORKSPACE_FILE),
                frozenset(looked.get(pk, ())),
            )
            for pk, key, family, text in rows.values_list("pk", "digest", "family", "text")
        }
    )


def forbidding(file: RuleFile) -> Iterable[RuleEntry]:
    """Returns what a file forbids or asks about, also what of it cannot be examined."""
    return (entry for entry in (*file.entries, *file.unexamined) if entry.family != "allow")


def digest(entry: RuleEntry) -> str:
    """Returns what stands for family and text of a rule."""
    return hashlib.sha256(f"{entry.family} {entry.text}".encode(errors="surrogatepass")).hexdigest()
