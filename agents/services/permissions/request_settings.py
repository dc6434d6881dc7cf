"""Who answers the requests of a workspace, and when they expire."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from agents.delivery import publish
from agents.delivery.signals import LIST
from agents.protocol.topics import person_topic
from agents.services import audit
from maia_web.lib.errors import InvalidInput
from workspaces.models import Workspace
from workspaces.selectors import members_of, workspace_for

MOST_HOURS = 24 * 90


@transaction.atomic
def change_request_settings(
    user_id: int, workspace_id: str, *, editors_answer: bool, hours: int
) -> None:
    """Sets both; owners only. Requests that wait keep the time they were given."""
    workspace_for(user_id, workspace_id, at_least="owner")
    if not 1 <= hours <= MOST_HOURS:
        raise InvalidInput(
            _("A request waits for 1 to %(most)d hours.") % {"most": MOST_HOURS}, field="hours"
        )
    Workspace.objects.filter(pk=workspace_id).update(
        editors_answer=editors_answer, request_hours=hours
    )
    facts = {"editorsAnswer": editors_answer, "hours": hours}
    audit.record("setting", "requests", user=user_id, workspace=workspace_id, input=facts)
    for member, *_who in members_of(workspace_id):
        publish.signal_on_commit(person_topic(member), LIST)
