"""MmGate: a refused command is told in the words of the toolset (seed T)."""

from __future__ import annotations

from agents.domain.content.model_messages import ToolUseBlock
from agents.domain.rules.decisions import decision_text
from agents.engine.ports.permissions import Decision, Gate, Refused
from agents.engine.ports.tools import ToolOutput

REJECTED = "[command rejected by the user]"


class MmGate:
    """Asks another gate; what a person refuses without a word becomes `REJECTED`."""

    def __init__(self, gate: Gate, language: str) -> None:
        self._gate = gate
        self._plain = decision_text("refused", language)

    async def decide(
        self,
        call: ToolUseBlock,
        part_index: int,
        preview: ToolOutput,
        recorded: ToolUseBlock | None = None,
    ) -> Decision:
        """Returns the other gate's decision."""
        decision = await self._gate.decide(call, part_index, preview, recorded)
        plain = isinstance(decision, Refused) and decision.text == self._plain
        return Refused(REJECTED) if plain and call.name == "bash" else decision
