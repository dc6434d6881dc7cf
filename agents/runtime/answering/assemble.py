"""Assemble: the composition root; the only place that knows every adapter."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from django.conf import settings
from django.utils.translation import gettext as _

from agents.domain.content.events import kept_notice
from agents.domain.content.model_messages import ToolUseBlock
from agents.domain.content.turns import ClaimedTurn
from agents.domain.memory.compaction import beside_summary
from agents.domain.memory.tokens import prompt_texts, takes_no_time
from agents.domain.model_servers.endpoint import Endpoint
from agents.domain.model_servers.server import ModelServerInfo
from agents.domain.model_servers.traits import Traits
from agents.engine.ports.model import Provider, ProviderError
from agents.engine.ports.tools import Tool, ToolContext, TurnCounters
from agents.engine.setup import TurnSetup
from agents.library.own_server import FoundServer, own_server
from agents.providers.catalogue import list_models
from agents.providers.demo import DemoModel
from agents.providers.kept_clients import KeptClients
from agents.providers.openai_chat import OpenAIChat
from agents.runtime.answering.counting import count_texts
from agents.runtime.answering.gate import PeopleGate
from agents.runtime.answering.own_model import chosen_server
from agents.runtime.answering.place_files import PlaceFiles, ReadFiles, first_of, read_place
from agents.runtime.answering.recorder import Recorder
from agents.runtime.answering.toolsets import MAIA, Toolset, toolset_named
from agents.runtime.answering.work import Work
from agents.selectors.models.context_sizes import known_size, site_model
from agents.selectors.models.servers import SiteServer
from agents.selectors.models.traits import traits_of
from agents.services.models.choice import keep_model
from agents.services.models.traits import keep_traits
from maia_web.lib.db import in_db
from maia_web.lib.languages import translated
from workspaces.domain.commands import Sandbox
from workspaces.domain.identity import Committer, Identity
from workspaces.domain.places import Place
from workspaces.files.store import open_files
from workspaces.sandboxes.base import open_sandbox
from workspaces.selectors import committer_of


@dataclass(frozen=True, slots=True)
class Workbench:
    """What a turn works with, whoever answers."""

    place: Place
    server: ModelServerInfo | None
    key: str
    sandbox: Sandbox
    counters: TurnCounters
    language: str
    known: KnownNow
    agent: str = ""
    toolset: Toolset = MAIA
    guarded: frozenset[str] | None = None
    warning: str = ""
    clients: KeptClients | None = None
    files: ReadFiles = read_place

    def context_size(self) -> int:
        """The size of the model's context in tokens, 0 where unknown."""
        return self.known.size

    def endpoint(self) -> Endpoint | None:
        """Where the model is, None where there is none or it is built in."""
        if self.server is None or self.server.kind == "demo":
            return None
        return Endpoint(
            url=self.server.url,
            chat_path=self.server.chat_path,
            models_path=self.server.models_path,
            key=self.key,
            max_output_tokens=self.server.max_output_tokens,
            guarded=self.guarded,
        )


@dataclass(slots=True)
class KnownNow:
    """What is known of the model: the size of its context in tokens, 0 where unknown, and traits.

    Both may become known meanwhile.
    """

    size: int = 0
    traits: Traits = field(default_factory=Traits)


@dataclass(frozen=True, slots=True)
class Told:
    """What the model is told besides the conversation.

    `shortened` names the file of instructions that is too long to stand whole beside a summary,
    `skills` is the part of the prompt that lists them.
    """

    system: str
    tools: tuple[Tool, ...]
    shortened: str = ""
    skills: str = ""


async def open_workbench(work: Work) -> Workbench:
    """Opens what a turn works with, by the definition of its agent."""
    turn = work.turn
    toolset = toolset_named(turn.toolset, turn.agent)
    files = await work.files(turn.place, turn.agent, toolset)
    model = await _model_of(turn, files)
    site = (work.site if model == turn.model else None) or await in_db(site_model)(model)
    bench = await _bench(turn.place, model, work.counters, site, files.own_server)
    return replace(
        bench,
        agent=turn.agent,
        toolset=toolset,
        clients=work.clients,
        files=first_of(files),
        sandbox=open_sandbox(turn.place, committer=_committer(turn)),
    )


def _committer(turn: ClaimedTurn) -> Committer:
    async def committer() -> Identity | None:
        return await in_db(committer_of)(turn.place.workspace, turn.agent)

    return committer


async def _model_of(turn: ClaimedTurn, files: PlaceFiles) -> str:
    """Returns the model that was chosen; where a session begins, a config.json's, kept as if so."""
    begins = turn.kind == "answer" and not any(one.role == "assistant" for one in turn.messages)
    if turn.model or not begins:
        return turn.model
    if files.model:
        await in_db(keep_model)(turn.channel, turn.agent, files.model)
    return files.model


