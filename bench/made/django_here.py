"""Django in the process of the benchmark, with a data folder of its own that ends with it."""

from __future__ import annotations

import os
import tempfile
from functools import cache
from pathlib import Path

_FOLDERS: list[tempfile.TemporaryDirectory[str]] = []


@cache
def django_here() -> Path:
    """Sets Django up, once a process; returns the data folder. The database is up to date."""
    _FOLDERS.append(tempfile.TemporaryDirectory(prefix="maia-bench-", ignore_cleanup_errors=True))
    folder = Path(_FOLDERS[-1].name)
    folder.chmod(0o711)
    os.environ["MAIA_DATA"] = str(folder)
    os.environ["DJANGO_SETTINGS_MODULE"] = "maia_web.settings"
    import django

    django.setup()
    from maia_web.lib.schema import bring_up_to_date

    bring_up_to_date()
    return folder
