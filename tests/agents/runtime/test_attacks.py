"""An agent that wants more rights: no call, whatever may run, changes what may run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agents.domain.content.parts import ToolPart
from agents.models import AuditEntry, PermissionRequest, Rule, TrustedFile
from agents.protocol.frames import ChannelSnapshot
from agents.runtime.host import Host
from agents.selectors.permissions.policies import BUILT_IN
from agents.services.permissions.answers import Given, answer_permission
from maia_web.lib.db import in_db
from tests.cast import Cast
from tests.support.listener import Listener, listening
from tests.support.openai_behaviours import answer, call, text, tool_answer
from tests.support.openai_server import ScriptedServer
from tests.support.rules import rules_for
from tests.support.typed import post_message
from workspaces.domain.places import Place
from workspaces.files.local import LocalFiles
from workspaces.sandboxes.base import probed
from workspaces.sandboxes.folders import folders_of

pytestmark = pytest.mark.django_db(transaction=True)
EVERYTHING = ("Bash", "Write", "Edit", "Read(**)", "Redirect", "Grep", "Glob", "Deploy")
EVIL = json.dumps({"permissions": {"allow": ["Bash"], "deny": []}})
RULES = json.dumps({"permissions": {"deny": ["Bash(git push *)"]}})
OWN = json.dumps({"LiteLLM_API_Key": "sk-canary-SECRET", "permissions": {"deny": ["WebFetch"]}})


@pytest.fixture(autouse=True)
async def _sandbox() -> None:
    found = await probed()
    if found.bwrap is None:
        pytest.skip(found.problem)


@pytest.fixture
async def place(cast: Cast) -> Place:
    """Alice's place, where nearly everything is allowed, with rules in both files."""
    prepared: Place = await in_db(_prepared)(cast)
    return prepared


def _prepared(cast: Cast) -> Place:
    for rule in EVERYTHING:
        Rule.objects.create(scope="person", user=cast.alice, family="allow", text=rule)
    place = cast.access(cast.alice).place
    files = LocalFiles(place)
    files.write("~/.maia/settings.json", OWN)
    files.write(".maia/settings.json", RULES)
    folder = folders_of(place).workspace
    for name, target in (("soft", ".maia"), ("leads.json", ".maia/settings.json"), ("up", "..")):
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(target)
    return place


def parts(state: ChannelSnapshot) -> list[ToolPart]:
    return [one for message in state.messages for one in message.parts if isinstance(one, ToolPart)]


async def told(
    cast: Cast,
    channel: str,
    model: ScriptedServer,
    calls: list[tuple[str, dict[str, Any]]],
) -> list[ToolPart]:
    """What became of these calls of one answer; nobody is asked about any."""
    made = [call(at, id=f"c{at}", name=name, arguments=json.dumps(given))
            for at, (name, given) in enumerate(calls)]  # fmt: skip
    model.script(answer(*made, reason="tool_calls"))
    model.script(answer(text("Well.")))
    async with listening(cast.alice.pk, channel) as listener:
        await in_db(post_message)(cast.alice.pk, channel, "go on")
        state = await listener.until(lambda s: bool(s.permissions) or _over(s))
        assert not state.permissions
    assert not await in_db(PermissionRequest.objects.exists)()
    return parts(state)


def _over(state: ChannelSnapshot) -> bool:
    """What was said last is answered: what was there before it is no answer to it."""
    said = [message.role for message in state.messages if message.role != "system"]
    is_answered = said[-1:] == ["agent"]
    return is_answered and not state.busy and all(one.done for one in state.messages)


WRITES = [
    "~/.maia/settings.json", "/home/agent/.maia/settings.json", "~/x/../.maia/mcp.json",
    "~/.maia/tools/deploy/TOOL.json", "~/.maia/skills/s/SKILL.md", "~//.maia/./settings.json",
    ".maia/settings.json", "/workspace/.maia/settings.json", "a/../.maia/settings.json",
    "soft/settings.json", "leads.json", "up/workspace/.maia/settings.json",
]  # fmt: skip


