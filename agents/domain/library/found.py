"""Found: the skills, tools and settings in the files of a place, and what is broken there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agents.domain.library.custom_tools import CustomTool
from agents.domain.library.own_server import OwnServerProblem
from agents.domain.library.problems import LibraryProblem
from agents.domain.library.skills import Skill
from agents.domain.rules.files import RuleFiles

INSTRUCTIONS = ("MAIA.md", "CLAUDE.md", "AGENTS.md")
"""Where a workspace tells agents how to work: the first that is there (M §11.1)."""

ToolSource = Literal["workspace", "home"]


@dataclass(frozen=True, slots=True)
class FoundTool:
    """A valid custom tool, and its folder as `Run` takes it and as a command sees it.

    `digest` stands for this definition in this place.
    """

    tool: CustomTool
    source: ToolSource
    path: str
    cwd: str
    inside: str
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Warned:
    """A file that was skipped, or that is missed: `path` as people read it, and why."""

    path: str
    problem: LibraryProblem


@dataclass(frozen=True, slots=True)
class SettingsFiles:
    """What the settings of a workspace and its person say of rules, and what is wrong in others."""

    rules: RuleFiles
    own_server: tuple[OwnServerProblem, ...] = ()
    model_config: tuple[Warned, ...] = ()


@dataclass(frozen=True, slots=True)
class Library:
    """What agents find besides the conversation."""

    skills: tuple[Skill, ...] = ()
    tools: tuple[FoundTool, ...] = ()
    instructions: str = ""
    warnings: tuple[Warned, ...] = ()
