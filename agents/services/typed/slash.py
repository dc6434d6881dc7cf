"""Slash commands that need nothing but the database: what each does and answers (seed M §5.6)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import groupby

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agents.domain.library.skills import Skill
from agents.domain.memory.history import history_text
from agents.domain.memory.token_numbers import format_tokens
from agents.domain.rules.files import RuleFiles
from agents.domain.rules.verdict import RuleEntry
from agents.domain.typed.replies import (
    Choice,
    ChoicesBlock,
    DetailsBlock,
    MarkdownBlock,
    Reply,
    ReplyBlock,
    RuleLine,
    RulesBlock,
    text_reply,
)
from agents.domain.typed.slash import BY_NAME, Slash, names_in
from agents.selectors.conversation.channels import ChannelAccess, channel_for
from agents.selectors.memory import messages_of
from agents.selectors.permissions.known_rules import SCOPE as EARLIER
from agents.selectors.permissions.policies import Rules, rules_for
from agents.selectors.sessions import SessionInfo, session_agent, sessions_of
from agents.services.channels.frames import hold_channel
from agents.services.memory import named_sessions
from agents.services.memory.named_sessions import Switched
from agents.services.turns.compact_queue import queue_compaction
from agents.services.typed import replies
from agents.services.typed.slash_texts import slash_commands
from maia_web.lib.errors import MaiaError
from maia_web.lib.names.isolate import isolated, isolated_list


@dataclass(frozen=True, slots=True)
class Found:
    """What was read of files for an answer: for /help, /permissions and a fresh start."""

    skills: tuple[Skill, ...] = ()
    rules: RuleFiles = field(default_factory=RuleFiles)
    report: tuple[MarkdownBlock, ...] = ()


NOTHING = Found()
Answer = Callable[[ChannelAccess, Slash, Found], Reply]


def may_use(user_id: int, channel_id: str, line: Slash) -> ChannelAccess:
    """Returns the channel if this person may use the command there."""
    viewers = BY_NAME[line.name].viewers
    return channel_for(user_id, channel_id, at_least="viewer" if viewers else "editor")


def answer(
    access: ChannelAccess, line: Slash, client_ref: str = "", found: Found = NOTHING
) -> Reply:
    """Carries out a command that the database alone answers, and tells all tabs of the person.

    With its `client_ref` it is carried out once, whichever process is asked again: what it changes
    and its answer are committed together. A refusal is an answer too. Raises `NotFound` and
    `NotAllowed` for whoever lost their rights since `access` was read.
    """
    if BY_NAME[line.name].viewers:  # it changes nothing
        return _once(access, line, client_ref, found)
    with transaction.atomic():
        hold_channel(access.user, access.id)
        return _once(may_use(access.user, access.id, line), line, client_ref, found)


def _once(access: ChannelAccess, line: Slash, client_ref: str, found: Found) -> Reply:
    reply = replies.given(access, client_ref)
    if reply is None:
        reply = _answer(access, line, found)
        replies.keep(access, client_ref, reply)
    replies.tell(access.user, access.id, reply)
    return reply


def _answer(access: ChannelAccess, line: Slash, found: Found) -> Reply:
    try:
        return DATABASE[line.name](access, line, found)
    except MaiaError as error:
        return refused(line, error)


def refused(line: Slash, error: MaiaError) -> Reply:
    """Answers a command that cannot be carried out, with the reason."""
    return text_reply(line.text, line.name, error.message, "warn")


def _help(access: ChannelAccess, line: Slash, found: Found) -> Reply:
    blocks = []
    for title, group in groupby(slash_commands(), key=lambda info: info.group):
        rows = [
            f"- `/{info.name}{' ' + info.argument if info.argument else ''}` {info.words}"
            for info in group
        ]
        blocks.append(MarkdownBlock(text=f"**{title}**\n\n" + "\n".join(rows)))
    more = _(
        "`!command` runs in your sandbox · `@file` adds a file · `§skill` runs a skill · "
        "`@agent` asks an agent"
    )
    return _reply(line, *blocks, *_skills(found.skills), MarkdownBlock(text=more))


def _skills(skills: tuple[Skill, ...]) -> list[MarkdownBlock]:
    rows = [f"- `§{skill.name}` {skill.description}" for skill in skills]
    return [MarkdownBlock(text=f"**{_('Skills')}**\n\n" + "\n".join(rows))] if rows else []


def _permissions(access: ChannelAccess, line: Slash, found: Found) -> Reply:
    agent = session_agent(access, line.agent)
    rules = rules_for(access.workspace.place, agent.pk, found.rules, None)
    return _reply(line, *_rule_blocks(rules.entries), *rule_warnings(rules))


def _rule_blocks(entries: tuple[RuleEntry, ...]) -> list[ReplyBlock]:
    if not entries:
        return [MarkdownBlock(level="warn", text=no_rules_text())]
    places = dict.fromkeys(place_title(entry) for entry in entries)
    return [
        RulesBlock(
            title=place,
            rules=tuple(
                RuleLine(family=entry.family, rule=entry.text)
                for entry in entries
                if place_title(entry) == place
            ),
        )
        for place in places
    ]


def rule_warnings(rules: Rules) -> list[MarkdownBlock]:
    """Returns what is wrong in the files with rules, and whether some wait for trust."""
    blocks = [
        MarkdownBlock(level="warn", text=f"`{path}`: {problem.sentence(_)}")
        for path, problem in rules.problems
    ]
    return [*blocks, *trust_warnings(rules)]


def trust_warnings(rules: Rules) -> list[MarkdownBlock]:
    """Returns that rules of the workspace's file wait for trust, if some do."""
    if not rules.untrusted:
        return []
    text = ngettext(
        "%(n)d allow rule of this workspace's file does not count until somebody trusts it.",
        "%(n)d allow rules of this workspace's file do not count until somebody trusts them.",
        len(rules.untrusted),
    )
    return [MarkdownBlock(level="warn", text=text % {"n": len(rules.untrusted)})]


