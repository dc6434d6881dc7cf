"""The site's settings with a data folder of this test run; nothing touches the developer's.

A settings module, because pytest-django reads the settings before any conftest.py runs.
"""

import os
import tempfile
from pathlib import Path

_data = Path(tempfile.mkdtemp(prefix="maia-tests-"))
_data.chmod(0o711)
os.environ["MAIA_DATA"] = str(_data)
os.environ.setdefault("MAIA_LOG", "WARNING")

from maia_web.settings import *  # noqa: E402, F403
