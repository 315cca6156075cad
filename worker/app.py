"""The Celery app.

A message says only "look": it carries no arguments and has no result, is acknowledged before the work, and may be lost,
late or doubled without harm. The rows of the database say what is to be done.
"""

import os
from typing import Any

from celery import Celery

from leaderboard.settings import Settings

QUEUE = "drain"

_settings: Settings | None = None

app = Celery("golden-nugget", include=["worker.tasks", "worker.child"])


def use(settings: Settings) -> None:
    """Hand on the process's settings. A worker that Celery's own command has started reads its environment instead."""
    global _settings
    _settings = settings
    if app.configured:
        app.conf.update(_options())


def settings() -> Settings:
    """This process's settings."""
    global _settings
    if _settings is None:
        _settings = Settings.from_environment(os.environ)
    return _settings


def _options() -> dict[str, Any]:
    return {
        "broker_url": settings().broker_url,
        "broker_connection_retry_on_startup": True,
        "broker_connection_max_retries": None,
        # Publishing gives up quickly, so that a bell thread never hangs on a frozen Redis. A worker waits for messages
        # a second at a time, so the timeout must be longer than that.
        "broker_transport_options": {
            "max_retries": 1,
            "interval_start": 0,
            "interval_step": 0.1,
            "interval_max": 0.1,
            "socket_connect_timeout": 0.5,
            "socket_timeout": 3,
        },
        "task_default_queue": QUEUE,
        "task_ignore_result": True,
        # Killed from outside, whatever the task does. Its drain works a second; a row may take a few (worker/child.py).
        "task_time_limit": 5,
        "worker_concurrency": settings().worker_processes,
        "worker_prefetch_multiplier": 1,
        "worker_send_task_events": False,
        "worker_redirect_stdouts": False,
        "worker_hijack_root_logger": False,
        "timezone": "UTC",
    }


app.add_defaults(_options)
