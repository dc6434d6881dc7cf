"""Toolsets: an agent's definition chooses its tools; a turn tells the model of these alone."""

from __future__ import annotations

import pytest
from pytest_django.fixtures import Settings

from agents.domain.skills import Skill
from agents.models import Agent
from agents.protocol.frames import NoticeGiven
from agents.runtime.host import Host
from agents.runtime.toolsets import tools_of
from agents.selectors.library import Library
from agents.services.messages import post_message
from maia_web.lib.db import in_db
from tests.cast import Cast
from tests.support.listener import listening
from tests.support.openai_behaviours import answer, text
from tests.support.openai_server import ScriptedServer
from workspaces.sandboxes.folders import folders_of

FIVE = ["bash", "read_skill", "read_file", "write_file", "edit_file"]
SKILL = Skill("zip", "packs", "# Zip", "workspace", ".maia/skills/zip/SKILL.md")


def test_an_agent_of_the_toolset_has_the_five_tools() -> None:
    library = Library(skills=(SKILL,))
    assert [tool.spec.name for tool in tools_of("mm", library, "en")] == FIVE
    assert [tool.spec.name for tool in tools_of("mm", Library(), "en")] == [
        name for name in FIVE if name != "read_skill"
    ]
    names = [tool.spec.name for tool in tools_of("maia", library, "en")]
    assert names[:3] == ["Read", "Glob", "Grep"]
    assert "Skill" in names


@pytest.mark.django_db(transaction=True)
async def test_a_turn_declares_the_tools_of_its_agent(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    await in_db(Agent.objects.filter(name="maia").update)(toolset="mm")
    model.script(answer(text("Hello")))
    async with listening(cast.alice.pk, direct) as listener:
        await in_db(post_message)(cast.alice.pk, direct, "hi")
        await listener.until_idle()
    declared = [tool["function"]["name"] for tool in model.requests[0].body["tools"]]
    assert declared == [name for name in FIVE if name != "read_skill"]


@pytest.mark.django_db(transaction=True)
async def test_a_broken_settings_file_is_told_in_the_conversation(
    cast: Cast, direct: str, host: Host, model: ScriptedServer, settings: Settings
) -> None:
    settings.OWN_MODEL_SERVERS = True
    access = await in_db(cast.access)(cast.alice)
    folder = (await in_db(folders_of)(access.place)).under("settings")
    (folder / "settings.json").write_text("{broken")
    model.script(answer(text("Hello")))
    async with listening(cast.alice.pk, direct) as listener:
        await in_db(post_message)(cast.alice.pk, direct, "hi")
        await listener.until_idle()
        notices = [frame for frame in listener.frames if isinstance(frame, NoticeGiven)]
    assert [notice.code for notice in notices] == ["own-server"]
    assert notices[0].message.startswith("~/.maia/settings.json was not used: it is not JSON")
