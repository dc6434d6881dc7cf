"""Toolsets: which tools an agent has, by the name in its definition (seeds M §8 and T)."""

from __future__ import annotations

from django.conf import settings

from agents.domain.library.found import Library
from agents.engine.ports.permissions import Gate
from agents.engine.ports.tools import Tool
from agents.runtime.answering.library_tools import library_tools
from agents.tools.mm import mm_tools
from agents.tools.mm.gate import MmGate
from agents.tools.registry import builtin_tools

MM = "mm"


def tools_of(
    toolset: str, library: Library, language: str, *, lists_models: bool = True
) -> tuple[Tool, ...]:
    """Returns the tools of the toolset; what the library holds joins all but `mm`'s five."""
    if toolset == MM:
        return mm_tools(language, library.skills)
    builtin = builtin_tools(
        language, internal_hosts=settings.INTERNAL_HOSTS, lists_models=lists_models
    )
    return (*builtin, *library_tools(library, language))


def gate_of(toolset: str, gate: Gate, language: str) -> Gate:
    """Returns the gate as the toolset words it."""
    return MmGate(gate, language) if toolset == MM else gate