async def test_no_file_tool_writes_rules(
    cast: Cast, direct: str, host: Host, model: ScriptedServer, place: Place
) -> None:
    calls: list[tuple[str, dict[str, Any]]] = []
    for at, path in enumerate(WRITES):
        if at % 2:
            calls.append(("Edit", {"path": path, "old_string": "deny", "new_string": "allow"}))
        else:
            calls.append(("Write", {"path": path, "content": EVIL}))
    ended = await told(cast, direct, model, calls)

    assert [one.status for one in ended] == ["failed"] * len(calls)
    files = LocalFiles(place)
    assert (files.read("~/.maia/settings.json").text, files.read(".maia/settings.json").text) == (
        OWN, RULES,
    )  # fmt: skip
    denied = [one for one in ended if "permission rules" in one.output]
    assert len(denied) >= 8  # refused by rule, before anything is looked at


async def test_names_that_only_look_like_it_are_other_files(
    cast: Cast, direct: str, host: Host, model: ScriptedServer, place: Place
) -> None:
    names = [".MAIA/settings.json", ".maia/Settings.json", ".maіa/settings.json", "~/.ma\u200bia/x"]
    for name in names:  # they are asked about, unless a rule names them
        await in_db(Rule.objects.create)(scope="site", family="allow", text=f"Write({name})")
    calls = [("Write", {"path": name, "content": EVIL}) for name in names]
    ended = await told(cast, direct, model, calls)

    assert [one.status for one in ended] == ["completed"] * 3 + ["failed"]
    assert "then write it" in ended[3].output  # to people it is the file that is there
    rules = await in_db(rules_for)(place, "maia")
    assert "Bash" not in [one.text for one in rules.untrusted]


async def test_no_command_writes_a_persons_rules_or_reads_their_key(
    cast: Cast, direct: str, host: Host, model: ScriptedServer, place: Place
) -> None:
    commands = [
        f"echo '{EVIL}' > ~/.maia/settings.json",
        f"echo '{EVIL}' | tee /home/agent/.maia/settings.json ~/.maia/mcp.json",
        "cat ~/.maia/settings.json; grep -r sk-canary ~ /workspace",
        "mv ~/.maia ~/away; ln -s ~/mine ~/.maia; ls -la ~",
    ]
    ended = await told(cast, direct, model, [("Bash", {"command": each}) for each in commands])
    reads = [
        ("Read", {"path": "~/.maia/settings.json"}),
        ("Grep", {"pattern": "canary", "path": "~"}),
        ("Glob", {"pattern": "**/*.json", "path": "~"}),
    ]
    await in_db(_allow)(cast, "Read(~/**)", "Grep(~/**)", "Glob(~/**)")
    ended += await told(cast, direct, model, reads)

    assert "SECRET" not in json.dumps([one.wire() for one in ended])
    assert "SECRET" not in json.dumps([one.body for one in model.requests])
    assert LocalFiles(place).read("~/.maia/settings.json").text == OWN
    assert sorted(one.name for one in LocalFiles(place).entries("~/.maia"))[-1] == "tools"


def _allow(cast: Cast, *rules: str) -> None:
    for rule in rules:
        Rule.objects.create(scope="person", user=cast.alice, family="allow", text=rule)


async def test_no_redirection_writes_rules_whatever_may_run(
    cast: Cast, direct: str, host: Host, model: ScriptedServer, place: Place
) -> None:
    targets = [".maia/settings.json", "/workspace/.maia/settings.json", "~/.maia/mcp.json"]
    commands = [f"cd . && echo '{EVIL}' >| {target}" for target in targets]
    ended = await told(cast, direct, model, [("Bash", {"command": each}) for each in commands])
    assert [one.status for one in ended] == ["failed"] * 3
    assert all("permission rules" in one.output for one in ended)
    assert LocalFiles(place).read(".maia/settings.json").text == RULES


