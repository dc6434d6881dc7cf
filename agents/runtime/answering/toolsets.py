"""Toolsets: what an agent has by the one word in its definition (seeds M §8 and T)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace

from django.conf import settings
from django.utils.translation import gettext as _

from agents.domain.library.found import Library
from agents.domain.library.skills import by_precedence, skills_section
from agents.domain.memory.prompts import build_system_prompt
from agents.engine.ports.permissions import Gate
from agents.engine.ports.tools import Tool
from agents.library.flat_skills import flat_skills_of
from agents.library.found import library_of
from agents.tools.custom import CommandTool
from agents.tools.mm import mm_tools
from agents.tools.mm.gate import MmGate
from agents.tools.registry import builtin_tools
from agents.tools.skill import SkillTool
from maia_web.lib.errors import Conflict
from maia_web.lib.languages import translated
from workspaces.domain.argv import WORKSPACE
from workspaces.domain.places import Place
from workspaces.domain.real_paths import PathCheck


@dataclass(frozen=True, slots=True)
class Toolset:
    """Prompt, tools, wording and skills of an agent.

    `tools_of` may have to ask who has them, `library_of` reads files. `speaks_of_tools`: the prompt
    tells how to choose from MAIA's own tools and lists the skills. `runs_custom`: the custom tools
    of the library are among its tools.
    """

    tools_of: Callable[[Library, str], Awaitable[tuple[Tool, ...]]]
    gate_of: Callable[[Gate, str], Gate]
    library_of: Callable[[Place, PathCheck | None], Library]
    speaks_of_tools: bool
    runs_custom: bool

    def prompt(
        self, language: str, instructions: tuple[str, str] | None, start_context: str
    ) -> str:
        """Returns the system prompt without the skills."""
        return build_system_prompt(
            language, WORKSPACE, instructions, start_context, names_tools=self.speaks_of_tools
        )

    def skills(self, library: Library, language: str) -> str:
        """Returns what the prompt says of the skills, "" if nothing."""
        return skills_section(library.skills, language) if self.speaks_of_tools else ""


async def _maia_tools(library: Library, language: str) -> tuple[Tool, ...]:
    skill = (SkillTool(language, library.skills),) if library.skills else ()
    custom = (CommandTool(one.tool, one.cwd, one.inside, one.digest) for one in library.tools)
    builtin = builtin_tools(language, internal_hosts=settings.INTERNAL_HOSTS)
    return (*builtin, *skill, *custom)


def _as_it_is(gate: Gate, _language: str) -> Gate:
    return gate


async def _mm_tools(library: Library, language: str) -> tuple[Tool, ...]:
    return mm_tools(language, library.skills)


def _with_flat_skills(place: Place, check: PathCheck | None) -> Library:
    """A flat skill comes before a folder beside it."""
    library = library_of(place, check)
    flat = flat_skills_of(place, check)
    return replace(library, skills=by_precedence((*flat, *library.skills)))


MAIA = Toolset(_maia_tools, _as_it_is, library_of, speaks_of_tools=True, runs_custom=True)
"""MAIA's own tools, the skills and the custom tools of the library."""
MM = Toolset(_mm_tools, MmGate, _with_flat_skills, speaks_of_tools=False, runs_custom=False)
"""The five compact tools of seed T, in its words; they alone tell of themselves and of skills."""

TOOLSETS: Mapping[str, Toolset] = {"maia": MAIA, "mm": MM}


def toolset_named(name: str, agent: str) -> Toolset:
    """Returns the toolset that the definition of `agent` names; raises `Conflict` if unknown."""
    found = TOOLSETS.get(name)
    if found is None:
        raise Conflict(translated(lambda: unknown_toolset(agent, name)), code="unknown-toolset")
    return found


def unknown_toolset(agent: str, name: str) -> str:
    """Says, in the active language, that this version does not know the toolset of an agent."""
    text = _(
        "%(agent)s has a toolset that this version of MAIA does not know: “%(name)s”. An "
        "administrator chooses another one under Agents."
    )
    return text % {"agent": agent, "name": name}
