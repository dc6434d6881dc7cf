"""Typed lines: `!command` and `§skill` are told apart from what is said, before it is posted."""

from __future__ import annotations

from django.utils.translation import gettext as _

from agents.delivery import publish
from agents.domain.library.skills import Skill, parse_skill_line
from agents.domain.typed.composer import without_mentions
from agents.domain.typed.replies import Reply, said
from agents.domain.typed.shell_input import UnclosedQuote, parse_shell
from agents.library.found import library_of
from agents.protocol.frames import SystemReply
from agents.protocol.topics import person_topic
from agents.selectors.conversation.channels import channel_for
from agents.services.channels.messages import agent_names, post_message
from agents.services.typed.user_commands import post_command
from maia_web.lib.errors import InvalidInput

SHOWN_NAMES = 30


def post_typed(
    user_id: int, channel_id: str, text: str, client_ref: str = "", session: str = ""
) -> str | Reply:
    """Posts what a person typed and returns the message's id.

    `session` is the key of the session it was typed in: a command ends with it.
    `!` and `§` alone post nothing: help, or the list of skills, is returned for the person alone.
    Raises `InvalidInput` for a quote that never closes and an unknown skill, and what
    `post_message` raises.
    """
    command = _command(text)
    if command:
        posted: str = post_command(user_id, channel_id, text, command, client_ref, session)
        return posted
    if command is not None:
        channel_for(user_id, channel_id)
        return said("!", "!", _shell_help())
    line = parse_skill_line(without_mentions(text, agent_names())) if "§" in text else None
    if line is not None:
        access = channel_for(user_id, channel_id)
        skills = library_of(access.workspace.place).skills
        if not line.name:
            return said("§", "§", _list(skills))
        if all(skill.name != line.name for skill in skills):
            raise InvalidInput(_unknown(line.name, skills), field="text", skill=line.name)
    message: str = post_message(user_id, channel_id, text, client_ref)
    return message


def take_typed(
    user_id: int, channel_id: str, text: str, client_ref: str, session: str = ""
) -> str | None:
    """The same for a socket: a reply goes to all tabs of the person, and None is returned."""
    posted = post_typed(user_id, channel_id, text, client_ref, session)
    if isinstance(posted, str):
        return posted
    publish.on_commit(person_topic(user_id), SystemReply(channel=channel_id, reply=posted))
    return None


def _command(text: str) -> str | None:
    """Returns the command of a line that begins with `!`, "" for `!` alone, None for others."""
    try:
        shell = parse_shell(text)
    except UnclosedQuote:
        raise InvalidInput(
            _(
                "The quote after `!` is never closed: nothing was run. "
                "Write `!'ls -la'` or `!ls -la`."
            ),
            code="unclosed-quote",
            field="text",
        ) from None
    return shell.command if shell else None


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
    names = ", ".join(f"§{skill.name}" for skill in skills[:SHOWN_NAMES])
    if not names:
        return _("There is no skill named %(name)s, nor any other.") % {"name": name}
    return _("There is no skill named %(name)s. Available: %(names)s.") % {
        "name": name,
        "names": names,
    }
