"""Model commands: /models lists what the server offers, /model changes it here (M §5.6)."""

from __future__ import annotations

import asyncio

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from agents.domain.memory.session_names import suggest
from agents.domain.memory.token_numbers import format_tokens
from agents.domain.typed.replies import Choice, ChoicesBlock, MarkdownBlock, Reply, text_reply
from agents.domain.typed.slash import Slash
from agents.engine.ports.model import ProviderError
from agents.engine.ports.tools import TurnCounters
from agents.library.model_config import configured_model
from agents.providers.catalogue import ModelInfo, list_models
from agents.runtime.answering.assemble import Workbench, open_bench
from agents.runtime.answering.context_size import SizeSearch
from agents.selectors.conversation.channels import channel_for
from agents.selectors.models.context_sizes import chosen_model
from agents.selectors.sessions import session_agent
from agents.services.memory import context_sizes
from agents.services.models.choice import choose_model
from agents.services.models.traits import forget_traits
from maia_web.lib.db import in_db
from maia_web.lib.errors import InvalidInput, MaiaError
from maia_web.lib.names.folding import fold
from workspaces.domain.places import Place

DEMO = ModelInfo("demo")


async def show_models(user_id: int, channel_id: str, line: Slash) -> Reply:
    """Lists the models, one a line, the one in use marked ●; changes nothing."""
    _agent, bench = await _bench(user_id, channel_id, line)
    try:
        models = await _models(bench)
    except ProviderError as failure:
        return _failed(line, failure)
    current = bench.server.model if bench.server else ""
    rows = [f"{'●' if one.name == current else '○'} `{one.name}`{_size(one)}" for one in models]
    endpoint = bench.endpoint()
    where = endpoint.models_url if endpoint else _("the demonstration model, built in")
    text = "\n".join(f"- {row}" for row in rows) or _("The server lists no model.")
    return Reply(
        command=line.name,
        line=line.text,
        blocks=(MarkdownBlock(text=text), MarkdownBlock(text=_("Asked: %(url)s") % {"url": where})),
    )


async def change_model(user_id: int, channel_id: str, line: Slash) -> Reply:
    """Changes the model of an agent in this channel, or lists those to choose from."""
    agent, bench = await _bench(user_id, channel_id, line)
    try:
        models = await _models(bench)
    except ProviderError as failure:
        return _failed(line, failure)
    current = bench.server.model if bench.server else ""
    if not line.argument:
        choices = tuple(
            Choice(value=one.name, words=_size(one).strip(" ·"), current=one.name == current)
            for one in models
        )
        block = ChoicesBlock(command="model", title=_("Which model?"), choices=choices)
        return Reply(command=line.name, line=line.text, blocks=(block,))
    name = _found(line.argument, [one.name for one in models])
    named, _broken = await asyncio.to_thread(configured_model, bench.place)
    await in_db(choose_model)(user_id, channel_id, agent, name, against=named)
    await _announce(user_id, channel_id, agent, line)
    text = _("The model is %(name)s now; the conversation is kept.") % {"name": name}
    return text_reply(line.text, line.name, text)


async def _announce(user_id: int, channel_id: str, agent: str, line: Slash) -> None:
    """Looks for the size of the new model's context, and tells the channel."""
    _agent, bench = await _bench(user_id, channel_id, line)
    if bench.server is not None:
        await in_db(context_sizes.forget_size)(bench.server)
        await in_db(forget_traits)(bench.server)
        bench.known.size = 0
    await SizeSearch(channel_id, agent, bench, user_id).look()
    await in_db(context_sizes.publish_context)(channel_id, agent)


async def ask_size(user_id: int, channel_id: str, line: Slash) -> None:
    """Asks the model how much it takes in, where no list told (60 s at most)."""
    try:
        agent, bench = await _bench(user_id, channel_id, line)
        await SizeSearch(channel_id, agent, bench, user_id).ask(get_language() or "en")
    except MaiaError:  # the person left meanwhile
        return


async def _bench(user_id: int, channel_id: str, line: Slash) -> tuple[str, Workbench]:
    place, agent, model = await in_db(_meant)(user_id, channel_id, line.agent)
    return agent, await open_bench(place, model, TurnCounters())


def _meant(user_id: int, channel_id: str, wanted: str | None) -> tuple[Place, str, str]:
    access = channel_for(user_id, channel_id)
    agent = session_agent(access, wanted).name
    return access.workspace.place, agent, chosen_model(channel_id, agent)


async def _models(bench: Workbench) -> list[ModelInfo]:
    if bench.server is None:
        text = _("No model is set up yet. An administrator chooses one under Models.")
        raise ProviderError("no-model", text)
    endpoint = bench.endpoint()
    return await list_models(endpoint) if endpoint else [DEMO]


def _found(argument: str, names: list[str]) -> str:
    """Returns the model of that name, else the only one that contains it."""
    wanted = fold(argument.strip().removeprefix("litellm:").strip())
    exact = [name for name in names if fold(name) == wanted]
    inside = [name for name in names if wanted and wanted in fold(name)]
    if exact or len(inside) == 1:
        return (exact or inside)[0]
    message = _("There is no model “%(name)s”.") % {"name": argument}
    near = inside[:3] or suggest(argument, names)
    if near:
        message += " " + _("Did you mean %(names)s?") % {"names": ", ".join(near)}
    raise InvalidInput(message, field="model")


def _size(model: ModelInfo) -> str:
    if not model.context_size:
        return ""
    return " · " + _("%(n)s tokens") % {"n": format_tokens(model.context_size)}


def _failed(line: Slash, failure: ProviderError) -> Reply:
    text = _("%(why)s The address is set under Models, by an administrator.")
    return text_reply(line.text, line.name, text % {"why": failure.message}, "fail")
