"""Registry: the built-in tools, in the order the model is told of them (seed M §8)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from agents.engine.ports.tools import Tool
from agents.tools.base import BuiltinTool
from agents.tools.bash import BashTool
from agents.tools.edit import EditTool
from agents.tools.glob import GlobTool
from agents.tools.grep import GrepTool
from agents.tools.models_info import CurrentModelTool, ListModelsTool
from agents.tools.read import ReadTool
from agents.tools.todo import TodoWriteTool
from agents.tools.web_fetch import WebFetchTool
from agents.tools.write import WriteTool

if TYPE_CHECKING:
    import httpx

BUILTIN: tuple[type[BuiltinTool], ...] = (
    ReadTool,
    GlobTool,
    GrepTool,
    WriteTool,
    EditTool,
    BashTool,
    TodoWriteTool,
    WebFetchTool,
    CurrentModelTool,
    ListModelsTool,
)


def builtin_tools(
    language: str = "en", *, internal_hosts: Iterable[str] = (), lists_models: bool = True
) -> tuple[Tool, ...]:
    """Returns the tools as the model reads them in `language`.

    `internal_hosts`: what WebFetch may reach besides the public internet. `lists_models`: whether
    there is a server to ask for its models.
    """
    way_out = partial(_open_client, tuple(internal_hosts))
    chosen = (tool for tool in BUILTIN if lists_models or tool is not ListModelsTool)
    return tuple(
        WebFetchTool(language, way_out) if tool is WebFetchTool else tool(language)
        for tool in chosen
    )


def _open_client(internal_hosts: tuple[str, ...]) -> httpx.AsyncClient:
    from maia_web.lib.network.guarded_client import guarded_client

    return guarded_client(internal_hosts)
