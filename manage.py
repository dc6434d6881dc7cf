#!/usr/bin/env python
"""Runs MAIA's management commands."""

import os
import sys


def main() -> None:
    """Hands the command line to Django."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "maia_web.settings")
    from django.core.management import execute_from_command_line

    from maia_web.lib import signals

    signals.begin()
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
