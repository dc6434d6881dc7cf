"""Completion from the database: agents after `@`, a person's own commands after `!`."""

from __future__ import annotations

from agents.domain.typed.completion import MOST, Completion
from agents.domain.typed.shell_input import quote_shell
from agents.models import Agent, ChannelAgent, Turn
from agents.selectors.conversation.channels import ChannelAccess

REMEMBERED = 500


def agents_to_complete(access: ChannelAccess, typed: str) -> tuple[Completion, ...]:
    """Returns the agents whose names begin so, members first; all of them."""
    members = set(ChannelAgent.objects.filter(channel=access.id).values_list("agent", flat=True))
    rows = Agent.objects.filter(enabled=True, name__istartswith=typed)
    ordered = sorted(rows, key=lambda row: (row.pk not in members, row.position, row.name))
    return tuple(
        Completion(kind="agent", label=row.name, insert=f"@{row.name} ", words=row.title)
        for row in ordered
    )


def commands_to_complete(access: ChannelAccess, typed: str) -> tuple[Completion, ...]:
    """The person's own commands in this workspace, the latest first."""
    rows = Turn.objects.filter(
        kind="command", starter=access.user, channel__workspace=access.workspace.id
    ).order_by("-id")
    commands = dict.fromkeys(rows.values_list("argument", flat=True)[:REMEMBERED])
    fitting = [command for command in commands if command.startswith(typed.lstrip())]
    return tuple(
        Completion(kind="shell", label=command, insert=quote_shell(command))
        for command in fitting[:MOST]
        if command != typed.strip()
    )
