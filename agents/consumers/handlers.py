"""Handlers: hand each command to the service that carries it out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, assert_never

from agents.consumers.watches import Watches
from agents.protocol import commands
from agents.runtime.slash.entrance import begin, find_skill
from agents.selectors.conversation.snapshots import older_messages
from agents.services.channels import channels, messages
from agents.services.permissions import answers, proposals
from agents.services.turns import people
from agents.services.typed.lines import Helped, Posted, SkillAsked, SlashAsked, say
from maia_web.lib.db import in_db, with_files

Result = dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sends the command, what their socket follows, and the key of their session."""

    user: int
    watches: Watches
    session: str = ""


async def _send(caller: Caller, command: commands.Send) -> Result:
    outcome: Posted | Helped | SkillAsked | SlashAsked = await in_db(say)(
        caller.user, command.channel, command.text, command.client_ref, caller.session
    )
    if isinstance(outcome, SkillAsked):
        outcome = await find_skill(outcome)
    match outcome:
        case Posted(message=message):
            return {"message": message}
        case SlashAsked(line=line):
            await begin(outcome)
            return {"command": line.name}
        case Helped():
            return {}
        case _:
            assert_never(outcome)


async def _cancel(caller: Caller, command: commands.Cancel) -> Result:
    dropped = await in_db(people.cancel_channel)(
        caller.user, command.channel, keep_queued=command.keep_queued
    )
    return {"dropped": dropped}


async def _older(caller: Caller, command: commands.Older) -> Result:
    found, more = await in_db(older_messages)(caller.user, command.channel, command.before)
    return {"messages": [message.wire() for message in found], "more": more}


async def _read(caller: Caller, command: commands.Read) -> Result:
    await in_db(channels.mark_read)(caller.user, command.channel, command.position)
    return None


async def _create(caller: Caller, command: commands.Create) -> Result:
    channel = await in_db(channels.create_channel)(
        caller.user, command.workspace, command.name, command.description, command.members
    )
    return {"channel": channel}


async def _rename(caller: Caller, command: commands.Rename) -> Result:
    await in_db(channels.rename_channel)(
        caller.user, command.channel, command.name, command.description
    )
    return None


async def _delete(caller: Caller, command: commands.Delete) -> Result:
    await in_db(people.delete_channel)(caller.user, command.channel)
    return None


async def _clear(caller: Caller, command: commands.Clear) -> Result:
    await in_db(channels.clear_channel)(caller.user, command.channel)
    return None


async def _add_member(caller: Caller, command: commands.AddMember) -> Result:
    await in_db(channels.add_member)(caller.user, command.channel, command.agent)
    return None


async def _remove_member(caller: Caller, command: commands.RemoveMember) -> Result:
    await in_db(channels.remove_member)(caller.user, command.channel, command.agent)
    return None


async def _direct(caller: Caller, command: commands.Direct) -> Result:
    channel = await in_db(channels.open_direct)(caller.user, command.workspace, command.agent)
    return {"channel": channel}


async def _remove_queued(caller: Caller, command: commands.RemoveQueued) -> Result:
    text = await in_db(messages.remove_queued)(caller.user, command.channel, command.message)
    return {"text": text}


async def _resume(caller: Caller, command: commands.Resume) -> Result:
    await in_db(people.resume_turn)(caller.user, command.channel, command.message)
    return None


async def _answer(caller: Caller, command: commands.AnswerPermission) -> Result:
    given = answers.Given(
        command.option,
        command.rule,
        command.scope,
        command.instruction,
        command.input,
        command.digest,
        command.proposal,
    )
    await with_files(answers.answer_permission)(caller.user, command.id, given)
    return None


async def _propose(caller: Caller, command: commands.ProposeInput) -> Result:
    await with_files(proposals.propose)(caller.user, command.id, command.input, command.digest)
    return None


async def _decline(caller: Caller, command: commands.DeclineProposal) -> Result:
    await in_db(proposals.decline)(caller.user, command.id, command.proposal)
    return None


async def _watch(caller: Caller, command: commands.Watch) -> Result:
    await caller.watches.start(command.workspace)
    return None


async def _unwatch(caller: Caller, command: commands.Unwatch) -> Result:
    await caller.watches.stop(command.workspace)
    return None


HANDLERS: dict[type, Callable[[Caller, Any], Awaitable[Result]]] = {
    commands.Send: _send,
    commands.Cancel: _cancel,
    commands.Older: _older,
    commands.Read: _read,
    commands.Create: _create,
    commands.Rename: _rename,
    commands.Delete: _delete,
    commands.Clear: _clear,
    commands.AddMember: _add_member,
    commands.RemoveMember: _remove_member,
    commands.Direct: _direct,
    commands.RemoveQueued: _remove_queued,
    commands.Resume: _resume,
    commands.AnswerPermission: _answer,
    commands.ProposeInput: _propose,
    commands.DeclineProposal: _decline,
    commands.Watch: _watch,
    commands.Unwatch: _unwatch,
}
