"""`manage.py restore FILE`: makes a new data folder what `backup` has kept."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from maia_web.lib import storage
from maia_web.lib.free_space import NoRoom
from maia_web.management.backups import Refused, archive


class Command(BaseCommand):
    help = (
        "Restores FILE, written by `manage.py backup`, into MAIA_DATA, which is a new or empty "
        "folder, and into the database of DATABASE_URL, which is empty."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path, help="what backup has written")

    def handle(self, *_args: object, file: Path, **_options: object) -> None:
        """Raises CommandError with a sentence; then the data folder is as empty as it was."""
        try:
            files = archive.read(file)
        except (Refused, NoRoom) as refused:
            raise CommandError(str(refused)) from refused
        except Exception as error:
            sentence = storage.told_in_full(error)
            if not sentence:
                raise
            raise CommandError(sentence) from error
        self.stdout.write(
            _("Restored %(files)d files and the database into %(data)s. Start the server now.")
            % {"files": files, "data": settings.DATA}
        )
