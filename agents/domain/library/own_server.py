"""OwnServer: the model server a person names in `~/.maia/settings.json` (seed M §7.3)."""

from __future__ import annotations

import json
from typing import Any

from agents.domain.content.wording import Sentences, say
from agents.domain.model_servers.server import LONGEST_URL, ModelServerInfo, url_problem
from maia_web.lib.values import Value

FILE = "~/.maia/settings.json"
NEEDED = ("LiteLLM_URL", "OpenAI_EndPoint", "LiteLLM_Models")
NUMBERS = {"MaxIterations": "max_steps", "MaxOutputTokens": "max_output_tokens"}
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
    "not-allowed": (
        "{names}: this does not count, because no administrator allows model servers of one's own",
        "{names} : cela ne compte pas, car aucun administrateur n'autorise de serveur de modèles "
        "personnel",
    ),
    "above": (
        "{name} is above what an administrator allows: {most} counts",
        "{name} dépasse ce qu'un administrateur autorise : {most} compte",
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
    """What the file says; `url` "" when it only sets numbers.

    `ignored`: names of what it says of a server where nobody may have one of their own.
    """

    url: str = ""
    chat_path: str = ""
    models_path: str = ""
    key: str = ""
    model: str = ""
    max_steps: int | None = None
    max_output_tokens: int | None = None
    ignored: tuple[str, ...] = ()

    def over(self, site: ModelServerInfo | None, model: str = "") -> ModelServerInfo | None:
        """Returns the site's server with what this one says instead; `model` "" is the site's.

        A number counts up to the administrator's.
        """
        numbers = {
            field: _bounded(value, getattr(site, field, None))
            for field in NUMBERS.values()
            if (value := getattr(self, field)) is not None
        }
        if site is not None and self.url:
            numbers.setdefault("max_steps", site.max_steps)
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

    def without_effect(self, site: ModelServerInfo | None) -> tuple[OwnServerProblem, ...]:
        """Returns what of the file does not count, or only in part."""
        found = []
        if self.ignored:
            found.append(OwnServerProblem("not-allowed", names=", ".join(self.ignored)))
        for name, field in NUMBERS.items():
            value, most = getattr(self, field), getattr(site, field, None)
            if value is not None and most is not None and value > most:
                found.append(OwnServerProblem("above", name=name, most=most))
        return tuple(found)


def _bounded(value: int, most: int | None) -> int:
    return value if most is None else min(value, most)


def parse_own_server(text: str, *, allowed: bool = True) -> OwnServer | None:
    """Reads the file; None if it says nothing of models. Raises `OwnServerProblem`.

    `allowed`: a server of one's own counts; without that the numbers alone are read.
    """
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise OwnServerProblem("json", cause=str(error)[:200]) from error
    if not isinstance(given, dict):
        raise OwnServerProblem("object")
    numbers = {field: _number(given, name) for name, field in NUMBERS.items()}
    of_server = tuple(name for name in (*NEEDED, KEY) if name in given)
    if not of_server or not allowed:
        found = any(value is not None for value in numbers.values()) or of_server
        return OwnServer(ignored=of_server, **numbers) if found else None
    url, chat, models = (_needed(given, name) for name in NEEDED)
    if url_problem(url):
        raise OwnServerProblem("url")
    for name, path in zip(NEEDED[1:], (chat, models), strict=True):
        if not path.startswith("/") or path.startswith("//"):
            raise OwnServerProblem("path", name=name)
    key, model = (_text(given, name) if given.get(name) else "" for name in (KEY, MODEL))
    return OwnServer(url=url, chat_path=chat, models_path=models, key=key, model=model, **numbers)


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
