"""Own model: a person's settings.json in place of the site's model server, where allowed.

Agents cannot write the file, but what a person runs in a terminal can: a hostile program could
point it elsewhere and so carry conversations away. That is why an administrator switches this on
(`MAIA_OWN_MODEL_SERVERS`), and why such a server is only reached on the public internet or on hosts
the administrator named.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from agents.domain.library.own_server import FILE, OwnServerProblem
from agents.domain.model_servers.server import ModelServerInfo
from agents.library.own_server import FoundServer
from maia_web.lib.languages import translated


@dataclass(frozen=True, slots=True)
class ChosenServer:
    """The server a turn uses, with its key.

    `guarded`: the internal hosts it may be on, None for the site's own. `warning` tells what of
    the person's file is wrong or does not count, in each language.
    """

    server: ModelServerInfo | None
    key: str = ""
    guarded: frozenset[str] | None = None
    warning: str = ""


def chosen_server(
    own: FoundServer, site: ModelServerInfo | None, key: str, model: str
) -> ChosenServer:
    """Returns the person's server if there is one and it is allowed, else the site's."""
    if isinstance(own, OwnServerProblem):
        return ChosenServer(site, key, warning=_not_used(own))
    if own is None:
        return ChosenServer(site, key)
    problems = own.without_effect(site)
    warning = _in_part(problems) if problems else ""
    if not own.url:
        return ChosenServer(own.over(site), key, warning=warning)
    guarded = frozenset(settings.INTERNAL_HOSTS)
    return ChosenServer(own.over(site, model), own.key, guarded, warning)


def _not_used(problem: OwnServerProblem) -> str:
    return translated(
        lambda: (
            _("%(file)s was not used: %(cause)s. The site's model server answers.")
            % {"file": FILE, "cause": problem.sentence(_language())}
        )
    )


def _in_part(problems: tuple[OwnServerProblem, ...]) -> str:
    """Says what of a file does not count."""
    return translated(
        lambda: (
            _("%(file)s counts in part: %(cause)s.")
            % {"file": FILE, "cause": "; ".join(one.sentence(_language()) for one in problems)}
        )
    )


def _language() -> str:
    return get_language() or settings.LANGUAGE_CODE
