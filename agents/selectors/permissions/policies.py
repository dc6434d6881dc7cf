"""The policy in force for a person, workspace and agent, and the requests that wait."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, cast

from django.db.models import Q

from agents.domain.rules.files import SETTINGS_FOLDER, WORKSPACE_FILE, FileProblem, RuleFiles
from agents.domain.rules.paths import place
from agents.domain.rules.policy import Policy
from agents.domain.rules.real_paths import Named
from agents.domain.rules.requests import PermissionRequest
from agents.domain.rules.text import Family
from agents.domain.rules.verdict import PolicyContext, RuleEntry, Verdict
from agents.models import PermissionRequest as RequestRow
from agents.models import Rule
from agents.selectors.conversation.lists import channels_of
from agents.selectors.permissions.kept_policies import KeptPolicies, stamp_now
from agents.selectors.permissions.known_rules import known_rules
from agents.selectors.permissions.trusted_files import is_trusted
from agents.selectors.values import request_value
from workspaces.domain.places import Place
from workspaces.domain.real_paths import Real, RealNames

CONTEXT = PolicyContext(root="/workspace", home="/home/agent")
"""What paths in calls are relative to, in every sandbox."""

BUILT_IN = tuple(
    RuleEntry("deny", f"{tool}({path})", "built-in")
    for tool in ("Write", "Edit", "Redirect")
    for path in (f"{SETTINGS_FOLDER}/**", WORKSPACE_FILE)
)
"""No agent writes rules, whatever other rules say; the files refuse it too, links included."""


@dataclass(frozen=True)
class Rules:
    """All rules for a person, workspace and agent; `untrusted` do not count (yet).

    `unkept`: of the workspace's file, not kept yet for when it changes.
    """

    entries: tuple[RuleEntry, ...]
    untrusted: tuple[RuleEntry, ...] = ()
    unkept: tuple[RuleEntry, ...] = ()
    problems: tuple[tuple[str, FileProblem], ...] = ()
    place: Place | None = None

    @cached_property
    def policy(self) -> Policy:
        """The rules, compiled once for as long as they stay the same. Many take a thread."""
        return compiled(self.entries)

    @property
    def is_compiled(self) -> bool:
        """Whether that is done."""
        return "policy" in vars(self)

    def judge(self, tool: str, input: Mapping[str, Any], real: RealNames | None) -> Judged:
        """Judges a call by the files that its paths really name now; None: by its paths alone.

        To look that up takes a thread.
        """
        verdict = self.policy.evaluate(tool, input, replace(CONTEXT, real=real))
        return Judged(verdict, () if real is None else real.told)


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict, and what the paths of the call named when it was made: (path, file)."""

    verdict: Verdict
    names: tuple[tuple[str, Real], ...] = ()

    @property
    def leads(self) -> tuple[str, ...]:
        """Returns what an answer is given for besides the call: where its paths lead elsewhere."""
        return tuple(
            name
            for path, real in self.names
            if real.others or real.path != posixpath.normpath(path)
            for name in (path, real.path, *real.others)
        )

    @property
    def links(self) -> tuple[str, ...]:
        """Returns where links of the call lead, for people: "docs/x → .env"."""
        return tuple(dict.fromkeys(_shown_links(self.names)))


def _shown_links(names: tuple[tuple[str, Real], ...]) -> Iterator[str]:
    for path, real in names:
        written, found = place(path, CONTEXT), place(real.path, CONTEXT)
        if written and found and written.absolute != found.absolute:
            yield Named(written, found).shown


def rules_for(place: Place, agent: int, files: RuleFiles, definition: str | None = "") -> Rules:
    """Returns the union of the rules of all scopes and of `files`, as of now (seed M §9.1).

    `agent`: its key, since it may be called otherwise by now.
    Rules bound to the definition of a custom tool are left out unless it is `definition`; None
    keeps them all. `RuleEntry.origin` is the key of the row, or the path of the file.
    """
    key, stamp = (place, agent, definition), stamp_now()
    rules = _KEPT.of(key, stamp, files) if stamp else None
    if rules is None:
        rules = read_rules(place, agent, files, definition)
        if stamp:
            _KEPT.keep(key, stamp, files, rules, len(rules.entries) + len(rules.untrusted) + 1)
    return rules


def read_rules(place: Place, agent: int, files: RuleFiles, definition: str | None = "") -> Rules:
    """Returns the same, whatever is kept."""
    home, here = files.home, files.workspace
    trusted = is_trusted(place, here)
    known = known_rules(place.workspace)
    counting = [entry for entry in here.entries if trusted or entry.family != "allow"]
    return Rules(
        entries=(
            *BUILT_IN,
            *_kept(place, agent, definition),
            *home.entries,
            *counting,
            *home.unexamined,
            *here.unexamined,
            *(one.entry for one in known.gone(here, place.user)),
        ),
        unkept=known.unkept(here),
        untrusted=() if trusted else here.of("allow"),
        problems=tuple((file.path, one) for file in (home, here) for one in file.problems),
        place=place,
    )


_KEPT: KeptPolicies[Rules] = KeptPolicies()


@lru_cache(maxsize=64)
def compiled(entries: tuple[RuleEntry, ...]) -> Policy:
    """Returns the policy of these entries."""
    return Policy(entries)


def site_policy() -> Policy:
    """Returns the policy of the enabled rules of the site's scope alone."""
    return compiled(_entries(Q(scope="site")))


def rule_author(origin: str) -> str:
    """Returns who added the rule with this origin, "" if it stands in a file or nobody knows."""
    if not origin.isdecimal():
        return ""
    row = Rule.objects.select_related("added_by").filter(pk=int(origin)).first()
    return row.added_by.name if row and row.added_by else ""


def request_state(request_id: str) -> PermissionRequest | None:
    """Returns a request as it is now, for the turn that waits for it."""
    row = (
        RequestRow.objects.select_related("answered_by", "proposed_by")
        .filter(id=request_id)
        .first()
    )
    return request_value(row) if row else None


def requests_waiting_for(user_id: int) -> tuple[PermissionRequest, ...]:
    """Returns the pending requests this person may answer, oldest first."""
    channels = {info.id: info for info in channels_of(user_id)}
    rows = RequestRow.objects.filter(channel__in=channels, state="pending").select_related("turn")
    return tuple(
        request_value(row)
        for row in rows
        if channels[row.channel_id].may_answer
        or (row.turn.starter_id == user_id and channels[row.channel_id].role != "viewer")
    )


def _kept(place: Place, agent: int, definition: str | None) -> tuple[RuleEntry, ...]:
    bound = Q() if definition is None else Q(definition__in=("", definition))
    return _entries(
        bound
        & (
            Q(scope="site")
            | Q(scope="workspace", workspace=place.workspace)
            | Q(scope="person", user=place.user)
            | Q(scope="agent", agent=agent)
        )
    )


def _entries(which: Q) -> tuple[RuleEntry, ...]:
    rows = Rule.objects.filter(which, enabled=True).order_by("id")
    return tuple(
        RuleEntry(cast(Family, family), text, scope, str(pk))
        for pk, family, text, scope in rows.values_list("pk", "family", "text", "scope")
    )
