"""Reads all settings files of a workspace and its person, to find what is wrong in them."""

from __future__ import annotations

from collections.abc import Iterator

from agents.domain.library.found import SettingsFiles
from agents.domain.library.own_server import OwnServerProblem
from agents.library.model_config import configured_model
from agents.library.own_server import own_server
from agents.library.rule_files import rule_files
from workspaces.domain.places import Place


def settings_files(place: Place) -> SettingsFiles:
    """Reads settings.json and config.json of both. Never raises; in a thread, not for `in_db`."""
    _model, broken = configured_model(place)
    return SettingsFiles(rule_files(place), tuple(_of_models(place)), broken)


def _of_models(place: Place) -> Iterator[OwnServerProblem]:
    own = own_server(place)
    if isinstance(own, OwnServerProblem):
        yield own
    elif own is not None:
        yield from own.without_effect(None)
