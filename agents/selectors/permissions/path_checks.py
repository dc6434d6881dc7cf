"""Path checks: what the rules say of a file that was really opened, whatever it was called."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field

from agents.domain.rules.policy import ALIASES, Policy
from agents.selectors.permissions.policies import Judged
from workspaces.domain.entries import FileError
from workspaces.domain.real_paths import Real


@dataclass(frozen=True, slots=True)
class CallCheck:
    """Of one call of a tool. `judged`: the files it was decided about; None: nothing yet.

    A deny counts always, and first. What was not decided about needs an allow of its own.
    """

    policy: Policy
    tool: str
    judged: frozenset[str] | None = None

    @classmethod
    def of(cls, policy: Policy, tool: str, judged: Judged | None) -> CallCheck:
        """Makes the check of a call as it was judged."""
        if judged is None:
            return cls(policy, tool)
        files = (name for _path, real in judged.names for name in (real.path, *real.others))
        return cls(policy, tool, frozenset(map(posixpath.normpath, files)))

    def reaches(self, folder: str) -> bool:
        """Says whether a rule of the tool, or of Read, may be about something in this folder."""
        return any(self.policy.reaches(tool, folder) for tool in (self.tool, "Read"))

    def opened(self, named: str, real: Real, *, reads: bool) -> None:
        """Raises FileError: "rule" (a deny), "hidden" (not read), "moved" (not decided on)."""
        names = (real.path, *real.others)
        denied = self.policy.strict_rule(self.tool, names, families=("deny",))
        if denied:
            raise FileError("rule", denied)
        if reads and self.hides(real):
            raise FileError("hidden", f"{named} is not to be read.")
        if self.judged is None or self._was_judged(names):
            return
        verdict = self.policy.evaluate(self.tool, {"path": real.path, "pattern": "*"})
        if verdict.family != "allow" or self.policy.strict_rule(self.tool, real.others):
            raise FileError("moved", f"{named} leads to another file than before.")

    @property
    def hides_any(self) -> bool:
        """Whether Read is denied anything."""
        return self.policy.denies_any("Read")

    def hides(self, real: Real) -> bool:
        """Says whether Read would be denied this file."""
        names = (real.path, *real.others)
        return bool(self.policy.strict_rule("Read", names, families=("deny",)))

    def _was_judged(self, names: tuple[str, ...]) -> bool:
        """Says whether the files were decided on; a Glob, on a folder below the one it lists."""
        judged = self.judged or frozenset()
        if ALIASES.get(self.tool, self.tool) == "Glob":
            return any(f"{one}/".startswith(f"{name}/") for one in judged for name in names)
        return judged.issuperset(names)


@dataclass(frozen=True, slots=True)
class LinkCheck:
    """Of what is read without asking: instructions, skills, `@file`. Rules count through links.

    Whoever names a file that Read is denied, has it; a link that hides the name gives nothing.
    """

    policy: Policy
    hides_any: bool = field(default=False, init=False)

    def reaches(self, folder: str) -> bool:
        """Says whether a rule of Read may be about something in this folder."""
        return self.policy.reaches("Read", folder)

    def opened(self, named: str, real: Real, *, reads: bool) -> None:
        """Raises FileError ("rule") where a link leads to what a deny or ask is about."""
        others = [name for name in (real.path, *real.others) if name != named]
        rule = self.policy.strict_rule("Read", others) if others else ""
        if rule and not self.policy.strict_rule("Read", (named,)):
            raise FileError("rule", rule)

    def hides(self, real: Real) -> bool:
        """Hides nothing."""
        return False


class LinkMet(Exception):
    """What was opened has another name than it was asked for: the rules have a say in it."""


class NoLinks:
    """Of what is read without asking, as long as every file is what it is called.

    `LinkCheck` then says nothing either, whatever the rules are: they need not be known.
    """

    hides_any = False

    def reaches(self, folder: str) -> bool:
        """Raises `LinkMet`: a file has several names."""
        raise LinkMet(folder)

    def opened(self, named: str, real: Real, *, reads: bool) -> None:
        """Raises `LinkMet` where it was opened through a link."""
        if (real.path, *real.others) != (named,):
            raise LinkMet(named)

    def hides(self, real: Real) -> bool:
        """Hides nothing."""
        return False
