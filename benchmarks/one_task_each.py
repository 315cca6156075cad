"""The usual way, to compare with: one Celery task per submission. It reads the record, verifies, writes the verdict."""

import json
import os

import psycopg
from celery import Celery

from leaderboard.settings import Settings
from verifier import verify

settings = Settings.from_environment(os.environ)
app = Celery("one-task-each", broker=settings.broker_url)
app.conf.update(
    task_default_queue="one-task-each",
    task_ignore_result=True,
    worker_prefetch_multiplier=16,
    worker_hijack_root_logger=False,
    worker_send_task_events=False,
)
_conn: psycopg.Connection | None = None


@app.task(ignore_result=True)
def decide(number: int) -> None:
    """One submission, one transaction."""
    global _conn
    _conn = _conn or psycopg.connect(settings.database_url)
    with _conn.transaction():
        row = _conn.execute("SELECT record FROM plain WHERE id = %s", [number]).fetchone()
        assert row
        verdict = json.dumps(verify(row[0]).to_json())
        _conn.execute("UPDATE plain SET verdict = %s, done_at = clock_timestamp() WHERE id = %s", [verdict, number])
