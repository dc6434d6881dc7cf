"""Slashing: takes a line that begins with `/`, carries it out, answers the person (M §5.6)."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agents.delivery import publish
from agents.domain.library.found import Library
from agents.domain.typed.replies import MarkdownBlock, Reply, said
from agents.domain.typed.slash import BY_NAME, SlashLine, parse_slash
from agents.library.found import library_of
from agents.library.rule_files import rule_files
from agents.library.settings_files import settings_files
from agents.protocol.frames import SystemReply
from agents.protocol.topics import person_topic
from agents.runtime.answering.context_meter import measure
from agents.runtime.answering.toolsets import toolset_named
from agents.runtime.slash import models as model_commands
from agents.selectors.agents import toolset_of
from agents.selectors.conversation.channels import ChannelAccess
from agents.selectors.permissions.policies import Rules, rules_for
from agents.selectors.warnings import FileWarning, library_warnings, settings_warnings
from agents.services.typed import slash
from maia_web.lib.db import in_db
from maia_web.lib.errors import MaiaError

REMEMBERED = 1_000
Answer = Callable[[int, str, SlashLine], Awaitable[Reply]]
NETWORK: dict[str, Answer] = {
    "model": model_commands.change_model,
    "models": model_commands.show_models,
}
"""The commands that ask the model's server: they take seconds."""
RENEWS = frozenset({"new", "clear", "load"})

_running: set[asyncio.Task[None]] = set()
_answered: OrderedDict[tuple[int, str], str] = OrderedDict()


async def take_slash(
    user_id: int, channel_id: str, text: str, client_ref: str
) -> dict[str, Any] | None:
    """Answers a line of a socket if it is a command; returns the ack's result, else None.

    The reply goes to all tabs of the person. The same `client_ref` never runs a command twice.
    Raises `NotFound` or `NotAllowed` like a message would.
    """
    line = parse_slash(text, await in_db(slash.agent_names)()) if _may_be(text) else None
    if line is None:
        return None
    access = await _access(user_id, channel_id, line)
    if _answered.get((user_id, client_ref)) != line.text:
        _remember(user_id, client_ref, line.text)
        if line.name in NETWORK:
            task = asyncio.create_task(_ask_and_send(access, line), name=f"slash-{line.name}")
            _running.add(task)
            task.add_done_callback(_running.discard)
        else:
            await _answer_and_send(access, line)
    return {"command": line.name}


async def reply_to(user_id: int, channel_id: str, text: str) -> Reply | None:
    """Answers a line if it is a command, and waits for the answer; other tabs see it too."""
    line = parse_slash(text, await in_db(slash.agent_names)()) if _may_be(text) else None
    if line is None:
        return None
    return await _answer_and_send(await _access(user_id, channel_id, line), line)


async def _ask_and_send(access: ChannelAccess, line: SlashLine) -> None:
    """Answers what asks the server; after another model was chosen, asks for its size (M §13.2)."""
    reply = await _answer_and_send(access, line)
    if line.name == "model" and line.argument and reply.level == "info":
        await model_commands.ask_size(access.user, access.id, line)


async def _answer_and_send(access: ChannelAccess, line: SlashLine) -> Reply:
    reply = await _answered_by(access, line)
    frame = SystemReply(channel=access.id, reply=reply)
    await in_db(publish.now)(person_topic(access.user), frame)
    return reply


async def _answered_by(access: ChannelAccess, line: SlashLine) -> Reply:
    try:
        if line.name in NETWORK:
            return await NETWORK[line.name](access.user, access.id, line)
        if line.name in FILES:
            return await FILES[line.name](access, line)
        if line.name not in slash.DATABASE:
            return slash.unknown(line)
        reply: Reply = await in_db(slash.DATABASE[line.name])(access.user, access.id, line)
        return await _renewed(access, line, reply) if _renews(line) else reply
    except MaiaError as error:
        return said(line.text, line.name, error.message, "warn")


