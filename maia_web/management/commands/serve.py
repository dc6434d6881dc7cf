"""`manage.py serve`: brings the database up to date, then serves the site until Ctrl+C."""

from __future__ import annotations

import errno
import importlib
import os
import signal
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from agents.services.audit import rotate_audit
from maia_web.accounts.services import setup_link
from maia_web.lib import late
from maia_web.lib.schema import bring_up_to_date
from maia_web.management.servers.listener import Listener
from maia_web.management.start import begun

SERVERS = {
    "daphne": "maia_web.management.servers.under_daphne",
    "uvicorn": "maia_web.management.servers.under_uvicorn",
}
SWITCH_SECONDS = 0.0005


class Command(BaseCommand):
    """Serves MAIA on MAIA_HOST:MAIA_PORT."""

    help = "Brings the database up to date and serves MAIA on MAIA_HOST:MAIA_PORT."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        """Serves until SIGINT or SIGTERM. Raises CommandError when it cannot begin."""
        signal.signal(signal.SIGTERM, lambda *_ignored: sys.exit(0))
        self.listener = Listener(
            host=settings.HOST,
            port=settings.PORT,
            max_message=settings.MAX_SOCKET_FRAME,
            trusts_proxy=settings.TRUST_PROXY,
        )
        self._check_address()
        with begun():
            bring_up_to_date()
            rotate_audit()
            self.setup_link = setup_link()
            self._serve()

    def _serve(self) -> None:
        # Each write to a socket gives the interpreter away; a thread at a query would keep it 5 ms.
        sys.setswitchinterval(SWITCH_SECONDS)
        try:
            self._server().run(self.listener, self._tell)
        except KeyboardInterrupt:
            pass
        finally:
            self._end()  # uvicorn comes here with a SystemExit(0) of the signal that stopped it

    def _end(self) -> None:
        self.stdout.write(_("MAIA has stopped."))
        if late.broken():
            raise CommandError(
                _("A part of MAIA could not be loaded: %s. The log says why.")
                % ", ".join(sorted(late.broken()))
            )

    def _server(self) -> Any:
        name = os.environ.get("MAIA_SERVER") or "daphne"
        if name not in SERVERS:
            raise CommandError(_("MAIA_SERVER must be daphne or uvicorn, not %s.") % name)
        try:
            return importlib.import_module(SERVERS[name])
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
            raise CommandError(_("%s is not installed; `make run` installs it.") % name) from error

    def _check_address(self) -> None:
        where = {"host": settings.HOST, "port": settings.PORT}
        try:
            self.listener.probe()
        except OSError as error:
            reasons = {
                errno.EADDRINUSE: _(
                    "Port %(port)s on %(host)s is taken: another program, perhaps another MAIA, "
                    "listens there. Stop it, or choose another port with MAIA_PORT."
                ),
                errno.EACCES: _("This account may not listen on port %(port)s; set MAIA_PORT."),
            }
            unknown = _("This machine cannot listen on %(host)s:%(port)s; check MAIA_HOST.")
            raise CommandError(reasons.get(error.errno or 0, unknown) % where) from error

    def _tell(self) -> None:
        """Says where the site is and, until there is an administrator, how to set it up."""
        self.stdout.write(_("MAIA is ready: %s   (Ctrl+C stops it)") % self.listener.url)
        if self.setup_link:
            self.stdout.write(_("Set it up with this link, which works once:"))
            self.stdout.write(f"  {self.setup_link}")
        self.stdout.flush()
