"""Slash commands: read, refused, carried out, answered on all tabs of the person alone."""

from __future__ import annotations

import asyncio

import pytest

from agents.domain.typed.replies import ChoicesBlock, DetailsBlock, MarkdownBlock, Reply, RulesBlock
from agents.domain.typed.slash import COMMANDS
from agents.models import Agent, AgentSession, ChannelAgent, ContextSize, Message, Rule, Turn
from agents.runtime.host import Host
from agents.runtime.slash import entrance
from maia_web.lib.db import in_db
from maia_web.lib.errors import NotAllowed, NotFound
from tests.cast import Cast
from tests.support.listener import listening
from tests.support.openai_behaviours import Answer, Gate, answer, text
from tests.support.openai_server import ScriptedServer
from tests.support.typed import post_message, reply_to, take_slash
from workspaces.files.local import LocalFiles

pytestmark = pytest.mark.django_db(transaction=True)


async def ask(cast: Cast, channel: str, line: str) -> Reply:
    reply = await reply_to(cast.alice.pk, channel, line)
    assert reply is not None
    return reply


def words(reply: Reply) -> str:
    return "\n".join(b.text for b in reply.blocks if isinstance(b, MarkdownBlock))


async def talk(cast: Cast, channel: str, model: ScriptedServer, said: str) -> None:
    model.script(answer(text(f"answer to {said}")))
    async with listening(cast.alice.pk, channel) as listener:
        before = listener.state.seq
        await in_db(post_message)(cast.alice.pk, channel, said)
        await listener.until(
            lambda s: (
                not s.busy
                and s.seq > before
                and s.messages[-1].role == "agent"
                and s.messages[-1].done
            )
        )


async def test_help_lists_every_command_by_group(cast: Cast, direct: str) -> None:
    reply = await ask(cast, direct, "/help")

    shown = words(reply)
    assert all(f"`/{spec.name}" in shown for spec in COMMANDS)
    assert shown.count("**") >= 8


@pytest.mark.parametrize(
    "line",
    [
        "/usr/bin/env is missing",
        "/tmp is full",
        "/health answers 500",
        "/",
        "/nothing",
        "/no:such",
        "see /help",
        "/maia:status",
        "\\/clear",
    ],
)
async def test_paths_and_commands_of_agents_are_messages(
    cast: Cast, direct: str, line: str
) -> None:
    assert await reply_to(cast.alice.pk, direct, line) is None
    assert await take_slash(cast.alice.pk, direct, line, "r") is None


async def test_strangers_learn_nothing_and_viewers_change_nothing(cast: Cast, channel: str) -> None:
    with pytest.raises(NotFound):
        await reply_to(cast.charlie.pk, channel, "/help")
    with pytest.raises(NotAllowed):
        await reply_to(cast.vera.pk, channel, "/new")
    assert await reply_to(cast.vera.pk, channel, "/permissions") is not None


@pytest.mark.parametrize("line", ["/clear", "/new", "/load x", "/delete x", "/rename x"])
async def test_what_changes_the_session_waits_for_the_end_of_the_answer(
    cast: Cast, direct: str, host: Host, model: ScriptedServer, line: str
) -> None:
    gate = Gate()
    model.script(answer(text("one "), gate, text("two")))
    async with listening(cast.alice.pk, direct) as listener:
        await in_db(post_message)(cast.alice.pk, direct, "go")
        await listener.until(lambda s: s.busy and bool(s.messages[-1].parts))
        reply = await ask(cast, direct, line)
        compact = await ask(cast, direct, "/compact")
        waiting = await in_db(Turn.objects.filter(kind="compact", state="queued").count)()
        await in_db(Turn.objects.filter(kind="compact").delete)()
        gate.open()
        await listener.until_idle()

    assert (reply.level, "answering" in words(reply)) == ("warn", True)
    assert (waiting, "once the answer has ended" in words(compact)) == (1, True)


async def test_permissions_shows_the_rules_of_each_scope_with_their_family(
    cast: Cast, direct: str
) -> None:
    reply = await ask(cast, direct, "/permissions")

    shown = [block for block in reply.blocks if isinstance(block, RulesBlock)]
    site = next(block for block in shown if block.title == "Site")
    assert ("allow", "Read(**)") in {(rule.family, rule.rule) for rule in site.rules}


