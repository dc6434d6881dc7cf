"""A real LiteLLM proxy in front of the scripted server, in an environment of its own.

Its exact pins are in litellm-requirements.txt.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.environments import environment
from tests.support.openai_server import ScriptedServer, serve

REQUIREMENTS = Path(__file__).with_name("litellm-requirements.txt")
START_SECONDS = 120
KEY = "sk-proxy-of-the-tests"
MODEL, SIZED = "scripted", "sized"


@dataclass(frozen=True)
class LiteLLM:
    """A running proxy; a request for `MODEL` with `[[name]]` in its text plays that behaviour."""

    url: str
    upstream: ScriptedServer
    key: str = KEY


@contextmanager
def run_litellm(folder: Path, *, cooldowns: bool = False) -> Iterator[LiteLLM]:
    """Runs a proxy on a free port until the block ends; `folder` takes its files."""
    program = environment("litellm", REQUIREMENTS) / "litellm"
    with serve(models=(MODEL,)) as upstream:
        config = folder / "litellm.json"  # JSON is YAML too
        config.write_text(json.dumps(_config(upstream.url, cooldowns)))
        port = _free_port()
        process = _start(program, config, port, folder)
        try:
            _wait_until_ready(process, port, folder / "litellm.out")
            yield LiteLLM(f"http://127.0.0.1:{port}", upstream)
        finally:
            _stop(process)


@pytest.fixture(scope="session")
def litellm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiteLLM]:
    """The proxy without cooldowns, shared by all tests of a run."""
    with run_litellm(tmp_path_factory.mktemp("litellm")) as running:
        yield running


def _config(upstream: str, cooldowns: bool) -> dict[str, object]:
    behind = {"api_base": f"{upstream}/v1", "api_key": "sk-upstream", "max_retries": 0}
    return {
        "model_list": [
            {"model_name": MODEL, "litellm_params": {"model": f"openai/{MODEL}", **behind}},
            {
                "model_name": SIZED,
                "litellm_params": {"model": "openai/hello", **behind},
                "model_info": {"max_input_tokens": 123_456},
            },
        ],
        "router_settings": {"disable_cooldowns": not cooldowns, "num_retries": 0},
        "litellm_settings": {"num_retries": 0, "telemetry": False},
        "general_settings": {"master_key": KEY},
    }


def _start(program: Path, config: Path, port: int, folder: Path) -> subprocess.Popen[bytes]:
    environment = {
        name: value
        for name, value in os.environ.items()
        if name in {"PATH", "LANG", "TMPDIR", "SSL_CERT_FILE"}
    }
    environment |= {
        "HOME": str(folder),
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "PATH": f"{program.parent}:{environment.get('PATH', '')}",
    }
    with (folder / "litellm.out").open("wb") as output:
        return subprocess.Popen(
            [str(program), "--config", str(config), "--host", "127.0.0.1", "--port", str(port)],
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env=environment,
            cwd=folder,
            start_new_session=True,
        )


def _wait_until_ready(process: subprocess.Popen[bytes], port: int, output: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        with suppress(OSError):
            url = f"http://127.0.0.1:{port}/health/liveliness"
            with urllib.request.urlopen(url, timeout=5) as answer:
                if answer.status == 200:
                    return
        time.sleep(0.2)
    pytest.fail(f"LiteLLM did not start:\n{output.read_text(errors='replace')[-4000:]}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
