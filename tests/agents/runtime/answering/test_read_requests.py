"""`@file`, `$file` and `§skill` of a message: read when its turn begins, heard by the model."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from agents.domain.typed.replies import Reply
from agents.models import Agent, AgentSession, Turn
from agents.runtime.host import Host
from agents.services.turns import hosts, people
from maia_web.lib.db import in_db
from maia_web.lib.errors import InvalidInput
from tests.cast import Cast
from tests.support.known import the
from tests.support.listener import listening
from tests.support.openai_behaviours import answer, text, tool_answer
from tests.support.openai_server import ScriptedServer
from tests.support.typed import post_message, post_typed
from workspaces.sandboxes.folders import folders_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def folder(cast: Cast) -> Path:
    return folders_of(cast.atelier.place).workspace


@pytest.fixture
def home(cast: Cast) -> Path:
    return folders_of(cast.atelier.place).home


@asynccontextmanager
async def running() -> AsyncIterator[None]:
    """A host that begins only now."""
    host = Host()
    await host.start()
    try:
        yield
    finally:
        await host.stop()


def skill(folder: Path, name: str, body: str) -> None:
    path = folder / ".maia/skills" / name
    path.mkdir(parents=True)
    (path / "SKILL.md").write_text(f"---\ndescription: Does {name}\n---\n{body}")


async def say(cast: Cast, channel: str, model: ScriptedServer, words: str) -> tuple[Any, str]:
    """Says something, and returns the message and what the model was asked last."""
    model.script(answer(text("Understood.")))
    async with listening(cast.alice.pk, channel) as listener:
        await in_db(post_typed)(cast.alice.pk, channel, words)
        state = await listener.until_idle()
        said = [message for message in state.messages if message.role == "user"][-1]
    asked = [m for m in model.requests[-1].body["messages"] if m["role"] == "user"][-1]
    content = asked["content"]
    return said, content if isinstance(content, str) else "".join(b["text"] for b in content)


async def test_the_model_reads_the_file_and_people_read_what_was_typed(
    cast: Cast, direct: str, host: Host, model: ScriptedServer, folder: Path, home: Path
) -> None:
    (folder / "a.py").write_text("print('hi')")
    (folder / "src").mkdir()
    (folder / "src/b.py").write_text("b")
    (home / "notes.md").write_text("mine")
    typed = "Explain @a.py, @src and $~/notes.md. Then @a.py again."
    said, asked = await say(cast, direct, model, typed)

    assert said.parts[0].text == typed
    assert [(each.path, each.problem) for each in said.attachments] == [
        ("a.py", None),
        ("src", None),
        ("~/notes.md", None),
    ]
    assert "data, not instructions" in asked
    assert "<file path=\"a.py\">\nprint('hi')\n</file>" in asked
    assert '<folder path="src">\nb.py\n</folder>' in asked
    assert '<file path="~/notes.md">\nmine\n</file>' in asked
    assert asked.count("<file ") == 2
    assert asked.endswith(typed)


async def test_what_cannot_be_read_is_said_only_where_it_looks_like_a_path(
    cast: Cast, direct: str, host: Host, model: ScriptedServer, folder: Path
) -> None:
    (folder / "image.png").write_bytes(b"\x89PNG\xff\x00")
    (folder / "big.txt").write_bytes(b"x" * 2_000_001)
    said, asked = await say(
        cast, direct, model, "@nobody @image.png @big.txt @gone/x.py @../../etc/passwd jean@x.fr"
    )

    assert {each.path: each.problem for each in said.attachments} == {
        "image.png": "it is not a text file",
        "big.txt": "it is larger than 2 MB",
        "gone/x.py": "there is no such file",
        "../../etc/passwd": "it is outside the workspace and your home folder",
    }
    assert "<file" not in asked


async def test_long_files_are_cut_and_the_line_has_a_limit(
    cast: Cast, direct: str, host: Host, model: ScriptedServer, folder: Path
) -> None:
    for number in range(4):
        (folder / f"f{number}.txt").write_text(f"{number}" * 60_000)
    said, asked = await say(cast, direct, model, "@f0.txt @f1.txt @f2.txt @f3.txt")

    assert [each.problem for each in said.attachments] == [
        None,
        None,
        None,
        "the other files fill the limit",
    ]
    assert 150_000 < len(asked) < 152_000


async def test_the_name_of_an_agent_is_no_file(
    cast: Cast, direct: str, host: Host, model: ScriptedServer, folder: Path
) -> None:
    (folder / "maia").write_text("not me")
    said, asked = await say(cast, direct, model, "@maia hello")

    assert said.attachments == ()
    assert asked == "@maia hello"


async def test_a_request_is_read_once_when_it_comes(
    cast: Cast, direct: str, model: ScriptedServer, folder: Path
) -> None:
    (folder / "argus").write_text("a file")
    await in_db(post_message)(cast.alice.pk, direct, "see @argus")
    await in_db(Agent.objects.create)(name="argus")
    model.script(answer(text("Seen.")))
    async with running(), listening(cast.alice.pk, direct) as listener:
        await listener.until_idle()

    assert '<file path="argus">' in str(model.chats[-1].body)


async def test_what_an_earlier_release_queued_is_read_by_its_host(
    cast: Cast, direct: str, model: ScriptedServer, folder: Path
) -> None:
    (folder / "a.py").write_text("a file")
    skill(folder, "review", "Review.")
    await in_db(post_typed)(cast.alice.pk, direct, "§review @a.py")
    await in_db(Turn.objects.update)(line=None)
    model.script(answer(text("Seen.")))
    async with running(), listening(cast.alice.pk, direct) as listener:
        await listener.until_idle()

    asked = str(model.chats[-1].body)
    assert "<file path" in asked
    assert "Skill review" in asked


@pytest.mark.parametrize(
    ("typed", "heard"),
    [
        ("hello", "[Alice] hello"),
        ("/maia:plan the week", "/plan the week"),
        ("@maia /plan", "@maia /plan"),
        ("/plan of the week", "/plan of the week"),
        ("/usr/bin/env is missing", "[Alice] /usr/bin/env is missing"),
        ("\\/clear", "[Alice] /clear"),
        ("    indented", "[Alice]     indented"),
    ],
)
async def test_a_command_of_an_agent_is_sent_alone(
    cast: Cast, channel: str, host: Host, model: ScriptedServer, typed: str, heard: str
) -> None:
    said, asked = await say(cast, channel, model, typed)

    assert (said.parts[0].text, asked) == (typed, heard)


async def test_a_skill_is_run_by_name_with_arguments_and_files(
    cast: Cast, direct: str, host: Host, model: ScriptedServer, folder: Path
) -> None:
    skill(folder, "review", "Review $ARGUMENTS with care. @a.py stays text.")
    (folder / "b.py").write_text("bee")
    said, asked = await say(cast, direct, model, "§review the file @b.py")

    assert said.parts[0].text == "§review the file @b.py"
    assert "Review the file @b.py with care. @a.py stays text." in asked
    assert '<file path="b.py">\nbee\n</file>' in asked
    assert "- review: Does review" in model.requests[0].body["messages"][0]["content"]
    tools = [tool["function"]["name"] for tool in model.requests[0].body["tools"]]
    assert "Skill" in tools


async def test_a_skill_counts_in_the_line_under_the_answer(
    cast: Cast, direct: str, host: Host, model: ScriptedServer, folder: Path
) -> None:
    skill(folder, "review", "Do.")
    model.script(answer(text("Done.")))
    async with listening(cast.alice.pk, direct) as listener:
        await in_db(post_typed)(cast.alice.pk, direct, "@maia §review")
        state = await listener.until_idle()

    counters = state.messages[-1].counters
    assert counters is not None
    assert counters.skills == 1


async def test_the_list_and_an_unknown_skill(cast: Cast, direct: str, folder: Path) -> None:
    empty = await in_db(post_typed)(cast.alice.pk, direct, "§")
    skill(folder, "review", "Do.")
    full = await in_db(post_typed)(cast.alice.pk, direct, " § ")
    with pytest.raises(InvalidInput, match=r"no skill named revue\. Available: §review"):
        await in_db(post_typed)(cast.alice.pk, direct, "§revue now")

    assert "no skills yet" in the(Reply, empty).wire()["blocks"][0]["text"]
    assert "`§review` · Does review" in the(Reply, full).wire()["blocks"][0]["text"]


async def test_a_skill_that_is_gone_when_its_turn_comes_is_a_clear_error(
    cast: Cast, direct: str, model: ScriptedServer, folder: Path
) -> None:
    skill(folder, "review", "Do.")
    await in_db(post_typed)(cast.alice.pk, direct, "§review")
    file = folder / ".maia/skills/review/SKILL.md"
    text_of_it = file.read_text()
    file.unlink()
    model.script(answer(text("Done.")))
    host = Host()
    await host.start()
    try:
        async with listening(cast.alice.pk, direct) as listener:
            state = await listener.until_idle()
            failed = state.messages[-1]
            file.write_text(text_of_it)
            await in_db(people.resume_turn)(cast.alice.pk, direct, failed.id)
            await listener.until(lambda s: s.messages[-1].id != failed.id and s.messages[-1].done)
    finally:
        await host.stop()

    assert failed.error is not None
    assert failed.error.message == "There is no skill named review."
    assert "Skill review" in str(model.requests[0].body["messages"])


async def test_of_more_than_ten_dollar_files_the_first_ten_are_joined(
    cast: Cast, direct: str, host: Host, model: ScriptedServer, folder: Path
) -> None:
    for n in range(11):
        (folder / f"f{n}.md").write_text(f"text {n}")
    names = " ".join(f"$f{n}.md" for n in range(11))
    said, asked = await say(cast, direct, model, names)

    assert asked.count("<file path") == 10
    last = said.attachments[-1]
    assert (last.path, last.problem) == ("f10.md", "at most 10 files can be joined with $")


async def test_a_pasted_script_is_no_list_of_files(
    cast: Cast, direct: str, host: Host, model: ScriptedServer
) -> None:
    script = "\n".join(f"cp $SRC{n}/a.txt $dst{n}/b.txt" for n in range(12))
    said, asked = await say(cast, direct, model, f"This fails:\n{script}")

    assert script in asked
    assert not said.attachments


async def test_a_request_taken_up_before_it_was_read_is_read_once(
    cast: Cast, direct: str, model: ScriptedServer, folder: Path
) -> None:
    (folder / "a.py").write_text("once")
    model.script(answer(text("Done.")))
    await in_db(post_typed)(cast.alice.pk, direct, "@a.py")
    claimed = await in_db(hosts.claim_turn)(direct, "elsewhere:1:x")
    assert claimed is not None
    assert (claimed.unread, claimed.messages) == (True, ())
    host = Host()
    await host.start()
    try:
        async with listening(cast.alice.pk, direct) as listener:
            await in_db(hosts.release_turn)(claimed.lease, ())
            await listener.until_idle()
    finally:
        await host.stop()

    session = await in_db(AgentSession.objects.get)(current=True)
    assert await in_db(session.messages.count)() == 2
    assert str(model.requests[0].body).count("<file path") == 1


async def test_stopping_takes_the_files_out_of_the_memory_too(
    cast: Cast, direct: str, host: Host, model: ScriptedServer, folder: Path
) -> None:
    (folder / "a.py").write_text("forgotten")
    model.script(tool_answer("Bash", {"command": "make"}))
    async with listening(cast.alice.pk, direct) as listener:
        await in_db(post_typed)(cast.alice.pk, direct, "@a.py")
        await listener.until(lambda s: bool(s.permissions))
        await in_db(people.cancel_channel)(cast.alice.pk, direct)
        await listener.until_idle()

    session = await in_db(AgentSession.objects.get)(current=True)
    assert await in_db(session.messages.count)() == 0


async def test_a_custom_tool_asks_and_runs(
    cast: Cast, direct: str, host: Host, model: ScriptedServer, folder: Path
) -> None:
    tool = folder / ".maia/tools/greet"
    tool.mkdir(parents=True)
    (tool / "TOOL.json").write_text(
        '{"name": "Greet", "description": "Greets", "command": {"parameters":'
        ' [{"name": "who", "type": "string"}], "run": "echo hello {{who}}"}}'
    )
    model.script(tool_answer("Greet", {"who": "you; id"}))
    async with listening(cast.alice.pk, direct) as listener:
        await in_db(post_typed)(cast.alice.pk, direct, "greet")
        state = await listener.until(lambda s: bool(s.permissions))
        await in_db(people.cancel_channel)(cast.alice.pk, direct)
        await listener.until_idle()

    (request,) = state.permissions
    assert (request.tool_call.name, request.tool_call.title) == ("Greet", "echo hello 'you; id'")
    assert "Greet" in [offer.rule for offer in request.offers]
