"""An open contest on the test's own database, contestants, and verdicts of any score."""

import secrets
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from fractions import Fraction

import pytest

from leaderboard import contestants, contests, queue, submissions
from leaderboard.contestants import Contestant
from leaderboard.contests import Contest
from leaderboard.db import Connection, transaction
from leaderboard.queue import Claimed, Done
from leaderboard.settings import Settings
from leaderboard.submissions import Submission
from verifier import Rejected, Verdict

DAY = timedelta(days=1)


def now() -> datetime:
    return datetime.now(UTC)


@pytest.fixture
def conn(pool: Settings) -> Iterator[Connection]:
    """A connection in a transaction of its own, committed at the end of the test."""
    with transaction() as conn:
        yield conn


@pytest.fixture
def contest(pool: Settings) -> Contest:
    """An open contest of jc-golden-nugget without a quota."""
    return make_contest()


def make_contest(slug: str = "open", **fields: object) -> Contest:
    """A contest of jc-golden-nugget that opened yesterday and closes tomorrow, unless stated."""
    stated = {"titles": {"en": "A contest"}, "puzzle": "jc-golden-nugget"} | fields
    with transaction() as conn:
        return contests.create(conn, slug=slug, **{"opens_at": now() - DAY, "closes_at": now() + DAY} | stated)


def current(contest: Contest) -> Contest:
    with transaction() as conn:
        found = contests.get(conn, contest.slug)
    assert found
    return found


def move(contest: Contest, **times: datetime | None) -> Contest:
    """Give the contest other times, as if the clock had been turned."""
    with transaction() as conn:
        sets = ", ".join(f"{name} = %({name})s" for name in times)
        conn.execute(f"UPDATE contest SET {sets} WHERE id = %(id)s", {"id": contest.id, **times})
    return current(contest)


@pytest.fixture
def enter(pool: Settings) -> Callable[..., Contestant]:
    """Register somebody."""

    def register(name: str | None = None, **fields: object) -> Contestant:
        with transaction() as conn:
            return contestants.register(conn, name or f"C {secrets.token_hex(6)}", **fields)[0]

    return register


def upload(contest: Contest, contestant: Contestant, record: bytes | None = None, key: str | None = None) -> Submission:
    with transaction() as conn:
        return submissions.add(conn, contest.slug, contestant, record or secrets.token_bytes(16), key)[0]


def claim(k: int = 100) -> list[Claimed]:
    with transaction() as conn:
        return queue.claim(conn, k)


def accepted(moves: Sequence[int]) -> Verdict:
    """What the verifier says of a chain with so many moves per board."""
    score = {
        "boards": len(moves),
        "moves": sum(moves),
        "mean": str(Fraction(sum(moves), len(moves))),
        "moves_per_board": list(moves),
    }
    return Verdict("jc-golden-nugget", score=score, play=secrets.token_hex(32))


def rejected(template: str = "{word} is no move.", word: str = "x") -> Verdict:
    return Verdict("jc-golden-nugget", error=Rejected("malformed", template, word=word))


def finish(pairs: Sequence[tuple[Claimed, Verdict]]) -> set[object]:
    with transaction() as conn:
        return set(queue.finish(conn, [Done(row, verdict, 1000) for row, verdict in pairs]))


def decide(contest: Contest, contestant: Contestant, verdict: Verdict) -> Submission:
    """Upload something and let this be its verdict."""
    row = upload(contest, contestant)
    claimed = claim()
    assert [each.id for each in claimed] == [row.id]
    finish([(claimed[0], verdict)])
    with transaction() as conn:
        found = submissions.get(conn, row.id)
    assert found
    return found
