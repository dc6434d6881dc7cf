"""The site's settings with a data folder of this test run; nothing touches the developer's.

A settings module, because pytest-django reads the settings before any conftest.py runs.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

_run = os.environ.get("PYTEST_XDIST_WORKER", "alone")
if os.environ.get("MAIA_TEST_RUN") != _run:  # a server that a test starts keeps what it was given
    _data = Path(tempfile.mkdtemp(prefix="maia-tests-"))
    _data.chmod(0o711)
    atexit.register(shutil.rmtree, _data, ignore_errors=True)
    os.environ.update(MAIA_DATA=str(_data), MAIA_TEST_RUN=_run)
os.environ.setdefault("MAIA_LOG", "WARNING")
# tests begin anew by TRUNCATE, which the audit log refuses everybody else
os.environ.setdefault("PGOPTIONS", "-c maia.truncate_audit=on")

from maia_web.settings import *  # noqa: E402, F403
