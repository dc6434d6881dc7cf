"""Commits of agents: the person is the author, the agent the committer where an owner says so."""

from __future__ import annotations

import pytest

from agents.domain.content.parts import ToolPart
from agents.models import Agent, Rule
from agents.protocol.frames import ChannelSnapshot
from agents.runtime.host import Host
from maia_web.lib.db import in_db
from tests.cast import Cast
from tests.support.listener import listening
from tests.support.openai_behaviours import answer, text, tool_answer
from tests.support.openai_server import ScriptedServer
from tests.support.typed import post_message, post_typed
from workspaces.domain.identity import agent_identity
from workspaces.sandboxes.base import probed
from workspaces.services import change_workspace

pytestmark = pytest.mark.django_db(transaction=True)
COMMIT = "git init -q . && git commit -q --allow-empty -m 1 && git log -1 --format='%an, %cn <%ce>'"


def outputs(state: ChannelSnapshot) -> list[str]:
    """What the commands printed that are over."""
    cards = [part for m in state.messages for part in m.parts if isinstance(part, ToolPart)]
    return [card.output.splitlines()[0] for card in cards if card.status == "completed"]


@pytest.mark.parametrize("is_named", [True, False])
async def test_the_agent_is_the_committer_of_its_commands_alone_where_the_workspace_says_so(
    cast: Cast, direct: str, host: Host, model: ScriptedServer, is_named: bool
) -> None:
    if (await probed()).bwrap is None:
        pytest.skip("no sandbox")
    place = cast.atelier
    await in_db(Rule.objects.create)(scope="site", family="allow", text="Bash")
    await in_db(change_workspace)(cast.alice.pk, place.id, agents_commit=is_named)
    model.script(tool_answer("Bash", {"command": COMMIT}), answer(text("Done.")))
    async with listening(cast.alice.pk, direct) as listener:
        await in_db(post_message)(cast.alice.pk, direct, "commit it")
        await listener.until(lambda state: len(outputs(state)) == 1 and not state.busy)
        await in_db(post_typed)(cast.alice.pk, direct, f"!{COMMIT}")
        state = await listener.until(lambda state: len(outputs(state)) == 2)
    agents, own = outputs(state)
    author = cast.alice.name
    person = f"{author}, {author} <alice@users.noreply.maia.invalid>"
    agent = await in_db(lambda: Agent.objects.get().name)()
    committer = agent_identity(agent)
    assert own == person
    named = f"{author}, {committer.name} <{committer.mail}>"
    assert agents == (named if is_named else person)
