"""What a web process runs beside its requests."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest

from agents.runtime.web import WebProcess
from maia_web.lib import late


@pytest.mark.promise("I10-late")
async def test_a_part_that_cannot_be_loaded_ends_the_server(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ended = asyncio.Event()

    def broken() -> None:
        raise ImportError("no such part")

    def kill(pid: int, sign: int) -> None:
        assert (pid, sign) == (os.getpid(), signal.SIGTERM)
        ended.set()

    monkeypatch.setattr("django.conf.settings.BROKER_URL", "redis://nowhere")
    monkeypatch.setattr(late, "load_all", broken)
    monkeypatch.setattr(os, "kill", kill)
    process = WebProcess()
    await process.start()
    process.answered()
    await ended.wait()
    await process.stop()
    assert "a part of MAIA could not be loaded" in caplog.text
