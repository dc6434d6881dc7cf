"""The toolset `mm`: five compact tools, named and worded as seed T has them."""

from __future__ import annotations

from collections.abc import Sequence

from agents.domain.library.skills import Skill
from agents.engine.ports.tools import Tool
from agents.tools.mm.bash import MmBashTool
from agents.tools.mm.edit_file import EditFileTool
from agents.tools.mm.read_file import ReadFileTool
from agents.tools.mm.read_skill import ReadSkillTool
from agents.tools.mm.write_file import WriteFileTool


def mm_tools(language: str = "en", skills: Sequence[Skill] = ()) -> tuple[Tool, ...]:
    """Returns the tools in the order of the seed; `read_skill` only where there are skills."""
    reading = (ReadSkillTool(language, skills),) if skills else ()
    files = (ReadFileTool(language), WriteFileTool(language), EditFileTool(language))
    return (MmBashTool(language), *reading, *files)
