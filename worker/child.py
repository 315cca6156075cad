"""What a pool child does first: memory limit, pool, a thread that drains every 2 s."""

import ctypes
import logging
import os
import resource
import signal
import threading
from typing import Any

from celery.signals import worker_process_init, worker_process_shutdown

from leaderboard import db
from leaderboard.db import Unavailable
from worker import tasks
from worker.app import settings

log = logging.getLogger(__name__)

EVERY = 2.0
"""Seconds between two looks of a child's own thread. Nothing depends on Redis."""
MEMORY = 256 * 2**20
"""Bytes that a child may allocate beyond what it begins with. No record needs more than 100 MB."""

_PR_SET_PDEATHSIG = 1
_parent = os.getpid()
"""The worker's main process, which imports this file before it forks."""
_stop = threading.Event()


@worker_process_init.connect  # type: ignore[untyped-decorator]
def begin(**_: Any) -> None:
    """Make a fresh child ready: it dies with its parent, and by the kernel's hand if a record takes too long."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != _parent:
        os._exit(1)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    limit_memory(MEMORY)
    db.open_pool(settings())
    threading.Thread(target=look, name="look", daemon=True).start()


@worker_process_shutdown.connect  # type: ignore[untyped-decorator]
def end(**_: Any) -> None:
    """Let the drain under way end, so that its rows need not wait for their lease."""
    _stop.set()
    tasks.wait()
    db.close_pool()


def limit_memory(more: int) -> None:
    """Let this process allocate so many bytes more than it has; beyond, allocations fail as MemoryError.

    RLIMIT_DATA counts what is private and writable. RLIMIT_AS would count what is only reserved, too, as threads do.
    """
    with open("/proc/self/statm") as statm:
        pages = int(statm.read().split()[5])
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (pages * resource.getpagesize() + more, hard))


def look() -> None:
    """Drain without being rung for, every 2 s and as long as there is something to do."""
    while not _stop.is_set():
        try:
            tasks.chores()
            while tasks.work() and not _stop.is_set():
                pass
        except Unavailable as error:
            log.warning("the database is away: %s", error)
        except Exception:
            log.exception("a drain failed")
        _stop.wait(EVERY)
