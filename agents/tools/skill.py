"""Skill: loads the instructions of a skill on demand (seed M §11.3)."""

from __future__ import annotations

from typing import Any, Literal

from agents.domain.content.parts import ToolKind
from agents.domain.library.skills import Skill, skill_prompt
from agents.engine.ports.tools import ToolContext, ToolFailure, ToolOutput
from agents.tools.base import BuiltinTool, short
from agents.tools.texts import tool_text


class SkillTool(BuiltinTool):
    """Knows the skills of one turn; there is none of it where there are none of them."""

    name = "Skill"
    kind: ToolKind = "read"
    default_permission: Literal["auto", "ask"] = "auto"

    def __init__(self, language: str, skills: tuple[Skill, ...]) -> None:
        super().__init__(language)
        self._skills = {skill.name: skill for skill in skills}
        self.spec.input_schema["properties"]["name"]["enum"] = list(self._skills)

    def read_input(self, input: dict[str, Any], language: str = "en") -> dict[str, Any]:
        """The input as it is declared, with the name of a skill there is."""
        read = super().read_input(input, language)
        if read["name"] not in self._skills:
            names = ", ".join(self._skills)
            raise ToolFailure(tool_text("no-skill", language, name=read["name"], names=names))
        return read

    def title(self, input: dict[str, Any]) -> str:
        """The name of the skill."""
        return short(input.get("name"))

    async def run(self, input: dict[str, Any], context: ToolContext) -> ToolOutput:
        """Returns the skill's text with the arguments filled in."""
        context.counters.skills += 1
        skill, arguments = self._skills[input["name"]], input.get("arguments", "").strip()
        return ToolOutput(skill_prompt(skill, arguments, context.language))
