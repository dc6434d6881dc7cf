"""Databases as migrations leave them, made once for each pytest worker: to migrate takes a second.

Whoever tests a first start begins without one.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tests.support.processes import ROOT

OURS = re.compile(r"^(MAIA_|DATABASE_URL$|REDIS_URL$|DJANGO_|PYTEST_)")


def clean_environment() -> dict[str, str]:
    """Returns this process's environment without what configures MAIA."""
    return {name: value for name, value in os.environ.items() if not OURS.match(name)}


def migrate(env: Mapping[str, str]) -> None:
    """Brings the database that `env` names up to date, in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="maia-migrated-") as folder:
        argv = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
        env = {**clean_environment(), "MAIA_DATA": folder, **env}
        subprocess.run(argv, env=env, cwd=ROOT, check=True)


@cache
def sqlite_database() -> bytes:
    """Returns the file of a database without anybody in it."""
    with tempfile.TemporaryDirectory(prefix="maia-migrated-") as folder:
        migrate({"MAIA_DATA": folder})
        return (Path(folder) / "maia.sqlite3").read_bytes()
