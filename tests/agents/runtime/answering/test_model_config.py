"""config.json names the model a session begins with; /model changes it (seed M §5.3)."""

from __future__ import annotations

import pytest

from agents.models import ChannelAgent
from agents.runtime.host import Host
from maia_web.lib.db import in_db
from tests.cast import Cast
from tests.support.listener import listening
from tests.support.openai_behaviours import answer, text
from tests.support.openai_server import ScriptedServer
from tests.support.typed import post_message, reply_to
from workspaces.files.local import LocalFiles

pytestmark = pytest.mark.django_db(transaction=True)


async def asked(cast: Cast, channel: str, model: ScriptedServer) -> str:
    """Says something and returns the name of the model that was asked."""
    before = len(model.chats)
    model.script(answer(text("so")))
    async with listening(cast.alice.pk, channel) as listener:
        await in_db(post_message)(cast.alice.pk, channel, "go")
        await listener.until(lambda s: len(model.chats) > before and not s.busy)
    return str(model.chats[-1].body["model"])


async def test_the_workspaces_counts_before_the_persons_and_a_choice_before_both(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    write = in_db(LocalFiles(cast.atelier.place).write)
    await write("~/.maia/config.json", '{"model": "mine"}')
    assert await asked(cast, direct, model) == "mine"
    assert await in_db(lambda: ChannelAgent.objects.get().model)() == "mine"

    await reply_to(cast.alice.pk, direct, "/model scripted")
    await reply_to(cast.alice.pk, direct, "/new")
    assert await asked(cast, direct, model) == "scripted"

    await in_db(ChannelAgent.objects.update)(model="")
    await write(".maia/config.json", '{"model": "litellm:demo-tools"}')
    assert await asked(cast, direct, model) == "scripted", "this session has begun"
    await reply_to(cast.alice.pk, direct, "/new")
    assert await asked(cast, direct, model) == "demo-tools"


async def test_a_broken_file_changes_nothing(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    await in_db(LocalFiles(cast.atelier.place).write)(".maia/config.json", "{")
    assert await asked(cast, direct, model) == "scripted"
