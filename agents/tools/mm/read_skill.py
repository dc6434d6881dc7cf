"""read_skill: the whole text of a skill, by the name the description lists (seed T)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from agents.domain.content.shorten import shorten
from agents.domain.library.skills import Skill
from agents.engine.ports.tools import ToolContext, ToolFailure, ToolOutput
from agents.tools.base import BuiltinTool, short
from agents.tools.command_output import MAX_OUTPUT


class ReadSkillTool(BuiltinTool):
    """Reads; its description is the catalogue."""

    name = "read_skill"
    description = "mm/read_skill"
    kind = "read"
    default_permission = "auto"

    def __init__(self, language: str = "en", skills: Sequence[Skill] = ()) -> None:
        super().__init__(language)
        self._skills = {skill.name: skill for skill in sorted(skills, key=lambda one: one.name)}
        lines = [f" {skill.name} — {skill.description}" for skill in self._skills.values()]
        self.spec = replace(self.spec, description="\n".join([self.spec.description, *lines]))

    def read_input(self, input: dict[str, Any], language: str = "en") -> dict[str, Any]:
        """The input as it is declared, with the name of a skill there is."""
        read = super().read_input(input, language)
        if read["name"] not in self._skills:
            known = ", ".join(self._skills)
            raise ToolFailure(f'No skill named "{read["name"]}". Available skills: {known}')
        return read

    def title(self, input: dict[str, Any]) -> str:
        """The name."""
        return short(input.get("name"))

    async def run(self, input: dict[str, Any], context: ToolContext) -> ToolOutput:
        """Returns the skill."""
        context.counters.skills += 1
        skill = self._skills[input["name"]]
        return ToolOutput(shorten(skill.text or skill.body, MAX_OUTPUT, context.language))
