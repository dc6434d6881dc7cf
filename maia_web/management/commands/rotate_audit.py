"""rotate_audit: drops lines of the audit log that are older than the administrators want."""

from __future__ import annotations

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError

from agents.services.audit import SHORTEST_DAYS, rotate_audit


class Command(BaseCommand):
    help = "Drops the lines of the audit log that are older than the administrators' setting."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--days", type=int, help="another age than the setting")

    def handle(self, *_args: object, days: int | None = None, **_options: object) -> None:
        if days is not None and days < SHORTEST_DAYS:
            raise CommandError(f"the audit log is kept for at least {SHORTEST_DAYS} days")
        self.stdout.write(f"{rotate_audit(days)} lines dropped")
