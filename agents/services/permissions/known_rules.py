"""Known rules: what a workspace's file forbids stays in force until people have looked."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction

from agents.domain.content.storable import storable
from agents.domain.rules.files import RuleFiles
from agents.library.rule_files import workspace_rules
from agents.models import KnownRule
from agents.selectors.permissions.known_rules import Known, digest, known_rules
from agents.selectors.permissions.policies import Rules, rules_for
from agents.services import audit
from agents.services.permissions.release import release_allowed
from workspaces.domain.places import Place
from workspaces.selectors import workspace_for

MOST = 10_000
"""Kept of one workspace; who writes more such rules than that loses the newest when they go."""


def rules_in_force(
    place: Place, agent: int, files: RuleFiles, definition: str | None = ""
) -> Rules:
    """Returns the rules as `rules_for` does, and keeps what the workspace's file forbids now."""
    rules = rules_for(place, agent, files, definition)
    if rules.unkept:
        _keep(place.workspace, rules)
    return rules


@transaction.atomic
def _keep(workspace_id: str, rules: Rules) -> None:
    """Adds new rules; those that are back count again for everybody when they go once more."""
    digests = {digest(entry): entry for entry in rules.unkept}
    through = KnownRule.looked_by.through.objects
    through.filter(knownrule__workspace=workspace_id, knownrule__digest__in=list(digests)).delete()
    room = MOST - KnownRule.objects.filter(workspace=workspace_id).count()
    KnownRule.objects.bulk_create(
        [
            KnownRule(
                workspace_id=workspace_id, family=one.family, text=storable(one.text), digest=key
            )
            for key, one in list(digests.items())[: max(room, 0)]
        ],
        ignore_conflicts=True,
    )


def look_at_gone(
    user_id: int, workspace_id: str, shown: Iterable[int], *, for_all: bool = False
) -> int:
    """Lets rules that went from the workspace's file count no longer; returns how many.

    `shown`: the ids of those that were seen, no others. For oneself; `for_all`: for every member,
    which only owners may. Raises `NotFound`, `NotAllowed` (viewers start no agents).
    """
    access = workspace_for(user_id, workspace_id, at_least="owner" if for_all else "editor")
    ids = set(shown)
    file = workspace_rules(access.place)
    gone = known_rules(workspace_id).gone(file, 0 if for_all else user_id)
    seen = [one for one in gone if one.id in ids]
    if not seen:
        return 0
    _looked(user_id, workspace_id, seen, for_all=for_all)
    release_allowed(user_id, "workspace" if for_all else "person", workspace_id)
    return len(seen)


@transaction.atomic
def _looked(user_id: int, workspace_id: str, seen: list[Known], *, for_all: bool) -> None:
    rows = KnownRule.objects.filter(workspace=workspace_id, pk__in=[one.id for one in seen])
    if for_all:
        rows.delete()
    else:
        through = KnownRule.looked_by.through
        through.objects.bulk_create(
            [
                through(knownrule_id=row, user_id=user_id)
                for row in rows.values_list("pk", flat=True)
            ],
            ignore_conflicts=True,
        )
    facts = {
        "for": "all" if for_all else "oneself",
        "rules": [f"{one.entry.family} {one.entry.text}" for one in seen],
    }
    audit.record("trust", "looked", user=user_id, workspace=workspace_id, input=facts)
