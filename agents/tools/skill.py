"""Skill: loads the instructions of a skill on demand (seed M §11.3)."""

from __future__ import annotations

from typing import Any, Literal

from agents.domain.parts import ToolKind
from agents.domain.skills import Skill, skill_prompt
from agents.domain.tool_input import ToolInput
from agents.engine.ports import ToolContext, ToolFailure, ToolOutput
from agents.tools.base import BuiltinTool, short
from agents.tools.texts import tool_text


class SkillTool(BuiltinTool):
    """Knows the skills of one turn; there is none of it where there are none of them."""

    name = "Skill"
    kind: ToolKind = "read"
    default_permission: Literal["auto", "ask"] = "auto"
    schema = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "arguments": {"type": "string"}},
        "required": ["name"],
    }

    def __init__(self, language: str, skills: tuple[Skill, ...]) -> None:
        super().__init__(language)
        self._skills = {skill.name: skill for skill in skills}
        self.spec.input_schema["properties"]["name"]["enum"] = list(self._skills)

    def title(self, input: dict[str, Any]) -> str:
        """The name of the skill."""
        return short(input.get("name") or input.get("skill"))

    async def run(self, input: ToolInput, context: ToolContext) -> ToolOutput:
        """Returns the skill's text with the arguments filled in."""
        name = input.text("name", "skill", filled=True).strip().removeprefix("§")
        skill = self._skills.get(name)
        if skill is None:
            names = ", ".join(self._skills)
            raise ToolFailure(tool_text("no-skill", context.language, name=name, names=names))
        context.counters.skills += 1
        arguments = input.optional_text("arguments").strip()
        return ToolOutput(skill_prompt(skill, arguments, context.language))
