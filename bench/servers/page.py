"""A bare ninja page: 100 rows of the same table as JSON, without sign-in, rights or middleware.

`python -m bench.servers.page --port 8001 --database FILE`, under daphne.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, ClassVar

PAGE = 100


def application(database: Path) -> Any:
    """Returns the ASGI application."""
    import django
    from django.conf import settings

    settings.configure(
        SECRET_KEY="bench",
        ALLOWED_HOSTS=["*"],
        ROOT_URLCONF="bench.servers.page",
        MIDDLEWARE=[],
        INSTALLED_APPS=["ninja"],
        USE_TZ=True,
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": str(database)}},
    )
    django.setup()
    _serve()
    from django.core.asgi import get_asgi_application

    return get_asgi_application()


urlpatterns: list[Any] = []


def _serve() -> None:
    import sys

    from django.db import models
    from django.urls import path
    from ninja import NinjaAPI

    class Message(models.Model):
        id = models.CharField(primary_key=True, max_length=26)
        channel_id = models.CharField(max_length=26)
        position = models.PositiveBigIntegerField()
        role = models.CharField(max_length=6)
        parts = models.JSONField(default=list)
        objects: ClassVar[models.Manager[Any]] = models.Manager()

        class Meta:
            app_label = "bench"
            db_table = "agents_message"
            managed = False

    api = NinjaAPI()

    @api.get("/{channel}")
    def page(request: Any, channel: str) -> list[dict[str, Any]]:
        rows = Message.objects.filter(channel_id=channel).order_by("-position")[:PAGE]
        return [
            {"id": row.id, "position": row.position, "role": row.role, "parts": row.parts}
            for row in rows
        ]

    module = sys.modules.get("bench.servers.page") or sys.modules[__name__]
    module.urlpatterns = [path("api/", api.urls)]  # type: ignore[attr-defined]  # it is its own URLconf


def main() -> None:
    """Serves until it is ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--database", type=Path, required=True)
    options = parser.parse_args()
    import bench.servers.page

    served = bench.servers.page.application(options.database)
    from daphne.server import Server

    Server(served, endpoints=[f"tcp:port={options.port}:interface=127.0.0.1"]).run()


if __name__ == "__main__":
    main()
