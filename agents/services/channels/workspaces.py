"""Workspaces as conversations see them: deleted together with all of their conversations."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from agents.delivery import publish
from agents.models import Channel, Turn
from agents.protocol.frames import ChannelGone
from agents.protocol.topics import channel_topic
from maia_web.lib.errors import Conflict
from workspaces import services
from workspaces.models import Workspace
from workspaces.selectors import workspace_for


@transaction.atomic
def delete_workspace(user_id: int, workspace_id: str, typed: str) -> None:
    """Deletes a workspace with its channels and rules; only owners may, `typed` is its name.

    Raises what `workspaces.services.delete_workspace` raises, and `Conflict` while an agent
    answers in one of its conversations, direct ones included.
    """
    workspace_for(user_id, workspace_id, at_least="owner")
    Workspace.objects.select_for_update().get(id=workspace_id)  # no channel is made meanwhile
    channels = Channel.objects.select_for_update().filter(workspace=workspace_id).order_by("id")
    ids = list(channels.values_list("id", flat=True))
    if Turn.objects.filter(channel__in=ids, state__in=("queued", "running")).exists():
        raise Conflict(_("An agent is answering in this workspace. Stop it first."), code="busy")
    for channel in ids:
        publish.on_commit(channel_topic(channel), ChannelGone(channel=channel))
    services.delete_workspace(user_id, workspace_id, typed)
