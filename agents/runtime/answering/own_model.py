"""Own model: a person's settings.json in place of the site's model server, where allowed.

Agents cannot write the file, but what a person runs in a terminal can: a hostile program could
point it elsewhere and so carry conversations away. That is why an administrator switches this on
(`MAIA_OWN_MODEL_SERVERS`), and why such a server is only reached on the public internet or on hosts
the administrator named.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from agents.domain.library.own_server import FILE, OwnServerProblem
from agents.domain.model_servers.server import ModelServerInfo
from agents.library.own_server import own_server
from workspaces.domain.places import Place


@dataclass(frozen=True, slots=True)
class ChosenServer:
    """The server a turn uses, with its key.

    `guarded`: the internal hosts it may be on, None for the site's own. `warning` tells what was
    wrong with the person's file.
    """

    server: ModelServerInfo | None
    key: str = ""
    guarded: frozenset[str] | None = None
    warning: str = ""


async def chosen_server(
    place: Place, site: ModelServerInfo | None, key: str, model: str
) -> ChosenServer:
    """Returns the person's server if there is one and it is allowed, else the site's."""
    present = ChosenServer(site, key)
    if not settings.OWN_MODEL_SERVERS:
        return present
    try:
        own = await asyncio.to_thread(own_server, place)
    except OwnServerProblem as problem:
        language = get_language() or settings.LANGUAGE_CODE
        warning = _("%(file)s was not used: %(cause)s. The site's model server answers.") % {
            "file": FILE,
            "cause": problem.sentence(language),
        }
        return ChosenServer(site, key, warning=warning)
    if own is None:
        return present
    if not own.url:
        return ChosenServer(own.over(site), key)
    guarded = frozenset(settings.INTERNAL_HOSTS)
    return ChosenServer(own.over(site, model), own.key, guarded)
