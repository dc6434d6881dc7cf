"""The Celery application: a doorstep to the turn hosts on other machines."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "maia_web.settings")

from django.conf import settings

LONGEST_TURN = 24 * 3600
SOFT_SHUTDOWN_SECONDS = 10.0
BROKER_SECONDS = 5.0

app = Celery("maia", broker=settings.BROKER_URL or "memory://", set_as_current=True)
app.conf.update(
    # A turn is waited for in a thread while the host's loop works on it.
    worker_pool="threads",
    # Delivery is at least once; the conditional claim in the database makes the effect once.
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    broker_transport_options={
        "visibility_timeout": LONGEST_TURN,
        "socket_timeout": BROKER_SECONDS,
        "socket_connect_timeout": BROKER_SECONDS,
    },
    broker_connection_retry_on_startup=True,
    worker_soft_shutdown_timeout=SOFT_SHUTDOWN_SECONDS,
    task_serializer="json",
    accept_content=["json"],
    task_ignore_result=True,
    task_default_queue=settings.HOST_QUEUE,
    worker_enable_remote_control=False,
    worker_hijack_root_logger=False,
    timezone="UTC",
)
app.autodiscover_tasks(["agents", "workspaces"])
