"""Sets the project up with nothing but Python's standard library.

`python3 -m tools.bootstrap run|dev|bench` fills `.venv` from `uv.lock` with uv, and leaves a stamp,
so that the next call ends at once while nothing changed. Every start passes here: what only the
filling needs is in `tools/uv.py`.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = Path(os.environ.get("UV_PROJECT_ENVIRONMENT") or ROOT / ".venv")
GROUPS = {
    "run": ("--no-default-groups", "--inexact"),
    "dev": ("--inexact",),
    "bench": ("--group", "bench", "--inexact"),
}


def main(kind: str) -> int:
    """Sets up for `kind`; returns the exit status."""
    if sys.version_info < (3, 11):  # noqa: UP036 (this file runs before uv checks it)
        found = ".".join(map(str, sys.version_info[:3]))
        print(f"maia: MAIA needs Python 3.11 or newer; this is {found}.", file=sys.stderr)
        return 1
    options = [*GROUPS[kind]]
    if os.environ.get("MAIA_SERVER") == "uvicorn":
        options += ["--extra", "uvicorn"]
    stamp = _stamp(options)
    if _is_current(kind, stamp):
        return 0
    from tools import uv  # slow to import: only where there is something to do

    status = uv.fill(VENV, options)
    if status == 0:
        (VENV / f".maia-{kind}").write_text(stamp, encoding="ascii")
    return status


def _stamp(options: list[str]) -> str:
    """Returns what decides whether the environment is current."""
    digest = hashlib.sha256()
    for name in ("uv.lock", "pyproject.toml"):
        digest.update((ROOT / name).read_bytes())
    digest.update(" ".join([*options, sys.version, str(ROOT)]).encode())
    return digest.hexdigest()


def _is_current(kind: str, stamp: str) -> bool:
    mark = VENV / f".maia-{kind}"
    return (
        (VENV / "bin" / "python").exists()
        and mark.exists()
        and mark.read_text(encoding="ascii") == stamp
    )


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "run"))
    except KeyboardInterrupt:
        sys.exit(130)
