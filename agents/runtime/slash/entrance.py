"""Entrance: carries out what `say` gives back, slash commands and calls of skills (M §5.6)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agents.domain.library.found import Library
from agents.domain.typed.replies import MarkdownBlock, Reply
from agents.domain.typed.slash import Slash
from agents.library.found import library_of
from agents.library.rule_files import rule_files
from agents.library.settings_files import settings_files
from agents.runtime.answering.context_meter import measure
from agents.runtime.answering.toolsets import toolset_named
from agents.runtime.slash import models as model_commands
from agents.selectors.agents import agent_key, toolset_of
from agents.selectors.conversation.channels import ChannelAccess
from agents.selectors.permissions.policies import Rules, rules_for
from agents.selectors.sessions import session_agent
from agents.selectors.warnings import FileWarning, library_warnings, settings_warnings
from agents.services.typed import replies, slash
from agents.services.typed.lines import Helped, Posted, SkillAsked, SlashAsked, call_skill
from maia_web.lib.db import in_db
from maia_web.lib.errors import MaiaError, NotFound

Answer = Callable[[int, str, Slash], Awaitable[Reply]]
NETWORK: dict[str, Answer] = {
    "model": model_commands.change_model,
    "models": model_commands.show_models,
}
"""The commands that ask the model's server: they take seconds, and do no harm if repeated."""
RENEWS = frozenset({"new", "clear", "load"})

_running: set[asyncio.Task[None]] = set()


async def find_skill(asked: SkillAsked) -> Posted | Helped:
    """Posts a call of a skill, once the skills of its person are read. Raises as `call_skill`."""
    library = await asyncio.to_thread(library_of, asked.access.workspace.place)
    called: Posted | Helped = await in_db(call_skill)(asked, library.skills)
    return called


async def carry_out(asked: SlashAsked) -> Reply:
    """Carries out a command that its person may use, and returns the answer.

    The answer goes to all tabs of the person. The same `client_ref` carries nothing out again,
    whichever process is asked: the same answer comes back.
    """
    access, line = asked.access, asked.line
    if line.name in NETWORK:
        return (await _ask(asked))[0]
    found = await _found(access, line)
    reply: Reply = await in_db(slash.answer)(access, line, asked.client_ref, found)
    if _renews(line) and reply.level == "info":
        with suppress(MaiaError):  # only the bar is not moved
            await measure(access.user, access.id, line.agent)
    return reply


async def begin(asked: SlashAsked) -> None:
    """The same for who does not wait for a model's server: the answer comes by itself."""
    if asked.line.name not in NETWORK:
        await carry_out(asked)
        return
    name = repr((asked.access.user, asked.access.id, asked.client_ref, asked.line.text))
    if not any(task.get_name() == name for task in _running):
        task = asyncio.create_task(_ask_and_size(asked), name=name)
        _running.add(task)
        task.add_done_callback(_running.discard)


async def _ask_and_size(asked: SlashAsked) -> None:
    """Answers what asks the server; after another model was chosen, asks for its size (M §13.2)."""
    access, line = asked.access, asked.line
    reply, is_new = await _ask(asked)
    if is_new and line.name == "model" and line.argument and reply.level == "info":
        await model_commands.ask_size(access.user, access.id, line)


async def _ask(asked: SlashAsked) -> tuple[Reply, bool]:
    """Answers what asks the model's server; returns whether it had to be asked, too."""
    access, line, client_ref = asked.access, asked.line, asked.client_ref
    reply: Reply | None = await in_db(replies.given)(access, client_ref)
    is_new = reply is None
    if reply is None:
        try:
            reply = await NETWORK[line.name](access.user, access.id, line)
        except MaiaError as error:
            reply = slash.refused(line, error)
        await in_db(replies.keep)(access, client_ref, reply)
    await in_db(replies.tell)(access.user, access.id, reply)
    return reply, is_new


async def _found(access: ChannelAccess, line: Slash) -> slash.Found:
    """Returns what the answer says of files; they are read before anything is changed."""
    place = access.workspace.place
    if line.name == "help":
        return slash.Found(skills=(await asyncio.to_thread(library_of, place)).skills)
    if line.name == "permissions":
        return slash.Found(rules=await asyncio.to_thread(rule_files, place))
    return slash.Found(report=await _report(access, line)) if _renews(line) else slash.NOTHING


async def _report(access: ChannelAccess, line: Slash) -> tuple[MarkdownBlock, ...]:
    try:
        agent = await in_db(session_agent)(access, line.agent)
        return await start_report(access, agent.name, line)
    except NotFound:  # the command says so
        return ()
    except MaiaError as error:
        return (MarkdownBlock(level="warn", text=error.message),)


async def start_report(access: ChannelAccess, agent: str, line: Slash) -> tuple[MarkdownBlock, ...]:
    """Returns what an agent is started with: instructions, tools, rules, and what is broken."""
    place = access.workspace.place
    library = await asyncio.to_thread(library_of, place)
    toolset = toolset_named(await in_db(toolset_of)(agent), agent)
    blocks = [] if line.name == "load" else [_instructions(library.instructions)]
    if library.tools and toolset.runs_custom:
        blocks.append(_tools(library))
    settings = await asyncio.to_thread(settings_files, place)
    key = await in_db(agent_key)(agent)
    rules = await in_db(rules_for)(place, key or 0, settings.rules, None)
    broken = (*settings_warnings(settings), *library_warnings(library))
    return (*blocks, _rules(rules), *slash.trust_warnings(rules), *map(_broken, broken))


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
    text = _("Neither `MAIA.md` nor `CLAUDE.md` nor `AGENTS.md` is in the workspace’s folder.")
    return MarkdownBlock(level="warn", text=text)


def _renews(line: Slash) -> bool:
    return line.name in RENEWS and (line.name != "load" or bool(line.argument))
