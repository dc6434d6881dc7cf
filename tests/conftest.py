"""Every test run has a data folder of its own; nothing touches the developer's."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

_DATA = tempfile.mkdtemp(prefix="maia-tests-")
Path(_DATA).chmod(0o711)
os.environ["MAIA_DATA"] = _DATA
os.environ.setdefault("MAIA_LOG", "WARNING")
