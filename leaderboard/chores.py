"""When the service last looked after itself, and what it found; the self-audit and the clean-up."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from leaderboard import best, league
from leaderboard.db import Connection
from verifier import VERSION

CONTESTS, CONTESTANTS, FENCES, RECORDS = 5, 20, 10, 5
"""How much one self-audit looks at."""


@dataclass(frozen=True)
class Chore:
    """How a chore stands."""

    name: str
    done_at: datetime | None
    """When it last ended well."""
    age: float | None
    """Seconds since then."""
    waiting: float
    """Seconds since it was due; negative before."""
    findings: list[str]
    facts: dict[str, Any]


def all_of(conn: Connection) -> dict[str, Chore]:
    """Every chore by its name."""
    rows = conn.cursor(row_factory=class_row(Chore)).execute("""
        SELECT name, done_at, extract(epoch FROM now() - done_at)::float8 AS age,
               extract(epoch FROM now() - due_at)::float8 AS waiting, findings, facts FROM chore ORDER BY name""")
    return {row.name: row for row in rows}


def due(conn: Connection) -> list[str]:
    """The chores that are due."""
    return [name for (name,) in conn.execute("SELECT name FROM chore WHERE due_at <= now() ORDER BY name").fetchall()]


def take(conn: Connection, name: str, every: float) -> bool:
    """Whether the caller is to do it: it was due, and now is not before so many seconds have gone by."""
    return bool(
        conn.execute(
            "UPDATE chore SET due_at = now() + interval '1 s' * %s WHERE name = %s AND due_at <= now()", [every, name]
        ).rowcount
    )


def ended(conn: Connection, name: str, every: float, findings: Sequence[str], facts: dict[str, Any]) -> None:
    """It has run and found this; without findings it ended well."""
    conn.execute(
        """
        UPDATE chore SET findings = %(findings)s, facts = facts || %(facts)s,
                         due_at = now() + interval '1 s' * %(every)s,
                         done_at = CASE WHEN %(well)s THEN now() ELSE done_at END
        WHERE name = %(name)s""",
        {
            "name": name,
            "findings": Jsonb(list(findings)),
            "facts": Jsonb(facts),
            "every": every,
            "well": not findings,
        },
    )


# --- the self-audit --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Kept:
    """A decided submission, to be judged again."""

    id: UUID
    record: bytes
    sound: bool
    """Its bytes have the SHA-256 and the size that were noted."""
    puzzle: str
    setups: list[str]
    verdict: dict[str, Any]
    version: str


def audit(conn: Connection) -> tuple[list[str], list[Kept]]:
    """What is wrong with a sample of bests and fences, and some records to be verified again.

    The caller's transaction is a snapshot; each statement is bounded in time.
    """
    conn.execute("SET LOCAL statement_timeout = '2s'")
    return _wrong_bests(conn) + _wrong_fences(conn), _records(conn)


def _wrong_bests(conn: Connection) -> list[str]:
    """Of some contestants of some contests: do their bests follow from the verdicts?"""
    found = []
    rows = conn.execute(
        """
        SELECT id, slug, EXISTS (SELECT FROM league WHERE contest = contest.id) FROM contest
        ORDER BY random() LIMIT %s""",
        [CONTESTS],
    ).fetchall()
    for contest, slug, is_league in rows:
        many = best.many_setups(conn, {contest})
        sample = conn.execute(
            """
            SELECT DISTINCT contestant FROM (
                SELECT contestant FROM best WHERE contest = %s AND contestant >= gen_random_uuid()
                ORDER BY contestant LIMIT %s) AS few""",
            [contest, CONTESTANTS],
        ).fetchall()
        for (contestant,) in sample:
            after: best.Bests = {}
            if is_league:
                after = league.table(conn, contest, [contestant])
            else:
                results = conn.execute(
                    best.RESULTS + " AND submission.contestant = %(contestant)s",
                    {"contest": contest, "contestant": contestant},
                )
                best.improve(after, best.results(results), many)
            if best.changes(best.read(conn, [(contest, contestant)]), after):
                found.append(f"The standings of contestant {contestant} in {slug} do not follow from the verdicts.")
    return found


def _wrong_fences(conn: Connection) -> list[str]:
    """Of some fences: does each count the rows from it to the next one?"""
    rows = conn.execute(
        """
        WITH few AS (SELECT * FROM fence ORDER BY random() LIMIT %s)
        SELECT slug, few.setup, few.live FROM few JOIN contest ON contest.id = few.contest
        LEFT JOIN LATERAL (
            SELECT key, received_at, contestant FROM fence AS behind
            WHERE behind.contest = few.contest AND behind.setup = few.setup AND behind.live = few.live
              AND (behind.key, behind.received_at, behind.contestant) > (few.key, few.received_at, few.contestant)
            ORDER BY key, received_at, contestant LIMIT 1) AS next ON true
        WHERE few.rows <> (
            SELECT count(*) FROM best
            WHERE best.contest = few.contest AND best.setup = few.setup AND best.live = few.live
              AND (best.key, best.received_at, best.contestant) >= (few.key, few.received_at, few.contestant)
              AND (next.key IS NULL OR (best.key, best.received_at, best.contestant)
                                       < (next.key, next.received_at, next.contestant)))""",
        [FENCES],
    ).fetchall()
    return [f"A count of the board of {slug} is wrong (setup {setup}, live {live})." for slug, setup, live in rows]


def _records(conn: Connection) -> list[Kept]:
    return (
        conn.cursor(row_factory=class_row(Kept))
        .execute(
            """
        SELECT few.id, record, sha256(record) = sha256 AND size = octet_length(record) AS sound, puzzle,
               ARRAY(SELECT header FROM contest_setup WHERE contest_setup.contest = few.contest
                     ORDER BY number) AS setups,
               verdict, version
        FROM (SELECT * FROM submission WHERE id >= gen_random_uuid() AND state = 'decided' ORDER BY id LIMIT %s) AS few
        JOIN contest ON contest.id = few.contest JOIN verdict ON verdict.submission = few.id AND applied""",
            [RECORDS],
            binary=True,
        )
        .fetchall()
    )


def wrong_verdict(kept: Kept, verdict: dict[str, Any]) -> str | None:
    """What is wrong with a kept submission, now that the verifier has judged it again."""
    if not kept.sound:
        return f"The record of submission {kept.id} is not what was received."
    if kept.version == VERSION and kept.verdict != verdict:
        return f"Submission {kept.id} has another verdict than version {VERSION} gives it now."
    return None


# --- the clean-up ----------------------------------------------------------------------------------------------------


def clean(conn: Connection) -> int:
    """Forget tokens that have been of no use for 30 days, some at a time: how many."""
    conn.execute("SET LOCAL statement_timeout = '2s'")
    return conn.execute("""
        DELETE FROM token WHERE id IN (
            SELECT id FROM token
            WHERE least(expires_at, revoked_at) < now() - interval '30 days' LIMIT 1000)""").rowcount
