"""Model choice: another model for one agent in one channel (seed M §5.6)."""

from __future__ import annotations

from agents.models import ChannelAgent
from agents.selectors.conversation.channels import channel_for
from agents.selectors.models.servers import current_server


def choose_model(
    user_id: int, channel_id: str, agent: str, model: str, *, against: str = ""
) -> None:
    """Chooses a model; the site's own is no choice, so that it follows the administrators.

    `against`: as in `keep_model`. Raises `NotFound`, `NotAllowed`.
    """
    channel_for(user_id, channel_id, at_least="editor")
    keep_model(channel_id, agent, model, against=against)


def keep_model(channel_id: str, agent: str, model: str, *, against: str = "") -> None:
    """Keeps a model that a person, or a config.json, chose for an agent of a channel.

    `against`: what a config.json names, over which the site's own model is a choice too.
    """
    server = current_server() if not against else None
    kept = "" if server is not None and server.model == model else model
    ChannelAgent.objects.filter(channel=channel_id, agent__name=agent).update(model=kept[:200])
