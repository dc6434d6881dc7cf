"""Answerers: who answers a turn, by its own kind and its agent's. A new kind gets its line here."""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.utils.translation import gettext as _

from agents.domain.content.agents import BUILT_IN
from agents.domain.content.events import TurnEnded
from agents.domain.content.messages import failed
from agents.domain.content.turns import ClaimedTurn
from agents.engine.ports.answerer import Answerer
from agents.runtime.answering.built_in import BuiltInAgent, BuiltInCompaction
from agents.runtime.answering.command_run import CommandRun
from agents.runtime.answering.toolsets import TOOLSETS, unknown_toolset
from agents.runtime.answering.work import Work
from agents.services.turns import compaction
from maia_web.lib.db import in_db
from maia_web.lib.languages import translated

logger = logging.getLogger(__name__)
UNKNOWN = "unknown-agent"
SWITCHED_OFF = "agent-off"

OF_AGENTS: dict[tuple[str, str], Callable[[Work], Answerer]] = {
    (BUILT_IN, "answer"): BuiltInAgent,
    (BUILT_IN, "compact"): BuiltInCompaction,
}
"""Who answers what is asked of an agent: by the agent's kind, and the turn's."""


def answerer_of(work: Work) -> Answerer:
    """Returns who answers a turn; what this version does not know is answered by `Nobody`."""
    turn = work.turn
    if turn.kind == "command":  # a person's: no agent answers, whatever its kind
        return CommandRun(work)
    if not turn.agent_enabled:
        return Nobody(work, lambda: _switched_off(turn), SWITCHED_OFF)
    known = OF_AGENTS.get((turn.agent_kind, turn.kind))
    if known is None:
        return Nobody(work, lambda: _unknown_kind(turn))
    if turn.agent_kind == BUILT_IN and turn.toolset not in TOOLSETS:  # others bring their tools
        return Nobody(work, lambda: unknown_toolset(turn.agent, turn.toolset))
    return known(work)


class Nobody:
    """Ends a turn by saying why nobody answers it: better than somebody else in its name."""

    def __init__(self, work: Work, why: Callable[[], str], code: str = UNKNOWN) -> None:
        self._turn = work.turn
        self._why = why
        self._code = code

    def context_size(self) -> int:
        """No model answers."""
        return 0

    async def answer(self) -> TurnEnded:
        """Says why; a compaction, which writes no message, says it in the channel."""
        why = translated(self._why)
        logger.warning("turn %s has nobody to answer it: %s", self._turn.id, why)
        if not self._turn.answer:
            await in_db(compaction.tell_failure)(self._turn.lease, why)
        return TurnEnded(error=failed(self._code, why))

    async def after(self, ended: TurnEnded) -> None:
        """Nothing was done."""


def _switched_off(turn: ClaimedTurn) -> str:
    text = _(
        "%(agent)s is switched off. Take it out of the conversation, or ask an administrator to "
        "switch it on."
    )
    return text % {"agent": turn.agent}


def _unknown_kind(turn: ClaimedTurn) -> str:
    if turn.agent_kind == BUILT_IN:
        text = _(
            "This version of MAIA does not know work of the kind “%(kind)s”. An administrator can "
            "update MAIA."
        )
        return text % {"kind": turn.kind}
    text = _(
        "%(agent)s cannot answer: this version of MAIA does not run agents of the kind “%(kind)s”. "
        "Take it out of the conversation, or ask an administrator to update MAIA."
    )
    return text % {"agent": turn.agent, "kind": turn.agent_kind}
