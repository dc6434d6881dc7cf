"""What the definition of an agent names: its kind (who answers) and its toolset.

The database may hold names of a later version; nothing is answered by a guess at what they mean.
"""

from __future__ import annotations

from typing import Literal

AgentKind = Literal["maia", "acp"]
ToolsetName = Literal["maia", "mm"]

BUILT_IN: AgentKind = "maia"
"""MAIA itself asks the model, keeps what it has in mind, and gives it tools."""
EXTERNAL: AgentKind = "acp"
"""A program of its own answers, with its own model, memory and tools."""
