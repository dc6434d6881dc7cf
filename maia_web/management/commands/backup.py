"""`manage.py backup FILE`: keeps all of a site in one file, while its server runs."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from maia_web.lib import storage
from maia_web.management.backups import Refused, archive

MOST_NAMED = 20


class Command(BaseCommand):
    help = (
        "Writes the rows, files, homes, settings and the key of this site into FILE (a tar archive "
        "that only its owner reads), while the server runs."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path, help="a file that is not there yet")

    def handle(self, *_args: object, file: Path, **_options: object) -> None:
        """Raises CommandError with a sentence; then there is no FILE."""
        try:
            kept = archive.write(file)
        except Refused as refused:
            raise CommandError(str(refused)) from refused
        except Exception as error:
            sentence = storage.told_in_full(error)
            if not sentence:
                raise
            raise CommandError(sentence) from error
        self.stdout.write(
            _("Kept in %(file)s: %(files)d files, %(mb)d MB. It holds everything: keep it private.")
            % {"file": file, "files": kept.files, "mb": -(-kept.bytes // 1_048_576)}
        )
        if not kept.has_key:
            self.stdout.write(_("The key is not in it: keep MAIA_SECRET_KEY as well."))
        for name in kept.unread[:MOST_NAMED]:
            self.stderr.write(_("Left out, it could not be read: %(name)s") % {"name": ascii(name)})
        if len(kept.unread) > MOST_NAMED:
            self.stderr.write(_("… and %(count)d more.") % {"count": len(kept.unread) - MOST_NAMED})
