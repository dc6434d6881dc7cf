"""Lost access: what a person had begun ends once they may no longer do it there.

A turn works in the sandbox of the person who started it: nobody's goes on after they left the
workspace, became a viewer or were disabled. A command typed with `!` ends with its session too, as
a terminal does; an answer goes on, so that one can sign out and come back for it.
"""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from agents.delivery import dispatch, publish
from agents.domain.content.messages import MessageError, failed
from agents.models import Turn
from agents.services.channels.frames import lock_channel, publish_message, publish_turn
from agents.services.permissions.requests import cancel_requests
from maia_web.accounts.selectors import present
from maia_web.lib.errors import NotAllowed, NotFound
from maia_web.lib.languages import translated
from workspaces.selectors import workspace_for

CODE = "access-lost"
SESSION_ENDED = "session-ended"


def rights_changed(user_id: int) -> None:
    """Cuts off what this person lost: sockets and terminals in every process, turns anywhere."""
    publish.rights_changed(user_id)
    stop_turns_of(user_id)


def stop_turns_of(user_id: int) -> None:
    """Stops what runs for this person where they may not start it any more, and what waits."""
    for channel_id in {
        turn.channel_id for turn in _open().filter(starter=user_id) if why_lost(turn)
    }:
        _stop(user_id, channel_id)


def stop_lost_turns() -> None:
    """The same for everybody: for a server that died between a change of rights and its effect."""
    for user_id in set(_open().values_list("starter", flat=True)):
        stop_turns_of(user_id or 0)


def why_lost(turn: Turn) -> MessageError | None:
    """Returns why a turn may not go on, for everybody who sees the channel; None if it may."""
    if not _may_start(turn):
        return failed(CODE, translated(_access_words))
    if session_ended(turn):
        return failed(SESSION_ENDED, translated(session_words))
    return None


def session_ended(turn: Turn) -> bool:
    """Tells whether the session is over that a turn ends with."""
    return bool(turn.session) and present(turn.starter_id or 0, turn.session) is None


def session_words() -> str:
    """Returns what is said of a command whose session is over."""
    return _("Ended: the session it was typed in has ended.")


def _access_words() -> str:
    return _("Ended: the person who asked for this may no longer work here.")


def _may_start(turn: Turn) -> bool:
    try:
        workspace_for(turn.starter_id or 0, turn.channel.workspace_id, at_least="editor")
    except (NotFound, NotAllowed):
        return False
    return True


def _open() -> QuerySet[Turn]:
    waits = Q(state="queued") | Q(state="running", cancel_asked=False)
    return Turn.objects.filter(waits).select_related("channel").order_by("id")


@transaction.atomic
def _stop(user_id: int, channel_id: str) -> None:
    lock_channel(channel_id)
    for turn in _open().filter(channel=channel_id, starter=user_id).select_related("request"):
        why = why_lost(turn)
        if why is None:
            continue
        if turn.state == "queued":
            _drop(turn, why)
        else:
            Turn.objects.filter(pk=turn.pk).update(cancel_asked=True)
            cancel_requests(turn)
            dispatch.hint_on_commit("cancel", turn.pk)
    publish_turn(channel_id)


def _drop(turn: Turn, why: MessageError) -> None:
    request = turn.request
    turn.delete()
    if request is None or not request.queued:
        return
    request.queued, request.error = False, why.wire()
    request.save(update_fields=["queued", "error"])
    publish_message(request)
