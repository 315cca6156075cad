"""How many requests are answered: counted in Redis, for all web processes together.

One script counts a request and tells what is left, in one round trip. With Redis away or slow the counting goes on in
each process, and an answer has waited a fraction of a second.
"""

from __future__ import annotations

import hashlib
import logging
from collections import deque
from collections.abc import Callable
from math import ceil
from threading import Lock, local
from time import monotonic, time
from typing import Any, NamedTuple

import redis
from flask import Flask, Response, g, request
from redis.backoff import NoBackoff
from redis.retry import Retry

from api import auth
from api.problems import Problem
from leaderboard.contestants import SPELLING, folded
from leaderboard.db import Unavailable
from leaderboard.settings import Settings

log = logging.getLogger(__name__)

PATIENCE = 0.2
"""Seconds that a request waits for Redis; then it is believed to be away."""
PAUSES = (1, 2, 4, 8, 16, 30)
"""Seconds until it is asked again, by how often it did not answer."""
MANY = 10_000
"""Keys that a process counts by itself, before it forgets those whose time is over."""


def address() -> str:
    """Where the request comes from."""
    return request.remote_addr or ""


def whoever() -> str:
    """The contestant, else the address. A bad token is left to the view: here it would hide the limit."""
    try:
        return str(auth.presumed()[0].id)
    except (Problem, Unavailable):
        return address()


MINUTE, HOUR = 60, 3600
LIMITS: dict[str, tuple[int, int, Callable[[], str]]] = {
    "contestants.register": (30, HOUR, address),
    "pages.registered": (30, HOUR, address),
    "pages.signed_in": (20, MINUTE, address),
    "accounts.change": (20, HOUR, whoever),
    "accounts.delete": (20, HOUR, whoever),
    "pages.account_changed": (20, HOUR, whoever),
    "pages.account_deleted": (20, HOUR, whoever),
    "submissions.submit": (60, MINUTE, whoever),
    "pages.uploaded": (60, MINUTE, whoever),
    "verify.verify": (60, MINUTE, address),
    "pages.verified": (60, MINUTE, address),
    "verify.replay": (240, MINUTE, address),
    "pages.carried_replay": (240, MINUTE, address),
}
"""Routes that have a limit of their own: so many requests in so many seconds, counted for each of what the function
tells."""
GUESSES = ((20, HOUR), (5, MINUTE))
"""Sign-ins by password under one name, from wherever, whether anybody has it or not. A token signs in all the same, so
nobody is shut out by others who guess."""
OTHERS = (1200, MINUTE, address)
"""The limit of each other route."""
TOLD = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")
EXEMPT = ("pages.static", "health.alive", "health.ready", "health.metrics")


class Count(NamedTuple):
    """What has become of a request among those of the moving window before it."""

    taken: bool
    left: int
    """So many more may come now."""
    reset: float
    """Seconds until the oldest request leaves the window."""


# The times of a key's requests, the newest first; as many as the limit at most, so nothing that was refused.
COUNT = """
local time = redis.call('time')
local now, most, span = time[1] + time[2] / 1e6, tonumber(ARGV[1]), tonumber(ARGV[2])
local oldest = redis.call('lindex', KEYS[1], -1)
while oldest and tonumber(oldest) <= now - span do
    redis.call('rpop', KEYS[1])
    oldest = redis.call('lindex', KEYS[1], -1)
end
local n = redis.call('llen', KEYS[1])
local taken = n < most
if taken then
    n = redis.call('lpush', KEYS[1], string.format('%.6f', now))
    redis.call('expire', KEYS[1], span)
end
return {taken and 1 or 0, most - n, tostring(span - (now - (oldest or now)))}
"""


SHA = hashlib.sha1(COUNT.encode(), usedforsecurity=False).hexdigest()
"""What Redis calls the script."""


class Memory:
    """The same count in this process."""

    def __init__(self) -> None:
        self._times: dict[str, deque[float]] = {}
        self._lock = Lock()

    def count(self, key: str, most: int, span: int) -> Count:
        now = monotonic()
        with self._lock:
            if len(self._times) > MANY:
                self._times = {other: times for other, times in self._times.items() if times[-1] > now - HOUR}
            times = self._times.setdefault(key, deque())
            while times and times[0] <= now - span:
                times.popleft()
            if taken := len(times) < most:
                times.append(now)
            return Count(taken, most - len(times), span - (now - times[0]))


class Counter:
    """The count in Redis; in memory while that is away."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._of_thread = local()
        self._memory = Memory()
        self._failures = 0
        self._again = 0.0

    def count(self, key: str, most: int, span: int) -> Count:
        if self._failures and monotonic() < self._again:
            return self._memory.count(key, most, span)
        try:
            taken, left, reset = self._ask(f"limit/{key}", most, span)
        except redis.RedisError as error:
            if not self._failures:
                log.warning("Redis is away, requests are counted here: %s", error)
            pause = PAUSES[min(self._failures, len(PAUSES) - 1)]
            self._failures, self._again = self._failures + 1, monotonic() + pause
            return self._memory.count(key, most, span)
        self._failures = 0
        return Count(bool(taken), left, float(reset))

    def _ask(self, *what: str | int) -> Any:
        """Run the script, over a connection of this thread: taking one from a pool costs as much as using it."""
        try:
            client = self._of_thread.client
        except AttributeError:
            client = self._of_thread.client = redis.Redis.from_url(
                self._url,
                single_connection_client=True,
                socket_timeout=PATIENCE,
                socket_connect_timeout=PATIENCE,
                # A connection that has ended meanwhile is opened again, at once; who is slow is not asked again.
                retry=Retry(NoBackoff(), 1, (redis.ConnectionError,)),
            )
        try:
            return client.evalsha(SHA, 1, *what)
        except redis.exceptions.NoScriptError:
            return client.eval(COUNT, 1, *what)


def _claimed() -> str:
    """The name under which somebody wants to sign in, as names are compared."""
    name = folded(request.form.get("name", "").strip()[:SPELLING])
    return hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()


def init_app(app: Flask, settings: Settings) -> None:
    """Count the requests of the app, before its views."""
    if not settings.rate_limits:
        return
    counter = Counter(settings.redis_url)

    def count() -> None:
        endpoint = request.endpoint
        if endpoint is None or endpoint in EXEMPT:
            return
        most, span, key = LIMITS.get(endpoint, OTHERS)
        check(f"{endpoint}/{key()}", most, span)
        if endpoint == "pages.signed_in" and not request.form.get("token"):
            for most, span in GUESSES:
                check(f"name/{span}/{_claimed()}", most, span)

    def check(key: str, most: int, span: int) -> None:
        most *= settings.rate_limits
        found = counter.count(key, most, span)
        g.limit = (most, found.left, ceil(time() + found.reset))
        if not found.taken:
            raise Problem(
                "rate-limited",
                f"At most {most} per {'hour' if span == HOUR else 'minute'} are answered; wait a little.",
                headers={"Retry-After": str(max(1, ceil(found.reset)))},
            )

    app.before_request(count)
    app.after_request(_tell)


def _tell(response: Response) -> Response:
    if limit := g.get("limit"):
        response.headers.extend(zip(TOLD, map(str, limit), strict=True))
    return response