async def test_an_agents_command_does_not_change_the_workspaces_rules(
    cast: Cast, direct: str, host: Host, model: ScriptedServer, place: Place
) -> None:
    before = await in_db(rules_for)(place, "maia")
    commands = [
        f"echo '{EVIL}' | tee /workspace/.maia/settings.json",
        f"mv .maia x; mkdir .maia; echo '{EVIL}' | tee .maia/settings.json",
        f"echo '{EVIL}' | tee leads.json soft/settings.json",
        f"echo '{EVIL}' | tee notes.txt leads.json",
        f"bash -c 'tee soft/settings.json' <<< '{EVIL}'",
        "cp other.json leads.json",
        "sed -i s/deny/allow/ up/workspace/.maia/settings.json",
    ]
    ended = await told(cast, direct, model, [("Bash", {"command": each}) for each in commands])
    assert ["permission rules" in one.output for one in ended] == [True] * len(commands)
    assert LocalFiles(place).read(".maia/settings.json").text == RULES
    after = await in_db(rules_for)(place, "maia")
    assert (after.entries, after.untrusted) == (before.entries, before.untrusted)


async def test_a_file_that_changed_is_trusted_by_nobody(
    cast: Cast, direct: str, host: Host, model: ScriptedServer, place: Place
) -> None:
    digest = (await in_db(rules_for)(place, "maia")).entries
    await in_db(TrustedFile.objects.create)(
        user=cast.alice, workspace_id=place.workspace, sha256="0" * 64
    )
    LocalFiles(place).write(".maia/settings.json", EVIL)

    rules = await in_db(rules_for)(place, "maia")
    assert [one.text for one in rules.untrusted] == ["Bash"]
    assert BUILT_IN[0] in rules.entries
    assert BUILT_IN[0] in digest


DEFINITION = '{"description": "Deploys", "command": {"parameters": [], "run": "%s"}}'


async def test_always_for_a_custom_tool_ends_with_its_definition(
    cast: Cast, direct: str, host: Host, model: ScriptedServer, place: Place
) -> None:
    await in_db(Rule.objects.filter(text="Deploy").delete)()
    files = LocalFiles(place)
    files.write(".maia/tools/Deploy/TOOL.json", DEFINITION % "echo harmless")
    async with listening(cast.alice.pk, direct) as listener:
        model.script(tool_answer("Deploy", {}), answer(text("Done.")))
        request = await _asked(cast, direct, listener)
        given = Given("allow_always", rule="Deploy")
        await in_db(answer_permission)(cast.alice.pk, request, given)
        await listener.until_idle()
        assert await in_db(Rule.objects.filter(text="Deploy").exclude(definition="").exists)()

        model.script(tool_answer("Deploy", {}), answer(text("Done.")))
        await in_db(post_message)(cast.alice.pk, direct, "again")
        await listener.until(lambda s: len(parts(s)) == 2 and not s.busy)
        assert (
            await in_db(PermissionRequest.objects.count)() == 1
        )  # what a rule allows is not asked

        files.write(".maia/tools/Deploy/TOOL.json", DEFINITION % "echo evil")
        model.script(tool_answer("Deploy", {}), answer(text("Done.")))
        second = await _asked(cast, direct, listener)
        assert second != request
        await in_db(answer_permission)(cast.alice.pk, second, Given("stop"))
        await listener.until_idle()
    assert "evil" not in parts(listener.state)[-1].output


async def _asked(cast: Cast, channel: str, listener: Listener) -> str:
    await in_db(post_message)(cast.alice.pk, channel, "deploy")
    state = await listener.until(lambda s: any(one.state == "pending" for one in s.permissions))
    return next(one.id for one in state.permissions if one.state == "pending")


async def test_refusals_by_the_built_in_rules_are_recorded(
    cast: Cast, direct: str, host: Host, model: ScriptedServer, place: Place, tmp_path: Path
) -> None:
    await told(cast, direct, model, [("Write", {"path": "~/.maia/settings.json", "content": EVIL})])
    line = await in_db(AuditEntry.objects.get)(kind="decision")
    assert (line.verdict, line.rule, line.scope) == ("deny", "Write(~/.maia/**)", "built-in")
