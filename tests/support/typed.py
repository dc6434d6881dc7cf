"""What people type, by the entrance that every door uses."""

from __future__ import annotations

from asgiref.sync import async_to_sync

from agents.domain.typed.replies import Reply
from agents.runtime.slash.entrance import begin, carry_out, find_skill
from agents.services.turns import posts
from agents.services.typed.lines import Posted, SkillAsked, SlashAsked, say
from maia_web.lib.db import in_db


def post_message(user_id: int, channel_id: str, text: str, client_ref: str = "") -> str:
    """Types a request of agents, of a skill that may not be there too; returns the message's id."""
    outcome = say(user_id, channel_id, text, client_ref)
    if isinstance(outcome, SkillAsked):  # whether there is such a skill is asked by its host again
        return posts.post_message(user_id, channel_id, outcome.call, client_ref)
    assert isinstance(outcome, Posted)
    return outcome.message


def post_typed(
    user_id: int, channel_id: str, text: str, client_ref: str = "", session: str = ""
) -> str | Reply:
    """Types a line that is no slash command; returns the message's id, or what is told."""
    outcome = say(user_id, channel_id, text, client_ref, session)
    if isinstance(outcome, SkillAsked):
        outcome = async_to_sync(find_skill)(outcome)
    assert not isinstance(outcome, SlashAsked)
    return outcome.message if isinstance(outcome, Posted) else outcome.reply


async def reply_to(user_id: int, channel_id: str, text: str, client_ref: str = "") -> Reply | None:
    """Types a line and returns the reply, as REST does; None for what is no slash command."""
    outcome = await in_db(say)(user_id, channel_id, text, client_ref)
    return await carry_out(outcome) if isinstance(outcome, SlashAsked) else None


async def take_slash(
    user_id: int, channel_id: str, text: str, client_ref: str
) -> dict[str, str] | None:
    """Types a line and returns what a socket acknowledges; None for what is no slash command."""
    asked = await in_db(say)(user_id, channel_id, text, client_ref)
    if not isinstance(asked, SlashAsked):
        return None
    await begin(asked)
    return {"command": asked.line.name}
