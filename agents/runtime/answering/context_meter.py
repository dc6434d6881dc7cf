"""Context meter: how full an agent's context is between turns, and with what (seed M §13.1)."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace

from agents.domain.content.turns import ClaimedTurn
from agents.domain.memory.tokens import count_context, count_message, count_text
from agents.engine.ports.tools import TurnCounters
from agents.runtime.answering.assemble import Told, Workbench, open_bench, tell
from agents.runtime.answering.toolsets import toolset_named
from agents.selectors.agents import AgentInfo, agent_info
from agents.selectors.conversation.channels import channel_for
from agents.selectors.models.context_sizes import chosen_model
from agents.selectors.sessions import Mind, mind_of, session_agent
from agents.services.memory.context_sizes import publish_context
from agents.services.turns.journal import save_context_used
from maia_web.lib.db import in_db
from maia_web.lib.errors import MaiaError
from maia_web.lib.values import Value
from workspaces.domain.places import Place

SKILL = "Skill"


class ContextParts(Value):
    """What fills the context of an agent, in tokens; `size` is 0 where the maximum is unknown."""

    agent: str
    model: str
    session: str
    used: int
    size: int
    system: int
    tools: int
    skills: int
    history: int
    pending: int


async def context_parts(user_id: int, channel_id: str, wanted: str | None = None) -> ContextParts:
    """Counts what the agent's model would be sent now, for whoever sees the channel."""
    place, agent, mind = await in_db(_mind)(user_id, channel_id, wanted)
    bench = await open_bench(place, mind.model, TurnCounters())
    bench = replace(bench, agent=agent.name, toolset=toolset_named(agent.toolset, agent.name))
    told = await tell(bench, mind.start_context)
    return await asyncio.to_thread(_parts, agent.name, mind, told, bench)


async def measure(user_id: int, channel_id: str, wanted: str | None = None) -> ContextParts:
    """Counts, keeps the sum and tells the channel: the session is another one now."""
    parts = await context_parts(user_id, channel_id, wanted)
    await in_db(save_context_used)(channel_id, parts.agent, parts.used)
    await in_db(publish_context)(channel_id, parts.agent)
    return parts


async def remeasure(turn: ClaimedTurn, agent: str) -> None:
    """Measures after what a turn did, unless its person may not see the channel any more."""
    with suppress(MaiaError):
        await measure(turn.place.user, turn.channel, agent)


def _mind(user_id: int, channel_id: str, wanted: str | None) -> tuple[Place, AgentInfo, Mind]:
    access = channel_for(user_id, channel_id)
    agent = session_agent(access, wanted)
    mind = mind_of(channel_id, agent, chosen_model(channel_id, agent.name))
    return access.workspace.place, agent_info(agent), mind


def _parts(agent: str, mind: Mind, told: Told, bench: Workbench) -> ContextParts:
    specs = [tool.spec for tool in told.tools]
    tools = count_context("", (), [spec for spec in specs if spec.name != SKILL])
    skill_tokens = count_context("", (), specs) - tools + count_text(told.skills)
    system = count_text(told.system) - count_text(told.skills)
    uncounted = mind.memory.uncounted.values()
    history = mind.memory.tokens + sum(map(count_message, uncounted))
    pending = count_context("", (), (), mind.pending)
    return ContextParts(
        agent=agent,
        model=bench.server.model if bench.server else "",
        session=mind.session,
        used=system + tools + skill_tokens + history + pending,
        size=bench.context_size(),
        system=system,
        tools=tools,
        skills=skill_tokens,
        history=history,
        pending=pending,
    )
