"""Talk: alice's direct conversation with the agent, as tests of whole answers hold it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from agents.domain.content.messages import Message
from agents.models import Turn
from agents.protocol.frames import ChannelSnapshot
from agents.runtime.host import Host
from agents.services.permissions.answers import Given, answer_permission
from maia_web.lib.db import in_db
from tests.cast import Cast
from tests.support.listener import Listener, fresh_snapshot, listening
from tests.support.typed import post_message, reply_to


def essence(state: ChannelSnapshot) -> tuple[object, ...]:
    """Returns what of a state is kept: not what streams, nor what lists say."""
    return (state.seq, state.messages, state.busy, state.queued, state.permissions)


def last(state: ChannelSnapshot) -> Message:
    """Returns the agent's latest message."""
    return next(m for m in reversed(state.messages) if m.role == "agent")


class Talk:
    """Each line is heard by a listener, whose folded state is at last what the database says."""

    def __init__(self, cast: Cast, channel: str, host: Host) -> None:
        self.alice, self.channel, self.host = cast.alice.pk, channel, host

    async def hears(self, *lines: str) -> ChannelSnapshot:
        """Says the lines, each once the one before it is answered."""
        async with self._followed() as listener:
            for line in lines:
                await self._answered(listener, line)
        return listener.state

    async def is_asked(self, line: str) -> ChannelSnapshot:
        """Says a line, and returns when a request waits."""
        async with listening(self.alice, self.channel) as listener:
            await in_db(post_message)(self.alice, self.channel, line)
            return await listener.until(lambda s: bool(s.permissions))

    async def answers(self, option: str) -> ChannelSnapshot:
        """Answers what waits, and returns at the end of the agent's answer."""
        async with self._followed() as listener:
            await self._answer(listener.state, option)
            await listener.until_idle()
        return listener.state

    async def answers_after_a_crash(self) -> ChannelSnapshot:
        """Allows what waits while no host runs; another one takes the answer up."""
        async with self._followed() as listener:
            await self.host.stop()
            await self._answer(listener.state, "allow_once")
            await in_db(Turn.objects.update)(host="elsewhere:1:x", lease_until=None)
            other = Host()
            await other.start()
            try:
                await listener.until_idle()
            finally:
                await other.stop()
        return listener.state

    async def compacts(self, code: str = "compacted") -> ChannelSnapshot:
        """Asks for a summary, and returns when the conversation says how that ended."""
        async with self._followed() as listener:
            await reply_to(self.alice, self.channel, "/compact")
            await listener.until(lambda s: not s.busy and any(m.code == code for m in s.messages))
        return listener.state

    @asynccontextmanager
    async def _followed(self) -> AsyncIterator[Listener]:
        async with listening(self.alice, self.channel) as listener:
            yield listener
            fresh = await in_db(fresh_snapshot)(self.alice, self.channel)
            assert essence(listener.state) == essence(fresh)

    async def _answered(self, listener: Listener, line: str) -> None:
        answers = _count(listener.state) + 1
        await in_db(post_message)(self.alice, self.channel, line)
        await listener.until(lambda s: not s.busy and not s.queued and _count(s) == answers)

    async def _answer(self, state: ChannelSnapshot, option: str) -> None:
        request = next(one for one in state.permissions if one.state == "pending")
        await in_db(answer_permission)(self.alice, request.id, Given(option))


def _count(state: ChannelSnapshot) -> int:
    return sum(m.role == "agent" and m.done for m in state.messages)
