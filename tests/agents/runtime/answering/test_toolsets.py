"""Toolsets: an agent's definition chooses its tools; a turn tells the model of these alone."""

from __future__ import annotations

import pytest
from pytest_django.fixtures import Settings

from agents.domain.library.found import Library
from agents.domain.library.skills import Skill
from agents.models import Agent, Rule
from agents.runtime.answering.context_meter import context_parts
from agents.runtime.answering.toolsets import MAIA, MM
from agents.runtime.host import Host
from maia_web.lib.db import in_db
from tests.cast import Cast
from tests.support.listener import listening
from tests.support.openai_behaviours import answer, text, tool_answer
from tests.support.openai_server import ScriptedServer
from tests.support.typed import post_message
from workspaces.files.local import LocalFiles
from workspaces.sandboxes.folders import folders_of

FIVE = ["bash", "read_skill", "read_file", "write_file", "edit_file"]
SKILL = Skill("zip", "packs", "# Zip", "workspace", ".maia/skills/zip/SKILL.md")


async def test_an_agent_of_the_toolset_has_the_five_tools() -> None:
    library = Library(skills=(SKILL,))
    assert [tool.spec.name for tool in await MM.tools_of(library, "en")] == FIVE
    assert [tool.spec.name for tool in await MM.tools_of(Library(), "en")] == [
        name for name in FIVE if name != "read_skill"
    ]
    names = [tool.spec.name for tool in await MAIA.tools_of(library, "en")]
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
async def test_flat_skills_are_read_whole_and_come_before_folders_beside_them(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    await in_db(Agent.objects.filter(name="maia").update)(toolset="mm")
    await in_db(Rule.objects.create)(scope="site", family="allow", text="Skill")
    files = LocalFiles(cast.atelier.place)
    header = "---\ndescription: {}\n---\nBody of {}.\n"
    for path in ("a/SKILL.md", "a.md", "b/SKILL.md"):
        await in_db(files.write)(f".maia/skills/{path}", header.format(path, path))
    await in_db(files.write)("~/.maia/skills/b.md", "home")
    await in_db(files.write)("~/.maia/skills/c.md", "# All of it\n\nBody.\n")
    await in_db(files.write)("~/.maia/skills/.hidden.md", "no")
    for name in ("a", "b", "c"):
        model.script(tool_answer("read_skill", {"name": name}))
    model.script(answer(text("done")))
    async with listening(cast.alice.pk, direct) as listener:
        await in_db(post_message)(cast.alice.pk, direct, "hi")
        await listener.until_idle()

    tools = {t["function"]["name"]: t["function"] for t in model.requests[0].body["tools"]}
    assert tools["read_skill"]["description"].endswith(
        "\n a — a.md\n b — b/SKILL.md\n c — All of it"
    )
    read = [m["content"] for m in model.requests[-1].body["messages"] if m["role"] == "tool"]
    assert read[0] == header.format("a.md", "a.md")
    assert read[1] == header.format("b/SKILL.md", "b/SKILL.md")
    assert read[2] == "# All of it\n\nBody.\n"


@pytest.mark.django_db(transaction=True)
async def test_the_breakdown_counts_the_tools_of_the_agents_set(cast: Cast, direct: str) -> None:
    before = await context_parts(cast.alice.pk, direct)
    await in_db(Agent.objects.filter(name="maia").update)(toolset="mm")
    after = await context_parts(cast.alice.pk, direct)
    assert 0 < after.tools < before.tools


@pytest.mark.django_db(transaction=True)
async def test_a_broken_settings_file_is_told_in_the_conversation(
    cast: Cast, direct: str, host: Host, model: ScriptedServer, settings: Settings
) -> None:
    settings.OWN_MODEL_SERVERS = True
    access = await in_db(cast.access)(cast.alice)
    folder = (await in_db(folders_of)(access.place)).under("settings")
    (folder / "settings.json").write_text("{broken")
    model.script(answer(text("Hello")), answer(text("Hello")))
    async with listening(cast.alice.pk, direct) as listener:
        await in_db(post_message)(cast.alice.pk, direct, "hi")
        await listener.until_idle()
        await in_db(post_message)(cast.alice.pk, direct, "again")
        state = await listener.until(
            lambda s: not s.busy and sum(m.role == "agent" and m.done for m in s.messages) == 2
        )
    (notice,) = [m for m in state.messages if m.code == "notice"]
    assert notice.error is not None
    assert notice.error.message.startswith("~/.maia/settings.json was not used: it is not JSON")
    assert (notice.error.words or {})["fr"].startswith("~/.maia/settings.json n’a pas été")
