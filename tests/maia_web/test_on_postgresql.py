"""What holds on SQLite holds on PostgreSQL: the tests of services and selectors, run there too."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.support.processes import ROOT
from tests.support.services import Postgres

FOLDERS = (
    "tests/agents/services",
    "tests/agents/selectors",
    "tests/agents/library",
    "tests/agents/consumers/test_answers.py",
    "tests/workspaces/test_services.py",
    "tests/maia_web/accounts/test_sessions.py",
    "tests/maia_web/lib/test_fixed.py",
)
SECONDS = 1_200


@pytest.mark.services
@pytest.mark.xdist_group("many")
@pytest.mark.timeout(SECONDS)
def test_services_do_the_same_on_postgresql(postgres: Postgres) -> None:
    present = [folder for folder in FOLDERS if (ROOT / folder).exists()]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:xdist",
            "-p",
            "no:cacheprovider",
            *present,
        ],
        env={**clean, "DATABASE_URL": postgres.new_database()},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
