"""read_skill: the whole text of a skill, by the name the description lists (seed T)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from agents.domain.shortening import shorten
from agents.domain.skills import Skill
from agents.domain.tool_input import ToolInput
from agents.engine.ports import ToolContext, ToolFailure, ToolOutput
from agents.tools.base import BuiltinTool, short
from agents.tools.bash import MAX_OUTPUT


class ReadSkillTool(BuiltinTool):
    """Reads; its description is the catalogue."""

    name = "read_skill"
    description = "mm/read_skill"
    kind = "read"
    default_permission = "auto"
    schema = {
        "type": "object",
        "properties": {"name": {"type": "string"}},
        "required": ["name"],
    }

    def __init__(self, language: str = "en", skills: Sequence[Skill] = ()) -> None:
        super().__init__(language)
        self._skills = {skill.name: skill for skill in sorted(skills, key=lambda one: one.name)}
        lines = [f" {skill.name} — {skill.description}" for skill in self._skills.values()]
        self.spec = replace(self.spec, description="\n".join([self.spec.description, *lines]))

    def title(self, input: dict[str, Any]) -> str:
        """The name."""
        return short(input.get("name"))

    async def run(self, input: ToolInput, context: ToolContext) -> ToolOutput:
        """Returns the skill; only the last part of the name counts, so that no path is one."""
        context.counters.skills += 1
        name = PurePosixPath(input.text("name", filled=True)).name
        skill = self._skills.get(name)
        if skill is None:
            known = ", ".join(self._skills)
            raise ToolFailure(f'No skill named "{name}". Available skills: {known}')
        return ToolOutput(shorten(skill.text or skill.body, MAX_OUTPUT, context.language))
