"""Recipients: who answers a message, in what order (seed S, "Qui répond à un message")."""

from __future__ import annotations

from dataclasses import dataclass

from agents.domain.typed.line import Request


@dataclass(frozen=True, slots=True)
class Recipients:
    """The agents that answer, in order; those of them who join the channel first."""

    answering: tuple[str, ...] = ()
    joining: tuple[str, ...] = ()


def choose_recipients(
    request: Request, *, direct: str | None, members: tuple[str, ...], last_answered: str | None
) -> Recipients:
    """Returns who answers `request`; nobody when several members could and none has yet."""
    if direct:
        return Recipients((direct,))
    if request.mentions:
        chosen: tuple[str, ...] = request.mentions
    elif last_answered in members and last_answered is not None:
        chosen = (last_answered,)
    else:
        chosen = members if len(members) == 1 else ()
    return Recipients(chosen, tuple(name for name in chosen if name not in members))