def no_rules_text() -> str:
    """Returns what is said where no rule is in force (M §9.4)."""
    return _("No permission rule is set: each use of a tool asks for a confirmation.")


def place_title(entry: RuleEntry) -> str:
    """Returns where a rule stands, in words: its scope, or the file."""
    if entry.scope == EARLIER:
        return _("%(file)s as it was") % {"file": entry.origin}
    if entry.origin and not entry.origin.isdecimal():
        return entry.origin
    return {
        "site": _("Site"),
        "workspace": _("Workspace"),
        "person": _("Person"),
        "agent": _("Agent"),
        "built-in": _("built in"),
    }.get(entry.scope, entry.scope)


def _new(access: ChannelAccess, line: Slash, found: Found) -> Reply:
    made = named_sessions.new_session(access.user, access.id, line.agent)
    text = _("New session “%(name)s”.") % {"name": isolated(made.session.name)}
    return _and(text_reply(line.text, line.name, f"{text}{_left(made)}"), found)


def _clear(access: ChannelAccess, line: Slash, found: Found) -> Reply:
    made = named_sessions.clear_session(access.user, access.id, line.agent)
    text = _("%(agent)s has forgotten the messages; the session is still called “%(name)s”.")
    names = {"agent": made.agent.name, "name": isolated(made.session.name)}
    return _and(text_reply(line.text, line.name, text % names), found)


def _rename(access: ChannelAccess, line: Slash, found: Found) -> Reply:
    name = named_sessions.rename_session(access.user, access.id, line.argument, agent=line.agent)
    return text_reply(
        line.text, line.name, _("The session is called “%(name)s” now.") % {"name": isolated(name)}
    )


def _load(access: ChannelAccess, line: Slash, found: Found) -> Reply:
    if not line.argument:
        return _choose(access, line)
    made = named_sessions.load_session(access.user, access.id, line.argument, line.agent)
    return _and(loaded(line.text, made), found)


def loaded(line: str, made: Switched) -> Reply:
    """Answers a load: what was left, the start context and the history, folded."""
    session = made.session
    messages = messages_of(session)
    text = _("Session “%(name)s” loaded; the model stays the same.") % {
        "name": isolated(session.name)
    }
    blocks: list[ReplyBlock] = [MarkdownBlock(text=f"{text}{_left(made)}")]
    if session.start_context:
        blocks.append(DetailsBlock(title=_("Summary it starts from"), text=session.start_context))
    if messages:
        title = ngettext("History: %(n)d message", "History: %(n)d messages", len(messages))
        history = history_text(messages, person=_("Request"), agent=made.agent.name)
        blocks.append(DetailsBlock(title=title % {"n": len(messages)}, text=history))
    return Reply(command="load", line=line, blocks=tuple(blocks))


def _delete(access: ChannelAccess, line: Slash, found: Found) -> Reply:
    names = names_in(line.argument)
    if not names:
        return _choose(access, line)
    gone = named_sessions.delete_named(access.user, access.id, names, line.agent)
    text = ngettext("Deleted: %(names)s.", "Deleted %(n)d sessions: %(names)s.", len(gone))
    return text_reply(line.text, line.name, text % {"n": len(gone), "names": isolated_list(gone)})


def _compact(access: ChannelAccess, line: Slash, found: Found) -> Reply:
    agent = session_agent(access, line.agent)
    waits = queue_compaction(access.id, agent, access.user)
    text = _("The conversation is compacted once the answer has ended.") if waits else ""
    return text_reply(line.text, line.name, text)


def _exit(access: ChannelAccess, line: Slash, found: Found) -> Reply:
    return text_reply(line.text, line.name, "")


DATABASE: dict[str, Answer] = {
    "help": _help,
    "permissions": _permissions,
    "new": _new,
    "clear": _clear,
    "rename": _rename,
    "load": _load,
    "delete": _delete,
    "compact": _compact,
    "exit": _exit,
}
"""The commands that the database alone answers."""


def _choose(access: ChannelAccess, line: Slash) -> Reply:
    agent = session_agent(access, line.agent)
    many = line.name == "delete"
    found = sessions_of(access, agent.name)
    if not any(not info.current for info in found):
        return text_reply(
            line.text, line.name, _("No other session of this conversation is saved.")
        )
    title = _("Which sessions shall be deleted?") if many else _("Which session shall be loaded?")
    block = ChoicesBlock(
        command=line.name,
        title=title,
        action=_("Delete") if many else "",
        many=many,
        choices=tuple(_choice(info) for info in found),
    )
    return _reply(line, block)


def _choice(info: SessionInfo) -> Choice:
    count = ngettext("%(n)d message", "%(n)d messages", info.messages) % {"n": info.messages}
    words = [count, _("%(n)s tokens") % {"n": format_tokens(info.used)}]
    if info.sub_agent:
        words.insert(0, _("sub-agent %(name)s") % {"name": info.sub_agent})
    return Choice(
        value=info.name, words=" · ".join(words), current=info.current, disabled=info.current
    )


def _left(made: Switched) -> str:
    if not made.left:
        return ""
    return " " + _("“%(name)s” is saved; /load brings it back.") % {"name": isolated(made.left)}


def _reply(line: Slash, *blocks: ReplyBlock) -> Reply:
    return Reply(command=line.name, line=line.text, blocks=blocks)


def _and(reply: Reply, found: Found) -> Reply:
    return reply.model_copy(update={"blocks": (*reply.blocks, *found.report)})