async def _renewed(access: ChannelAccess, line: SlashLine, reply: Reply) -> Reply:
    """Counts the other session, and says what it was started with (M §9.4, §11.1)."""
    parts = await measure(access.user, access.id, line.agent)
    blocks = await start_report(access, parts.agent, line)
    return reply.model_copy(update={"blocks": (*reply.blocks, *blocks)})


async def start_report(
    access: ChannelAccess, agent: str, line: SlashLine
) -> tuple[MarkdownBlock, ...]:
    """Returns what an agent is started with: instructions, tools, rules, and what is broken."""
    place = access.workspace.place
    library = await asyncio.to_thread(library_of, place)
    toolset = toolset_named(await in_db(toolset_of)(agent), agent)
    blocks = [] if line.name == "load" else [_instructions(library.instructions)]
    if library.tools and toolset.runs_custom:
        blocks.append(_tools(library))
    settings = await asyncio.to_thread(settings_files, place)
    rules = await in_db(rules_for)(place, agent, settings.rules, None)
    broken = (*settings_warnings(settings), *library_warnings(library))
    return (*blocks, _rules(rules), *slash.trust_warnings(rules), *map(_broken, broken))


async def _help(access: ChannelAccess, line: SlashLine) -> Reply:
    library = await asyncio.to_thread(library_of, access.workspace.place)
    return slash.help_reply(line, library.skills)


async def _permissions(access: ChannelAccess, line: SlashLine) -> Reply:
    files = await asyncio.to_thread(rule_files, access.workspace.place)
    reply: Reply = await in_db(slash.permissions_reply)(access, line, files)
    return reply


FILES: dict[str, Callable[[ChannelAccess, SlashLine], Awaitable[Reply]]] = {
    "help": _help,
    "permissions": _permissions,
}
"""The commands that look at files."""


def _tools(library: Library) -> MarkdownBlock:
    """Lists the custom tools, one a line (M §10.1)."""
    lines = [_("Custom tools loaded:"), "", *(f"- `{one.tool.name}`" for one in library.tools)]
    return MarkdownBlock(level="info", text="\n".join(lines))


def _broken(warning: FileWarning) -> MarkdownBlock:
    entry = f" · `{warning.entry}`" if warning.entry else ""
    text = f"`{warning.file}`{entry}: {warning.message}"
    return MarkdownBlock(level="warn", text=text)


def _rules(rules: Rules) -> MarkdownBlock:
    """Says how many rules each place has (M §9.4)."""
    written = [entry for entry in rules.entries if entry.scope != "built-in"]
    if not written:
        return MarkdownBlock(level="warn", text=slash.no_rules_text())
    counts = Counter(slash.place_title(entry) for entry in written)
    n = len(written)
    title = ngettext("%(n)d permission rule", "%(n)d permission rules", n) % {"n": n}
    places = ", ".join(f"{place}: {count}" for place, count in counts.items())
    return MarkdownBlock(level="info", text=f"{title} ({places})")


def _instructions(name: str) -> MarkdownBlock:
    if name:
        return MarkdownBlock(level="info", text=_("`%(name)s` loaded.") % {"name": name})
    text = _("Neither `MAIA.md` nor `CLAUDE.md` nor `AGENTS.md` is in the workspace's folder.")
    return MarkdownBlock(level="warn", text=text)


def _renews(line: SlashLine) -> bool:
    return line.name in RENEWS and (line.name != "load" or bool(line.argument))


def _may_be(text: str) -> bool:
    return text.lstrip().startswith("/")


async def _access(user_id: int, channel_id: str, line: SlashLine) -> ChannelAccess:
    spec = BY_NAME.get(line.name)
    viewers = spec is None or spec.viewers
    access: ChannelAccess = await in_db(slash.may_use)(user_id, channel_id, viewers=viewers)
    return access


def _remember(user_id: int, client_ref: str, text: str) -> None:
    if not client_ref:
        return
    _answered[user_id, client_ref] = text
    while len(_answered) > REMEMBERED:
        _answered.popitem(last=False)
