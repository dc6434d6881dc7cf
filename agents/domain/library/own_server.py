"""OwnServer: the model server a person names in `~/.maia/settings.json` (seed M §7.3)."""

from __future__ import annotations

import json
from typing import Any

from agents.domain.content.wording import Sentences, say
from agents.domain.model_servers.server import LONGEST_URL, ModelServerInfo, url_problem
from maia_web.lib.values import Value

FILE = "~/.maia/settings.json"
NEEDED = ("LiteLLM_URL", "OpenAI_EndPoint", "LiteLLM_Models")
NUMBERS = ("MaxIterations", "MaxOutputTokens")
KEY, MODEL = "LiteLLM_API_Key", "DefaultModel"
LARGEST = 100_000_000
_TEXTS: Sentences = {
    "json": ("it is not JSON ({cause})", "ce n'est pas du JSON ({cause})"),
    "object": ("it is not a JSON object", "ce n'est pas un objet JSON"),
    "missing": ("{name} is missing", "{name} manque"),
    "text": ("{name} is not a text that can be used", "{name} n'est pas un texte utilisable"),
    "url": (
        "LiteLLM_URL is not the address of a server",
        "LiteLLM_URL n'est pas l'adresse d'un serveur",
    ),
    "path": (
        "{name} does not begin with “/”",
        "{name} ne commence pas par « / »",
    ),
    "number": (
        "{name} is not a whole number from 1 on",
        "{name} n'est pas un entier à partir de 1",
    ),
    "read": ("it cannot be read ({cause})", "il ne peut pas être lu ({cause})"),
}


class OwnServerProblem(ValueError):
    """The file cannot be used; `sentence` says why."""

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(code)
        self.code = code
        self.values = values

    def sentence(self, language: str) -> str:
        """Returns the cause in "en" or "fr"."""
        return say(_TEXTS, self.code, language, **self.values)


class OwnServer(Value):
    """What the file says; `url` "" when it only sets numbers."""

    url: str = ""
    chat_path: str = ""
    models_path: str = ""
    key: str = ""
    model: str = ""
    max_steps: int | None = None
    max_output_tokens: int | None = None

    def over(self, site: ModelServerInfo | None, model: str = "") -> ModelServerInfo | None:
        """Returns the site's server with what this one says instead; `model` "" is the site's."""
        numbers = {
            name: value
            for name in ("max_steps", "max_output_tokens")
            if (value := getattr(self, name)) is not None
        }
        if not self.url:
            return site.model_copy(update=numbers) if site else None
        return ModelServerInfo(
            kind="litellm",
            url=self.url,
            chat_path=self.chat_path,
            models_path=self.models_path,
            model=model or self.model or (site.model if site else ""),
            has_key=bool(self.key),
            **numbers,
        )


def parse_own_server(text: str) -> OwnServer | None:
    """Reads the file; None if it says nothing of models. Raises `OwnServerProblem`."""
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise OwnServerProblem("json", cause=str(error)[:200]) from error
    if not isinstance(given, dict):
        raise OwnServerProblem("object")
    numbers = {name: _number(given, name) for name in NUMBERS}
    if not any(name in given for name in (*NEEDED, KEY)):
        found = any(value is not None for value in numbers.values())
        return OwnServer(**_numbers(numbers)) if found else None
    url, chat, models = (_needed(given, name) for name in NEEDED)
    if url_problem(url):
        raise OwnServerProblem("url")
    for name, path in zip(NEEDED[1:], (chat, models), strict=True):
        if not path.startswith("/") or path.startswith("//"):
            raise OwnServerProblem("path", name=name)
    key, model = (_text(given, name) if given.get(name) else "" for name in (KEY, MODEL))
    return OwnServer(
        url=url, chat_path=chat, models_path=models, key=key, model=model, **_numbers(numbers)
    )


def _numbers(numbers: dict[str, int | None]) -> dict[str, Any]:
    return {
        "max_steps": numbers["MaxIterations"],
        "max_output_tokens": numbers["MaxOutputTokens"],
    }


def _needed(given: dict[str, Any], name: str) -> str:
    if given.get(name) in (None, ""):
        raise OwnServerProblem("missing", name=name)
    return _text(given, name)


def _text(given: dict[str, Any], name: str) -> str:
    value = given[name]
    if not isinstance(value, str) or len(value) > LONGEST_URL or not value.isprintable():
        raise OwnServerProblem("text", name=name)
    return value.strip()


def _number(given: dict[str, Any], name: str) -> int | None:
    value = given.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= LARGEST:
        raise OwnServerProblem("number", name=name)
    return int(value)
