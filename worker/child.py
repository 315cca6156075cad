"""What a pool child does first: memory limit, pool, a thread that drains every 2 s."""

import ctypes
import logging
import os
import resource
import signal
import threading
import time
from typing import Any

from celery.signals import setup_logging, worker_init, worker_process_init, worker_process_shutdown

from leaderboard import db, tally
from leaderboard.db import Unavailable, transaction
from verifier import RULES
from worker import chores, logs, tasks
from worker.app import settings

log = logging.getLogger(__name__)

EVERY = 2.0
"""Seconds between two looks of a child's own thread. Nothing depends on Redis."""
MEMORY = 256 * 2**20
"""Bytes that a child may allocate beyond what it begins with. No record needs more than 100 MB."""
UNREPLACED = 3
"""Looks after which a dead child that nobody has replaced ends the worker."""

_PR_SET_PDEATHSIG = 1
_parent = os.getpid()
"""The worker's main process, which imports this file before it forks."""
_stop = threading.Event()
list(RULES.values())  # loaded here, before the fork: once for all children


@setup_logging.connect  # type: ignore[untyped-decorator]
def log_as_json(**_: Any) -> None:
    """Instead of what Celery would set up."""
    logs.configure(settings().log_level, "worker")


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


@worker_init.connect  # type: ignore[untyped-decorator]
def attend(**_: Any) -> None:
    """In the main process: see to it that dead children are replaced."""
    threading.Thread(target=guard, name="guard", daemon=True).start()


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
    # Not at once: Celery takes the death of a child before its own start is through for a reason to give up.
    while not _stop.wait(EVERY):
        try:
            tasks.chores()
            chores.look()
            if tally.due():
                with transaction() as conn:
                    tally.add(conn)
            while not _stop.is_set() and (tasks.work() or tasks.verify_again()):
                pass
        except Unavailable as error:
            log.warning("the database is away: %s", error)
        except Exception:
            log.exception("a drain failed")


def guard() -> None:
    """End the worker if it leaves a dead child unreplaced, as Celery does while it waits for Redis.

    Whoever supervises the worker starts another one, whose children drain without Redis.
    """
    seen, times = 0, 0
    while True:
        time.sleep(EVERY)
        try:
            dead = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            dead = None
        seen, times = (dead.si_pid, times + 1 if dead.si_pid == seen else 1) if dead else (0, 0)
        if times == UNREPLACED:
            log.critical("child %d died and is not replaced; the worker ends, to be started again", seen)
            os._exit(1)
