"""Context sizes, as a server or the model itself told them (seed M §13.2)."""

from __future__ import annotations

from datetime import timedelta
from typing import Literal

from django.utils import timezone

from agents.domain.model_servers.server import ModelServerInfo
from agents.models import AgentSession, ContextSize, KnownModel
from agents.services.memory.named_sessions import publish_usage

Source = Literal["listed", "asked"]
ASK_AGAIN_AFTER = timedelta(days=1)


def keep_size(server: ModelServerInfo, size: int | None, source: Source) -> None:
    """Notes what was learned; None: nobody could tell. What a list says stays before an answer."""
    rows = ContextSize.objects.filter(url=server.url, model=server.model)
    if source == "asked" and rows.filter(source="listed", size__isnull=False).exists():
        return
    ContextSize.objects.update_or_create(
        url=server.url, model=server.model, defaults={"size": size, "source": source}
    )


def forget_size(server: ModelServerInfo) -> None:
    """Lets the size be looked for again: somebody has just chosen the model."""
    ContextSize.objects.filter(url=server.url, model=server.model).delete()


def may_look(server: ModelServerInfo) -> bool:
    """Tells whether no administrator and no list told the size, nor was it looked for today."""
    known = KnownModel.objects.filter(url=server.url, model=server.model)
    if server.context_size or known.filter(context_size__isnull=False).exists():
        return False
    row = ContextSize.objects.filter(url=server.url, model=server.model).first()
    if row is None:
        return True
    found = row.size is not None and row.source == "listed"
    return not found and row.at < timezone.now() - ASK_AGAIN_AFTER


def publish_context(channel_id: str, agent: str) -> None:
    """Tells the channel how full the agent's context is, of how much."""
    session = (
        AgentSession.objects.filter(channel=channel_id, agent__name=agent, current=True)
        .select_related("agent")
        .first()
    )
    if session is not None:
        publish_usage(session)
