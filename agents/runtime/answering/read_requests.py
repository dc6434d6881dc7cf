"""Requests: reads the files and the skill that a request names, as the person sees them (M §11)."""

from __future__ import annotations

from functools import partial
from typing import assert_never

from django.utils.translation import gettext as _

from agents.domain.content.turns import ClaimedTurn
from agents.domain.library.skills import Skill, skill_prompt
from agents.domain.typed.line import Request, Said, SkillCall
from agents.engine.ports.model import ProviderError
from agents.library.found import library_of
from agents.runtime.answering.assemble import Workbench
from agents.runtime.answering.attachments import Attaching
from agents.runtime.answering.policies import read_checked
from agents.services.turns import read_requests
from agents.services.turns.read_requests import ReadRequest
from maia_web.lib.db import in_db
from maia_web.lib.languages import translated
from maia_web.lib.names.isolate import isolated


async def read_request(turn: ClaimedTurn, bench: Workbench) -> ClaimedTurn:
    """Returns the turn with its request in the agent's memory; one that is there stays.

    Raises `ProviderError` ("no-skill") when the skill is gone since it was typed.
    """
    if not turn.unread:
        return turn
    request: Request = await in_db(read_requests.typed_request)(turn.lease)
    attaching = Attaching(turn.place, turn.agent, bench.language)
    files, attachments = await attaching.read(request.references)
    instead = await _expanded(request, bench)
    read = ReadRequest(files, attachments, instead)
    joined: ClaimedTurn = await in_db(read_requests.join_request)(turn.lease, read)
    return joined


async def _expanded(request: Request, bench: Workbench) -> str | None:
    """Returns the prompt that takes the place of what was typed; None where nothing does."""
    match request:
        case SkillCall():
            return await _prompt(request, bench) if request.name else None
        case Said():
            return None
        case _:
            assert_never(request)


async def _prompt(call: SkillCall, bench: Workbench) -> str:
    library = await read_checked(bench.place, bench.agent, partial(library_of, bench.place))
    skill = _named(library.skills, call.name)
    bench.counters.skills += 1
    return skill_prompt(skill, call.arguments, bench.language)


def _named(skills: tuple[Skill, ...], name: str) -> Skill:
    found = next((skill for skill in skills if skill.name == name), None)
    if found is None:
        gone = translated(lambda: _("There is no skill named %(name)s.") % {"name": isolated(name)})
        raise ProviderError("no-skill", gone)
    return found
