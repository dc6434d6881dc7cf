"""Importing the providers loads neither httpx nor tiktoken: no first request pays for them."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "module",
    [
        "agents.providers.openai_chat",
        "agents.providers.catalogue",
        "agents.providers.demo",
        "agents.domain.memory.tokens",
    ],
)
def test_a_module_loads_lightly(module: str) -> None:
    code = f"import sys, {module}; print({{'httpx', 'tiktoken'}} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "set()"
