"""Lines: the one entrance for what people type, by socket, REST or any other door."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from django.utils.translation import gettext as _

from agents.domain.library.skills import Skill
from agents.domain.typed.line import Said, Shell, SkillCall, Slash
from agents.domain.typed.replies import Reply, text_reply
from agents.selectors.conversation.channels import ChannelAccess, channel_for
from agents.services.channels.messages import read, valid_text
from agents.services.turns.posts import post_message
from agents.services.typed import replies, slash
from agents.services.typed.user_commands import post_command
from maia_web.lib.errors import InvalidInput
from maia_web.lib.names.isolate import isolated, isolated_list

SHOWN_NAMES = 30


@dataclass(frozen=True, slots=True)
class Posted:
    """A message was added: its id."""

    message: str


@dataclass(frozen=True, slots=True)
class Helped:
    """A sign stood alone: the person is told what may follow it, nothing was posted."""

    reply: Reply


@dataclass(frozen=True, slots=True)
class SkillAsked:
    """A skill was called: its person's skills have to be read, for `call_skill`."""

    access: ChannelAccess
    call: SkillCall
    client_ref: str = ""


@dataclass(frozen=True, slots=True)
class SlashAsked:
    """A slash command that its person may use, for the runtime to carry out."""

    access: ChannelAccess
    line: Slash
    client_ref: str = ""


def say(
    user_id: int, channel_id: str, text: str, client_ref: str = "", session: str = ""
) -> Posted | Helped | SkillAsked | SlashAsked:
    """Takes what a person typed in a channel: reads it, and does all that needs no waiting.

    What needs files or the network is given back as a value: `agents.runtime.slash.entrance` goes
    on with it, for every door alike. The same `client_ref` of the same person never does anything
    twice. `session` is the key of the session it was typed in: a command ends with it. Raises
    `InvalidInput` for an empty or too long text and a quote that never closes, `NotFound` for who
    may not see the channel, `NotAllowed` for who may only see it.
    """
    line = read(valid_text(text))
    match line:
        case Slash():
            return SlashAsked(slash.may_use(user_id, channel_id, line), line, client_ref)
        case Shell():
            return _run(user_id, channel_id, line, client_ref, session)
        case SkillCall():
            return SkillAsked(channel_for(user_id, channel_id), line, client_ref)
        case Said():
            return Posted(_posted(user_id, channel_id, line, client_ref))
        case _:
            assert_never(line)


def call_skill(asked: SkillAsked, skills: tuple[Skill, ...]) -> Posted | Helped:
    """Posts a line that calls one of `skills`, those its person has; without a name, lists them.

    Raises `InvalidInput` for another, and what `post_message` raises.
    """
    access, call = asked.access, asked.call
    if not call.name:
        return _helped(access.user, access.id, text_reply("§", "§", _list(skills)))
    if all(skill.name != call.name for skill in skills):
        raise InvalidInput(_unknown(call.name, skills), field="text", skill=call.name)
    return Posted(_posted(access.user, access.id, call, asked.client_ref))


def _run(
    user_id: int, channel_id: str, line: Shell, client_ref: str, session: str
) -> Posted | Helped:
    if line.command is None:
        raise InvalidInput(
            _(
                "The quote after `!` is never closed: nothing was run. "
                "Write `!'ls -la'` or `!ls -la`."
            ),
            code="unclosed-quote",
            field="text",
        )
    if not line.command:
        channel_for(user_id, channel_id)
        return _helped(user_id, channel_id, text_reply("!", "!", _shell_help()))
    posted: str = post_command(user_id, channel_id, line.text, line.command, client_ref, session)
    return Posted(posted)


def _posted(user_id: int, channel_id: str, request: Said | SkillCall, client_ref: str) -> str:
    message: str = post_message(user_id, channel_id, request, client_ref)
    return message


def _helped(user_id: int, channel_id: str, reply: Reply) -> Helped:
    replies.tell(user_id, channel_id, reply)
    return Helped(reply)


def _shell_help() -> str:
    return _(
        "`!command` runs a command in your sandbox, in the workspace’s folder: `!ls -la`, or "
        "`!'ls -la'`; in quotes, `\\'` is a quote. Everybody in this conversation sees the "
        "output, and the agents get it with the next message. It ends after 120 seconds; "
        "programs that ask questions do not work here: the terminal is for them."
    )


def _list(skills: tuple[Skill, ...]) -> str:
    if not skills:
        return _(
            "There are no skills yet. A skill is a file `.maia/skills/<name>/SKILL.md` in the "
            "workspace or in your home folder, with a header that describes it."
        )
    lines = [f"- `§{skill.name}` · {skill.description}" for skill in skills]
    return "\n".join([_("`§name arguments` runs a skill:"), "", *lines])


def _unknown(name: str, skills: tuple[Skill, ...]) -> str:
    names = isolated_list(f"§{skill.name}" for skill in skills[:SHOWN_NAMES])
    if not names:
        return _("There is no skill named %(name)s, nor any other.") % {"name": isolated(name)}
    return _("There is no skill named %(name)s. Available: %(names)s.") % {
        "name": isolated(name),
        "names": names,
    }
