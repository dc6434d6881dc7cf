"""`manage.py worker`: runs turns that the web processes hand over through the broker."""

from __future__ import annotations

import os
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from maia_web.lib.schema import bring_up_to_date
from maia_web.management.start import begun

DEFAULT_TURNS = 32


class Command(BaseCommand):
    """Takes turns from this machine's queue."""

    help = "Runs turns from this machine's queue (MAIA_HOST_QUEUE) of the broker MAIA_BROKER_URL."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        """Works until SIGTERM. Raises CommandError when there is no broker or no Redis."""
        if not settings.BROKER_URL or not settings.REDIS_URL:
            raise CommandError(
                _("A worker needs MAIA_BROKER_URL and REDIS_URL, the same as the server's.")
            )
        with begun():
            bring_up_to_date()
            self._work()

    def _work(self) -> None:
        from celery.signals import worker_ready

        from maia_web.celery import app

        worker_ready.connect(self._tell, weak=False)

        turns = os.environ.get("MAIA_WORKER_TURNS") or str(DEFAULT_TURNS)
        queue = f"--queues={settings.HOST_QUEUE}"
        size = f"--concurrency={turns}"
        quiet = ["--loglevel=WARNING", "--without-gossip", "--without-mingle"]
        app.worker_main(["worker", "--pool=threads", size, queue, *quiet])

    def _tell(self, **_sent: Any) -> None:
        self.stdout.write(_("MAIA worker is ready: queue %s") % settings.HOST_QUEUE)
        self.stdout.flush()
