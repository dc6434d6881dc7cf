"""Context size: looked up on the server while a turn runs, else asked of the model (M §13.2)."""

from __future__ import annotations

import asyncio
import logging

from django.utils import translation
from django.utils.translation import gettext as _

from agents.delivery import publish
from agents.domain.content.model_messages import user_text
from agents.domain.content.wording import Sentences, say
from agents.domain.memory.token_numbers import format_tokens, parse_token_count
from agents.domain.model_servers.endpoint import Endpoint
from agents.domain.model_servers.server import ModelServerInfo
from agents.domain.typed.replies import text_reply
from agents.engine.ports.model import (
    ChatRequest,
    Provider,
    ProviderError,
    TextDelta,
    TextWasThought,
)
from agents.engine.step import closing
from agents.protocol.frames import SystemReply
from agents.protocol.topics import person_topic
from agents.providers.catalogue import list_models
from agents.runtime.answering.assemble import Workbench, provider_of
from agents.services.memory import context_sizes
from maia_web.lib.db import in_db

logger = logging.getLogger(__name__)
ASK_SECONDS = 60.0
LONGEST_ANSWER = 10_000

QUESTION: Sentences = {
    "size": (
        "What is the maximum size of the context for this model, in tokens? Answer only with a "
        "whole number, without any other text.",
        "Taille maximale du contexte pour ce modèle, en tokens ? Réponds uniquement par un nombre "
        "entier, sans autre texte.",
    ),
}


_looked: set[tuple[str, str]] = set()
"""Servers and models whose lists this process has looked at."""


def worth_a_look(bench: Workbench) -> bool:
    """Whether a list might say more of the size than is known; each process looks once."""
    server = bench.server
    if server is None or server.kind == "demo" or server.context_size:
        return False
    new = (server.url, server.model) not in _looked
    _looked.add((server.url, server.model))
    return new or not bench.context_size()


class SizeSearch:
    """Finds out, once for all, how much the model of a workbench takes in."""

    def __init__(self, channel: str, agent: str, bench: Workbench, person: int) -> None:
        self._channel = channel
        self._agent = agent
        self._bench = bench
        self._person = person

    async def look(self) -> None:
        """Asks the server's lists; never raises for the server."""
        server, endpoint = self._bench.server, self._bench.endpoint()
        if server is None or endpoint is None:
            return
        if await in_db(context_sizes.may_look)(server):
            size = await listed_size(endpoint, server.model)
            if size:
                await self._found(server, size)

    async def ask(self, language: str) -> None:
        """Asks the model itself, where nothing else could tell; the person learns what it said."""
        server = self._bench.server
        if self._bench.known.size or server is None or server.kind == "demo":
            return
        if not await in_db(context_sizes.may_look)(server):
            return
        size = await asked_size(provider_of(self._bench), self._bench.language)
        await in_db(context_sizes.keep_size)(server, size, "asked")
        with translation.override(language):
            await self._tell(server.model, size)
        if size:
            await self._found(server, size, "asked")

    async def _found(
        self, server: ModelServerInfo, size: int, source: context_sizes.Source = "listed"
    ) -> None:
        await in_db(context_sizes.keep_size)(server, size, source)
        self._bench.known.size = size
        await in_db(context_sizes.publish_context)(self._channel, self._agent)

    async def _tell(self, model: str, size: int | None) -> None:
        if size:
            text = _("Maximum context size of %(model)s: %(size)s tokens (the model says so).") % {
                "model": model,
                "size": format_tokens(size),
            }
        else:
            text = _(
                "%(model)s did not tell its maximum context size: no bar is shown and nothing is "
                "compacted by itself. /compact works, and an administrator can enter the size "
                "under Models."
            ) % {"model": model}
        reply = text_reply("", "model", text, "info" if size else "warn")
        frame = SystemReply(channel=self._channel, reply=reply)
        await in_db(publish.now)(person_topic(self._person), frame)


async def listed_size(endpoint: Endpoint, model: str) -> int | None:
    """Returns what `/model/info` or the list of models tells, None where nothing does."""
    try:
        models = await list_models(endpoint)
    except ProviderError as error:
        logger.info("no list of models: %s", error.code)
        return None
    return next((one.context_size for one in models if one.name == model), None)


async def asked_size(provider: Provider, language: str) -> int | None:
    """Returns the size the model itself names within 60 s, None if it names none."""
    request = ChatRequest(system="", messages=(user_text(say(QUESTION, "size", language)),))
    answer = ""
    try:
        async with asyncio.timeout(ASK_SECONDS):
            async with closing(provider.stream(request)) as events:
                async for event in events:
                    if isinstance(event, TextWasThought):
                        answer = ""
                    answer += event.text if isinstance(event, TextDelta) else ""
                    if len(answer) > LONGEST_ANSWER:
                        break
    except (TimeoutError, ProviderError) as error:
        logger.info("the model did not tell its context size: %r", error)
        return None
    return parse_token_count(answer)
