"""Django in the process of the benchmark, with a data folder of its own that ends with it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def django_here() -> Iterator[Path]:
    """Sets Django up, once a process; gives the data folder."""
    with tempfile.TemporaryDirectory(prefix="maia-bench-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o711)
        os.environ["MAIA_DATA"] = folder
        os.environ["DJANGO_SETTINGS_MODULE"] = "maia_web.settings"
        import django

        django.setup()
        yield Path(folder)
