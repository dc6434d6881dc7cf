"""A request to run `make`, as a turn opens it."""

from __future__ import annotations

from agents.domain.content.parts import ToolPart
from agents.domain.rules.requests import Reason
from agents.domain.rules.verdict import Verdict
from agents.services.permissions.requests import Asked

INPUT = {"command": "make"}


def bash_part(id: str) -> ToolPart:
    """The card of the call."""
    return ToolPart(id=id, name="Bash", title="make", kind="execute", input='{"command": "make"}')


def asked(id: str, part: ToolPart | None = None) -> Asked:
    """The question about the call `id`."""
    verdict = Verdict("ask", "no-rule", part="make")
    reason = Reason(sentence="nobody allowed it")
    return Asked(id, "Bash", INPUT, part or bash_part(id), verdict, reason)
