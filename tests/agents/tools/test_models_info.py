"""CurrentModel and ListModels: asked anew at each call."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agents.engine.ports.model import ProviderError
from agents.engine.ports.tools import ToolContext, ToolFailure
from agents.tools.models_info import CurrentModelTool, ListModelsTool
from agents.tools.registry import builtin_tools
from tests.fakes import tool_context
from tests.support.tools import run_tool


def context(names: list[str] | ProviderError, model: str = "b") -> ToolContext:
    async def list_models() -> list[str]:
        if isinstance(names, ProviderError):
            raise names
        return names

    return replace(tool_context(), model=model, list_models=list_models)


async def test_the_current_model_is_named() -> None:
    assert (await run_tool(CurrentModelTool(), {}, context([], "gpt-x"))).text == "gpt-x"
    assert (await run_tool(CurrentModelTool(), {}, tool_context())).text == "No model is chosen."


async def test_the_models_are_listed_and_the_one_in_use_is_marked() -> None:
    names = ["a", "b"]
    asked = context(names)
    assert (await run_tool(ListModelsTool(), {}, asked)).text == "○ a\n● b (in use)"
    names.append("c")
    assert (await run_tool(ListModelsTool(), {}, asked)).text == "○ a\n● b (in use)\n○ c"


async def test_a_server_that_fails_is_told_to_the_model() -> None:
    with pytest.raises(ToolFailure, match=r"^cannot be reached$"):
        await run_tool(ListModelsTool(), {}, context(ProviderError("x", "cannot be reached")))
    assert "no models" in (await run_tool(ListModelsTool(), {}, context([]))).text
    with pytest.raises(ToolFailure):
        await run_tool(ListModelsTool(), {}, tool_context())


def test_without_a_list_there_is_no_such_tool() -> None:
    names = [tool.spec.name for tool in builtin_tools(lists_models=False)]
    assert names[-1] == "CurrentModel"
