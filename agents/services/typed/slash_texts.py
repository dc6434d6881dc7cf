"""The words of the slash commands: groups, arguments, what each does (seed M §5.6)."""

from __future__ import annotations

from django.utils.translation import gettext as _

from agents.domain.typed.slash import COMMANDS, Group, SlashSpec
from maia_web.lib.values import Value


class SlashInfo(Value):
    """A command as lists and completion show it."""

    name: str
    group: str
    argument: str = ""
    words: str


def slash_commands() -> tuple[SlashInfo, ...]:
    """Returns the server's commands in the order of /help, in the person's language."""
    return tuple(
        SlashInfo(
            name=spec.name,
            group=group_title(spec.group),
            argument=argument_text(spec),
            words=command_text(spec.name),
        )
        for spec in COMMANDS
    )


def group_title(group: Group) -> str:
    """Returns the title of a group of commands."""
    return {
        "session": _("Sessions"),
        "context": _("Context"),
        "model": _("Model"),
        "conversation": _("Conversation"),
    }[group]


def argument_text(spec: SlashSpec) -> str:
    """Returns how the argument is written, "" where there is none."""
    return {
        "": "",
        "name": _("<name>"),
        "name?": _("[name]"),
        "model?": _("[model]"),
    }[spec.argument]


def command_text(name: str) -> str:
    """Returns what a command does, in one line."""
    return {
        "new": _("New session (new context); the one before is saved"),
        "load": _("Load a session (a list to choose from without a name)"),
        "rename": _("Rename the current session"),
        "delete": _("Delete one or several saved sessions"),
        "clear": _(
            "Forget the messages and load MAIA.md, skills, tools and rules anew; the session keeps "
            "its name"
        ),
        "compact": _("Compact: a summary takes the place of the messages"),
        "model": _("Change the model; the conversation is kept"),
        "models": _("List the models of the server"),
        "permissions": _("The rules in force, by scope"),
        "help": _("Help (commands, skills)"),
        "exit": _("Leave the conversation"),
    }[name]
