"""Trust: a person lets the `allow` rules of a workspace's settings file count for themselves."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from agents.library.rule_files import workspace_rules
from agents.models import TrustedFile
from agents.services import audit
from agents.services.permissions.release import release_allowed
from maia_web.lib.errors import Conflict
from workspaces.selectors import workspace_for


def trust_file(user_id: int, workspace_id: str, sha256: str) -> None:
    """Trusts exactly the content with this digest, which must be the present one.

    Raises `NotFound`, `NotAllowed` (viewers start no agents), `Conflict` ("changed") when the
    file is another by now.
    """
    access = workspace_for(user_id, workspace_id, at_least="editor")
    file = workspace_rules(access.place)
    if not file.sha256 or file.sha256 != sha256:
        raise Conflict(
            _("The file changed meanwhile. Look at its rules again."),
            code="changed",
            sha256=file.sha256,
        )
    with transaction.atomic():
        TrustedFile.objects.update_or_create(
            user_id=user_id, workspace_id=workspace_id, defaults={"sha256": sha256}
        )
        rules = [entry.text for entry in file.of("allow")]
        facts = {"sha256": sha256, "allow": rules}
        audit.record("trust", "trusted", user=user_id, workspace=workspace_id, input=facts)
    release_allowed(user_id, "person")


@transaction.atomic
def withdraw_trust(user_id: int, workspace_id: str) -> None:
    """Trusts the file no longer; nothing happens where it was not trusted. Not for viewers."""
    workspace_for(user_id, workspace_id, at_least="editor")
    gone, _rows = TrustedFile.objects.filter(user=user_id, workspace=workspace_id).delete()
    if gone:
        audit.record("trust", "withdrawn", user=user_id, workspace=workspace_id)