async def open_bench(place: Place, model: str, counters: TurnCounters) -> Workbench:
    """Opens a person's sandbox in a workspace for no turn; `model` "" is the site's."""
    own = await asyncio.to_thread(own_server, place)
    return await _bench(place, model, counters, await in_db(site_model)(model), own)


async def _bench(
    place: Place, model: str, counters: TurnCounters, site: SiteServer | None, own: FoundServer
) -> Workbench:
    """`site`: the server of `model`, as far as the person's own does not take its place."""
    server, key = (site.server, site.key) if site else (None, "")
    known = KnownNow(site.told, site.traits) if site else KnownNow()
    chosen = chosen_server(own, server, key, model)
    if chosen.server is not None and _is_another(chosen.server, server):
        known = await in_db(_known_of)(chosen.server)
    return Workbench(
        place=place,
        server=chosen.server,
        key=chosen.key,
        guarded=chosen.guarded,
        warning=chosen.warning,
        sandbox=open_sandbox(place),
        counters=counters,
        language=settings.LANGUAGE_CODE,
        known=known,
    )


def _is_another(server: ModelServerInfo, site: ModelServerInfo | None) -> bool:
    return site is None or (server.url, server.model) != (site.url, site.model)


def _known_of(server: ModelServerInfo) -> KnownNow:
    return KnownNow(known_size(server), traits_of(server))


async def tell(bench: Workbench, start_context: str) -> Told:
    """Returns system prompt and tools; files are read as they are now, after a compaction too."""
    toolset = bench.toolset
    files = await bench.files(bench.place, bench.agent, toolset)
    found, shortened = files.instructions, ""
    if found is not None and start_context.strip():
        name, text = found
        fit = partial(beside_summary, text, bench.context_size(), bench.language)
        kept = fit() if takes_no_time((text,)) else await asyncio.to_thread(fit)
        found, shortened = (name, kept), "" if kept == text else name
    system = toolset.prompt(bench.language, found, start_context)
    skills = toolset.skills(files.library, bench.language)
    return Told(
        system=f"{system}\n\n{skills}" if skills else system,
        tools=await toolset.tools_of(files.library, bench.language),
        shortened=shortened,
        skills=skills,
    )


async def assemble(
    turn: ClaimedTurn, bench: Workbench, recorder: Recorder, gate: PeopleGate
) -> TurnSetup:
    """Builds the setup of a turn. Raises `ProviderError` ("no-model") where none was chosen."""
    provider = provider_of(bench)
    if bench.warning:
        await recorder.emit(kept_notice("own-server", bench.warning))
    told = await tell(bench, turn.start_context)
    specs = tuple(tool.spec for tool in told.tools)
    return TurnSetup(
        provider=provider,
        system=told.system,
        tools=told.tools,
        gate=bench.toolset.gate_of(gate, bench.language),
        journal=recorder,
        sink=recorder,
        tool_context=partial(_tool_context, bench, gate, provider.model),
        max_steps=bench.server.max_steps if bench.server else 50,
        max_tokens=bench.server.max_output_tokens if bench.server else None,
        count=count_texts,
        told_tokens=await count_texts(prompt_texts(told.system, specs)),
        language=bench.language,
    )


def provider_of(bench: Workbench) -> Provider:
    """Returns the model. Raises `ProviderError` ("no-model") where none was chosen."""
    server = bench.server
    if server is None:
        raise ProviderError("no-model", translated(_no_model))
    endpoint = bench.endpoint()
    if endpoint is None:
        return DemoModel()

    async def learned(traits: Traits) -> None:
        bench.known.traits = traits
        await in_db(keep_traits)(server, traits)

    return OpenAIChat(
        endpoint,
        server.model,
        kept=bench.clients,
        traits=bench.known.traits,
        learned=learned,
    )


def _no_model() -> str:
    return _("No model is set up yet. An administrator chooses one under Models.")


def _tool_context(
    bench: Workbench,
    gate: PeopleGate,
    model: str,
    call: ToolUseBlock,
    emit: Callable[[str], None],
) -> ToolContext:
    return ToolContext(
        files=open_files(bench.place, partial(gate.path_check, call)),
        sandbox=bench.sandbox,
        counters=bench.counters,
        emit_output=emit,
        model=model,
        language=bench.language,
        list_models=partial(_model_names, bench),
    )


async def _model_names(bench: Workbench) -> list[str]:
    endpoint = bench.endpoint()
    if endpoint is None:
        return [bench.server.model] if bench.server and bench.server.model else ["demo"]
    return [info.name for info in await list_models(endpoint)]
