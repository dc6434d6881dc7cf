"""Model config: the `model` of a config.json, in the workspace or in ~/.maia (seed M §5.3)."""

from __future__ import annotations

import json

from agents.domain.library.problems import LibraryProblem

FILES = (".maia/config.json", "~/.maia/config.json")
"""Where it may stand; the first that names a model counts."""
PREFIX = "litellm:"
LONGEST = 200


def parse_model_config(text: str) -> str:
    """Returns the model's name, "" where the file names none. Raises `LibraryProblem`."""
    try:
        config = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise LibraryProblem("broken-json", cause=str(error)[:200]) from error
    if not isinstance(config, dict):
        raise LibraryProblem("no-object")
    model = config.get("model")
    if model is None:
        return ""
    name = model.strip().removeprefix(PREFIX).strip() if isinstance(model, str) else ""
    if not name or len(name) > LONGEST or not name.isprintable():
        raise LibraryProblem("model")
    return name
