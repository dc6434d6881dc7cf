"""Links in a running turn: what is asked is where they lead, and they are looked at once more."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from agents.domain.content.parts import ToolPart
from agents.models import Rule
from agents.protocol.frames import ChannelSnapshot
from agents.runtime.host import Host
from agents.services.permissions.answers import Given, answer_permission
from maia_web.lib.db import in_db
from tests.cast import Cast
from tests.support.listener import listening
from tests.support.openai_behaviours import answer, text, tool_answer
from tests.support.openai_server import ScriptedServer
from tests.support.typed import post_message, post_typed
from workspaces.sandboxes.folders import folders_of

pytestmark = pytest.mark.django_db(transaction=True)
SECRET = "canary-0123456789"
TOOLS = ("Read", "Write", "Edit", "Redirect")


@pytest.fixture
async def folder(cast: Cast) -> Path:
    """A clone: `docs/x` and `docs/hard` are `.env`, `docs/d` is `secrets`, all is allowed."""
    root = folders_of(cast.atelier.place).workspace
    for name in (".env", "secrets/key", "docs/plain"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("plain" if "plain" in name else SECRET)
    (root / "docs/x").symlink_to("../.env")
    (root / "docs/d").symlink_to("../secrets")
    os.link(root / ".env", root / "docs/hard")
    await _rules("allow", "Write", "Edit", "Redirect", "Bash")
    return root


async def _rules(family: str, *texts: str) -> None:
    for one in texts:
        await in_db(Rule.objects.create)(scope="site", family=family, text=one)


def cards(state: ChannelSnapshot) -> list[ToolPart]:
    return [one for message in state.messages for one in message.parts if isinstance(one, ToolPart)]


def _asks(state: ChannelSnapshot) -> bool:
    return any(one.state == "pending" for one in state.permissions)


def _is_over(state: ChannelSnapshot, before: int) -> bool:
    done = all(one.done for one in state.messages)
    return not state.busy and len(state.messages) == before + 2 and done


async def run(
    cast: Cast, channel: str, model: ScriptedServer, tool: str, input: dict[str, Any]
) -> ToolPart:
    model.script(tool_answer(tool, input), answer(text("Well.")))
    async with listening(cast.alice.pk, channel) as listener:
        before = len(listener.state.messages)
        await in_db(post_message)(cast.alice.pk, channel, "go on")
        state = await listener.until(lambda s: _asks(s) or _is_over(s, before))
        assert not _asks(state)
        frames = json.dumps([frame.wire() for frame in listener.frames])
    assert SECRET not in frames
    assert SECRET not in json.dumps([one.body for one in model.requests])
    return cards(state)[-1]


@pytest.mark.parametrize(
    ("tool", "input"),
    [
        ("Read", {"path": "docs/x"}),
        ("Read", {"path": "docs/hard"}),
        ("Write", {"path": "docs/d/key", "content": "evil"}),
        ("Edit", {"path": "docs/x", "old_string": "canary", "new_string": "evil"}),
        ("Bash", {"command": "echo evil > docs/hard"}),
        ("Bash", {"command": "echo evil >> docs/d/new"}),
    ],
)
async def test_a_deny_holds_through_a_link_and_no_card_shows_what_it_protects(
    cast: Cast, direct: str, host: Host, model: ScriptedServer, folder: Path, tool: str, input: Any
) -> None:
    await _rules("deny", *(f"{one}({path})" for one in TOOLS for path in (".env", "secrets/**")))
    card = await run(cast, direct, model, tool, input)
    assert card.status == "failed"
    assert "permission rules" in card.output
    assert card.diffs == ()
    assert (folder / ".env").read_text() == SECRET
    assert [one.name for one in (folder / "secrets").iterdir()] == ["key"]


async def test_a_search_leaves_out_what_reading_is_denied(
    cast: Cast, direct: str, host: Host, model: ScriptedServer, folder: Path
) -> None:
    await _rules("deny", "Read(.env)", "Read(secrets/**)")
    found = {"pattern": "canary|plain", "output_mode": "content"}
    card = await run(cast, direct, model, "Grep", found)
    assert card.output == "docs/plain:1:plain"
    assert (await run(cast, direct, model, "Glob", {"pattern": "**/*"})).output == "docs/plain"


async def _ask(cast: Cast, channel: str, model: ScriptedServer, listener: Any) -> Any:
    model.script(tool_answer("Read", {"path": "docs/link"}), answer(text("Well.")))
    await in_db(post_message)(cast.alice.pk, channel, "read it")
    state = await listener.until(_asks)
    return next(one for one in state.permissions if one.state == "pending")


async def test_a_person_is_asked_about_where_a_link_leads_and_gets_just_that(
    cast: Cast, direct: str, host: Host, model: ScriptedServer, folder: Path
) -> None:
    await _rules("ask", "Read(.env)")
    (folder / "docs/link").symlink_to("x")
    async with listening(cast.alice.pk, direct) as listener:
        request = await _ask(cast, direct, model, listener)
        assert request.reason.part == "docs/link → .env"
        await in_db(answer_permission)(cast.alice.pk, request.id, Given("allow_once"))
        state = await listener.until_idle()
        assert SECRET in cards(state)[-1].output

        request = await _ask(cast, direct, model, listener)
        (folder / "docs/link").unlink()
        (folder / "docs/link").symlink_to("../secrets/key")
        await in_db(answer_permission)(cast.alice.pk, request.id, Given("allow_once"))
        state = await listener.until(lambda s: not s.busy and len(cards(s)) == 2)
        assert cards(state)[-1].status == "failed"
        assert "leads to another file" in cards(state)[-1].output


async def test_always_allows_the_link_and_its_file(
    cast: Cast, direct: str, host: Host, model: ScriptedServer, folder: Path
) -> None:
    await in_db(Rule.objects.filter(text="Read(**)").delete)()
    (folder / "docs/link").symlink_to("plain")
    async with listening(cast.alice.pk, direct) as listener:
        request = await _ask(cast, direct, model, listener)
        (offer,) = request.offers
        assert (offer.rule, offer.also) == ("Read(docs/link)", ("Read(docs/plain)",))
        given = Given("allow_always", rule="\n".join([offer.rule, *offer.also]))
        await in_db(answer_permission)(cast.alice.pk, request.id, given)
        await listener.until_idle()
    assert "plain" in (await run(cast, direct, model, "Read", {"path": "docs/link"})).output


async def test_neither_instructions_nor_skills_nor_references_are_a_way_round(
    cast: Cast, direct: str, host: Host, model: ScriptedServer, folder: Path
) -> None:
    (folder / "MAIA.md").symlink_to("docs/x")
    (folder / "AGENTS.md").write_text("Be brief.")
    for name in ("soft", "fine"):
        (folder / ".maia/skills" / name).mkdir(parents=True)
    (folder / ".maia/skills/soft/SKILL.md").symlink_to("../../../.env")
    (folder / ".maia/skills/fine/SKILL.md").write_text("---\ndescription: Fine\n---\nx")
    await _rules("deny", "Read(.env)", "Read(secrets/**)")
    model.script(answer(text("Well.")))
    async with listening(cast.alice.pk, direct) as listener:
        line = "look at @docs/x @docs/hard @docs/d/key @docs/d and @docs/plain"
        await in_db(post_typed)(cast.alice.pk, direct, line)
        state = await listener.until_idle()
    sent = json.dumps(model.requests[-1].body)
    assert SECRET not in sent
    assert "Be brief." in sent
    assert "Fine" in sent
    attached = {one.path: one.problem for one in state.messages[0].attachments}
    assert attached.pop("docs/plain") is None
    assert set(attached) == {"docs/x", "docs/hard", "docs/d/key", "docs/d"}
    assert all("permission rule" in (problem or "") for problem in attached.values())