async def test_new_load_and_rename_go_from_session_to_session(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    await talk(cast, direct, model, "first")
    await ask(cast, direct, "/rename  'the first' ")
    new = await ask(cast, direct, "/new")
    await talk(cast, direct, model, "second")
    missing = await ask(cast, direct, "/load the frist")
    choices = await ask(cast, direct, "/load")
    loaded = await ask(cast, direct, "/load THE FIRST")

    assert "“the first” is saved" in words(new)
    assert "MAIA.md" in words(new)
    assert (missing.level, "the first" in words(missing)) == ("warn", True)
    (block,) = [one for one in choices.blocks if isinstance(one, ChoicesBlock)]
    assert [one.value for one in block.choices if not one.disabled] == ["the first"]
    history = next(one for one in loaded.blocks if isinstance(one, DetailsBlock))
    assert "answer to first" in history.text
    await talk(cast, direct, model, "third")
    sent = model.chats[-1].body["messages"]
    assert [m["content"] for m in sent[1:]] == ["first", "answer to first", "third"]


@pytest.mark.parametrize("line", ["/new", "/clear"])
async def test_a_fresh_start_tells_what_was_loaded_and_what_is_broken(
    cast: Cast, direct: str, line: str
) -> None:
    tool = '{"description": "d", "command": {"run": "true"}}'
    for path, content in (
        ("MAIA.md", "Be kind."),
        (".maia/tools/Zip/TOOL.json", tool),
        (".maia/tools/Add/TOOL.json", tool),
        (".maia/tools/bad/TOOL.json", "{"),
        (".maia/skills/bad/SKILL.md", "no header"),
        (".maia/settings.json", '{"permissions": {"deny": ["Bash(rm *)", "Bash("]}}'),
    ):
        await in_db(LocalFiles(cast.atelier.place).write)(path, content)

    reply = await ask(cast, direct, line)

    told = [(b.level, b.text) for b in reply.blocks if isinstance(b, MarkdownBlock)]
    assert ("info", "`MAIA.md` loaded.") in told
    assert ("info", "Custom tools loaded:\n\n- `Add`\n- `Zip`") in told
    (rules,) = [text for level, text in told if "permission rules" in text]
    assert ".maia/settings.json: 2" in rules  # one is broken: it makes its tool ask
    warned = [text.partition(": ")[0] for level, text in told if level == "warn"]
    assert set(warned) >= {
        "`.maia/settings.json` · `Bash(`",
        "`.maia/tools/bad/TOOL.json`",
        "`.maia/skills/bad/SKILL.md`",
    }
    await in_db(Agent.objects.update)(toolset="mm")
    assert "Custom tools" not in words(await ask(cast, direct, line))


async def test_a_fresh_start_without_instructions_or_rules_warns(cast: Cast, direct: str) -> None:
    await in_db(Rule.objects.all().delete)()
    reply = await ask(cast, direct, "/clear")
    warned = [b.text for b in reply.blocks if isinstance(b, MarkdownBlock) and b.level == "warn"]
    assert any("`MAIA.md`" in text for text in warned)
    assert "No permission rule is set: each use of a tool asks for a confirmation." in warned


async def test_clear_empties_the_memory_and_keeps_the_name_and_what_people_see(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    await talk(cast, direct, model, "first")
    await ask(cast, direct, "/rename kept")
    await ask(cast, direct, "/clear")
    await talk(cast, direct, model, "second")

    assert [m["content"] for m in model.chats[-1].body["messages"][1:]] == ["second"]
    session = await in_db(AgentSession.objects.get)(current=True)
    assert session.name == "kept"
    codes = await in_db(lambda: list(Message.objects.values_list("role", "code")))()
    assert codes[2:4] == [("system", "session-cleared"), ("user", "")]


async def test_delete_takes_several_names_and_never_the_current_session(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    for name in ("one", "two words", "three"):
        await talk(cast, direct, model, name)
        await ask(cast, direct, f"/rename {name}")
        if name != "three":
            await ask(cast, direct, "/new")

    refused = await ask(cast, direct, "/delete three")
    gone = await ask(cast, direct, '/delete "one" "two words"')

    assert refused.level == "warn"
    assert "Deleted 2 sessions" in words(gone)
    assert await in_db(lambda: [s.name for s in AgentSession.objects.all()])() == ["three"]


async def test_models_are_listed_and_one_is_chosen_for_this_channel(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    listed = await ask(cast, direct, "/models")
    wrong = await ask(cast, direct, "/model nothing-like-it")
    await ask(cast, direct, "/model litellm:demo-tools")
    await talk(cast, direct, model, "first")

    assert "● `scripted`" in words(listed)
    assert model.url in words(listed)
    assert wrong.level == "warn"
    assert model.chats[-1].body["model"] == "demo-tools"
    assert await in_db(lambda: ChannelAgent.objects.get().model)() == "demo-tools"
    await ask(cast, direct, "/model scripted")
    assert await in_db(lambda: ChannelAgent.objects.get().model)() == ""


async def test_a_chosen_model_is_asked_for_its_size_where_no_list_tells(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    model.models_answer = Answer.json({"data": [{"id": "scripted"}, {"id": "other"}]})
    model.script(answer(text("64k")))

    acked = await take_slash(cast.alice.pk, direct, "/model other", "ref-size")

    assert acked == {"command": "model"}
    async with asyncio.timeout(10):
        await asyncio.gather(*entrance._running)
    size = await in_db(ContextSize.objects.get)(model="other")
    assert (size.size, size.source) == (64_000, "asked")
    assert model.chats[-1].body["model"] == "other"


async def test_a_server_that_lists_nothing_is_said(
    cast: Cast, direct: str, model: ScriptedServer
) -> None:
    model.models_answer = answer(text("no list"))

    reply = await ask(cast, direct, "/models")

    assert reply.level == "fail"
