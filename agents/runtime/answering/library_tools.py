"""Library tools: what the model may call besides the built-in tools: Skill, and TOOL.json ones."""

from __future__ import annotations

from agents.domain.library.found import Library
from agents.engine.ports.tools import Tool
from agents.tools.custom import CommandTool
from agents.tools.skill import SkillTool


def library_tools(library: Library, language: str) -> tuple[Tool, ...]:
    """Returns the tools of a person's library; Skill only where there are skills."""
    custom = tuple(CommandTool(one.tool, one.cwd, one.inside, one.digest) for one in library.tools)
    return (SkillTool(language, library.skills), *custom) if library.skills else custom
