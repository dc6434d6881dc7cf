"""Rules, many at once; for a process whose Django has the data of a server."""

from __future__ import annotations

from collections.abc import Iterable


def keep_rules(person: int, rules: Iterable[tuple[str, str]]) -> int:
    """Gives a person these rules, family and text of each; returns how many."""
    from agents.models import Rule

    made = Rule.objects.bulk_create(
        Rule(scope="person", user_id=person, family=family, text=text, added_by_id=person)
        for family, text in rules
    )
    return len(made)
