"""ring(), and the thread of a web process that turns rings into messages.

An upload wakes the thread after its commit and never waits for Redis. A ring that fails is harmless: the thread looks
again within a second, and the workers look by themselves.
"""

import logging
import threading
from functools import cache
from time import sleep

import redis
from kombu.exceptions import OperationalError
from redis.backoff import NoBackoff
from redis.retry import Retry

from leaderboard import queue, tally
from leaderboard.db import Unavailable, statement
from worker.app import QUEUE, app, settings

log = logging.getLogger(__name__)

EVERY = 1.0
"""Seconds between two looks without a ring."""
ENOUGH = 10
"""With so many messages waiting, one more would wake nobody."""

PAUSE = 0.01
"""Seconds between two messages: those who ring meanwhile share the next one."""
LONGER = 0.05
"""The same while enough messages wait: each will look for all rows."""

_rung = threading.Event()
_lock = threading.Lock()
_thread: threading.Thread | None = None


def ring() -> None:
    """Say that a row may be due; call it after the commit. Returns at once."""
    global _thread
    _rung.set()
    if _thread is None or not _thread.is_alive():
        with _lock:
            if _thread is None or not _thread.is_alive():
                _thread = threading.Thread(target=listen, args=[_rung], name="bell", daemon=True)
                _thread.start()


def listen(rung: threading.Event) -> None:
    """Woken by a ring, and about every second without one: send a message if a row is due and few messages wait."""
    while True:
        due = rung.wait(EVERY)  # who rings has just stored a row
        rung.clear()
        pause = PAUSE
        try:
            if due or _due():
                if _messages() < ENOUGH:
                    send()
                else:
                    pause = LONGER
        except (Unavailable, redis.RedisError, OperationalError, OSError) as error:
            log.debug("not rung: %s", error)
        except Exception:
            log.exception("not rung")
        sleep(pause)


def send() -> None:
    """One message: look."""
    tally.count("rings")
    app.send_task("drain", retry=False, ignore_result=True)


def _due() -> bool:
    with statement() as conn:
        return queue.due(conn)


def _messages() -> int:
    return int(_redis().llen(QUEUE))


@cache
def _redis() -> redis.Redis:
    return redis.Redis.from_url(
        settings().redis_url, socket_timeout=1, socket_connect_timeout=0.5, retry=Retry(NoBackoff(), 0)
    )
