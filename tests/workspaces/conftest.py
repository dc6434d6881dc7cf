"""Fixtures around workspaces."""

from __future__ import annotations

import pytest

from tests.cast import Cast, make_cast


@pytest.fixture
def cast(db) -> Cast:
    return make_cast()
