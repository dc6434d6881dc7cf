"""Shared by the tests of agents: the cast, and a channel where they talk."""

from __future__ import annotations

import pytest

from agents.services.channels.channels import create_channel, open_direct
from tests.cast import Cast, make_cast


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.fixture
def channel(cast: Cast) -> str:
    """The channel "release" of "atelier", with the built-in agent."""
    return create_channel(cast.alice.pk, cast.atelier.id, "release", members=("maia",))


@pytest.fixture
def direct(cast: Cast) -> str:
    """Alice's direct conversation with the built-in agent."""
    return open_direct(cast.alice.pk, cast.atelier.id, "maia")
