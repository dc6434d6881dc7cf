"""Lost access: what a person had begun ends once they may no longer do it there.

A turn works in the sandbox of the person who started it: nobody's goes on after they left the
workspace, became a viewer or were disabled.
"""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from agents import dispatch
from agents.domain.messages import MessageError, failed
from agents.models import Turn
from agents.services.frames import lock_channel, publish_message, publish_turn
from agents.services.permission_requests import cancel_requests
from maia_web.lib.errors import NotAllowed, NotFound
from maia_web.lib.languages import said
from workspaces.selectors import workspace_for

CODE = "access-lost"


def stop_turns_of(user_id: int) -> None:
    """Stops what runs for this person where they may not start it any more, and what waits."""
    open_turns = Turn.objects.filter(starter=user_id, state__in=("queued", "running"))
    places = open_turns.order_by().values_list("channel_id", "channel__workspace_id").distinct()
    for channel_id, workspace_id in places:
        if not may_start(user_id, workspace_id):
            _stop(user_id, channel_id)


def may_start(user_id: int | None, workspace_id: str) -> bool:
    """Tells whether this person may have agents and commands work here."""
    try:
        workspace_for(user_id or 0, workspace_id, at_least="editor")
    except (NotFound, NotAllowed):
        return False
    return True


def lost_access() -> MessageError:
    """Returns why it ended, for everybody who sees the channel."""
    return failed(CODE, said(_sentence))


def _sentence() -> str:
    return _("Ended: the person who asked for this may no longer work here.")


@transaction.atomic
def _stop(user_id: int, channel_id: str) -> None:
    lock_channel(channel_id)
    turns = Turn.objects.filter(channel=channel_id, starter=user_id)
    for turn in turns.filter(state="running"):
        Turn.objects.filter(pk=turn.pk).update(cancel_asked=True)
        cancel_requests(turn)
        dispatch.hint_on_commit("cancel", turn.pk)
    for turn in turns.filter(state="queued").select_related("request"):
        _drop(turn)
    publish_turn(channel_id)


def _drop(turn: Turn) -> None:
    request = turn.request
    turn.delete()
    if request is None or not request.queued:
        return
    request.queued, request.error = False, lost_access().wire()
    request.save(update_fields=["queued", "error"])
    publish_message(request)
