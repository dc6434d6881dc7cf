"""Identity: the name and the mail address that git writes into commits made in a sandbox."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

NO_REPLY = "users.noreply.maia.invalid"
"""Leads nowhere (RFC 2606); it tells who of the site it was all the same."""
AGENTS = "agents.noreply.maia.invalid"
"""The same for agents: none has the address of a person of its name."""
# What git takes off the ends of a name; of such alone it makes no name (ident.c).
_CRUD = "".join(map(chr, range(33))) + ".,:;<>\"\\'"
_NO_NAME = re.compile(r"[<>\x00-\x1f\x7f]+")


@dataclass(frozen=True, slots=True)
class Identity:
    """Who makes a commit."""

    name: str
    mail: str


Committer = Callable[[], Awaitable[Identity | None]]
"""Says as of now who commits what another is the author of; None: the author."""


def agent_identity(name: str) -> Identity:
    """Returns the identity of an agent."""
    return replace(found := identity_of(name), mail=found.mail.replace(NO_REPLY, AGENTS))


def identity_of(username: str, display_name: str = "", mail: str = "") -> Identity:
    """Returns the identity of an account; who named no mail address has one that leads nowhere."""
    names = (_NO_NAME.sub(" ", one).strip(_CRUD) for one in (display_name, username))
    local = re.sub(r"[^\w.+-]+", "-", username).strip(".-") or "somebody"
    return Identity(next(filter(None, names), local), mail or f"{local}@{NO_REPLY}")
