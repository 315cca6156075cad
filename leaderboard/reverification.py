"""A set of submissions that is verified again: who chooses it, its rows as a queue, how far it is.

The rows are claimed like those of `submission` (queue.py), but only while no upload is due. Each ends with a verdict of
the set's verifier version that does not rank; what would come of them, and whether it shall, is in correction.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from psycopg import errors
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from leaderboard import audit, redaction
from leaderboard.contestants import Contestant
from leaderboard.contests import Contest
from leaderboard.db import Connection, savepoint
from leaderboard.queue import BACKOFF, BATCH_BYTES, LEASE, STRIKES, Claimed, Done, columns
from verifier import VERSION

State = Literal["open", "applied", "cancelled"]


class StillOpen(Exception):
    """Another set of this contest is neither applied nor cancelled."""


class NothingChosen(Exception):
    """No decided submission fits the filter."""


@dataclass(frozen=True)
class Filter:
    """Which decided submissions of a contest; what is None asks nothing."""

    setup: int | None = None
    """By the number of the contest's setup."""
    accepted: bool | None = None
    code: str | None = None
    """The error that the present verdict names."""
    older_than: str | None = None
    """A verifier version: the present verdict is of an older one."""
    received_from: datetime | None = None
    received_before: datetime | None = None
    contestant: UUID | None = None
    ids: Sequence[UUID] | None = None

    def to_json(self) -> dict[str, Any]:
        """What is asked, as JSON values."""
        said = {name: value for name, value in vars(self).items() if value is not None}
        for name in ("received_from", "received_before"):
            if name in said:
                said[name] = said[name].isoformat().replace("+00:00", "Z")
        if "contestant" in said:
            said["contestant"] = str(said["contestant"])
        if "ids" in said:
            said["ids"] = [str(each) for each in said["ids"]]
        return said


@dataclass(frozen=True)
class Reverification:
    """A set, and how far it is."""

    id: UUID
    contest: int
    version: str
    """Of the verifier that judges it."""
    filter: dict[str, Any]
    created_by: str
    created_at: datetime
    state: State
    ended_by: str | None
    ended_at: datetime | None
    reason: str
    changed: int | None
    """Verdicts that became other ones, once it is applied."""
    total: int
    decided: int
    """Rows that need no more work: verified, failed or odd."""
    failed: int
    """Rows that the verifier could not judge; they keep their verdicts."""
    odd: int
    """Rows of which this very version said something else before; they keep their verdicts."""

    @property
    def ready(self) -> bool:
        """All is verified, and nothing is decided about it yet."""
        return self.state == "open" and self.decided == self.total

    @property
    def outdated(self) -> bool:
        """Its verifier version is no longer the running one, so nobody works on it."""
        return self.state == "open" and self.version != VERSION


_SELECT = """
    SELECT id, contest, version, filter, created_by, created_at, reverification.state, ended_by, ended_at, reason,
           changed, total, decided, failed, odd
    FROM reverification CROSS JOIN LATERAL (
        SELECT count(*) AS total, count(*) FILTER (WHERE state IN ('decided', 'failed', 'odd')) AS decided,
               count(*) FILTER (WHERE state = 'failed') AS failed, count(*) FILTER (WHERE state = 'odd') AS odd
        FROM reverification_row WHERE reverification_row.reverification = reverification.id) AS counted"""


def create(conn: Connection, contest: Contest, actor: Contestant | str, chosen: Filter) -> Reverification:
    """Choose submissions; the workers begin with them when the caller commits. Raises StillOpen, NothingChosen."""
    asked = chosen.to_json()
    try:
        with savepoint(conn):
            row = conn.execute(
                """
                INSERT INTO reverification (contest, version, filter, created_by)
                VALUES (%s, %s, %s, %s) RETURNING id""",
                [contest.id, VERSION, Jsonb(asked), audit.name_of(actor)],
            ).fetchone()
    except errors.UniqueViolation:
        raise StillOpen("Another re-verification of this contest is open: apply or cancel it first.") from None
    assert row
    taken = conn.execute(
        """
        INSERT INTO reverification_row (reverification, submission, base)
        SELECT %(id)s, submission.id, verdict.version
        FROM submission JOIN verdict ON verdict.submission = submission.id AND applied
        WHERE contest = %(contest)s AND submission.state = 'decided'
          AND (%(setup)s::int IS NULL OR submission.setup = %(setup)s)
          AND (%(accepted)s::bool IS NULL OR accepted = %(accepted)s)
          AND (%(code)s::text IS NULL OR verdict -> 'error' ->> 'code' = %(code)s)
          AND (%(versions)s::text[] IS NULL OR verdict.version = ANY(%(versions)s))
          AND (%(received_from)s::timestamptz IS NULL OR received_at >= %(received_from)s)
          AND (%(received_before)s::timestamptz IS NULL OR received_at < %(received_before)s)
          AND (%(contestant)s::uuid IS NULL OR contestant = %(contestant)s)
          AND (%(ids)s::uuid[] IS NULL OR submission.id = ANY(%(ids)s))""",
        {
            **vars(chosen),
            "ids": None if chosen.ids is None else list(chosen.ids),
            "id": row[0],
            "contest": contest.id,
            "versions": None if chosen.older_than is None else _older(conn, contest, chosen.older_than),
        },
    ).rowcount
    if not taken:
        raise NothingChosen("No decided submission of this contest fits.")
    audit.note(conn, actor, "reverify", f"contest {contest.slug}", f"{taken} submissions by verifier version {VERSION}")
    found = get(conn, contest, row[0])
    assert found
    return found


def get(conn: Connection, contest: Contest, reverification_id: UUID) -> Reverification | None:
    """That set of the contest."""
    rows = conn.cursor(row_factory=class_row(Reverification))
    return rows.execute(_SELECT + " WHERE id = %s AND contest = %s", [reverification_id, contest.id]).fetchone()


def newest(conn: Connection, contest: Contest) -> Reverification | None:
    """The one that is open, or else the last one."""
    found = listed(conn, contest, 1)
    return found[0] if found else None


def listed(conn: Connection, contest: Contest, limit: int = 50) -> list[Reverification]:
    """The sets of a contest, the newest first."""
    rows = conn.cursor(row_factory=class_row(Reverification))
    return rows.execute(
        _SELECT + " WHERE contest = %s ORDER BY created_at DESC, id LIMIT %s", [contest.id, limit]
    ).fetchall()


def corrections(conn: Connection, contest: Contest) -> list[Reverification]:
    """Those that were applied, the newest first: what the contest's page tells everybody. No hidden name is in it."""
    rows = conn.cursor(row_factory=class_row(Reverification)).execute(
        _SELECT + " WHERE contest = %s AND reverification.state = 'applied' ORDER BY ended_at DESC", [contest.id]
    )
    found = rows.fetchall()
    hide = redaction.of(conn) if found else str
    return [replace(row, reason=hide(row.reason)) for row in found]


def progress(conn: Connection) -> list[tuple[str, int, int]]:
    """Of each open set: the contest's slug, how many rows it has, and how many need no more work."""
    return conn.execute(
        """
        SELECT slug, count(*), count(*) FILTER (WHERE row.state NOT IN ('waiting', 'verifying'))
        FROM reverification JOIN contest ON contest.id = contest
                            JOIN reverification_row AS row ON row.reverification = reverification.id
        WHERE reverification.state = 'open' GROUP BY slug ORDER BY slug"""
    ).fetchall()


# --- the rows as a queue ---------------------------------------------------------------------------------------------


def claim(conn: Connection, k: int) -> list[Claimed]:
    """Take up to k due rows of this process's verifier version. A row whose attempt died in company comes alone."""
    conn.execute("SET LOCAL synchronous_commit = off")
    conn.execute(
        """
        WITH dead AS (
            SELECT reverification, submission,
                   strikes + (alone AND claimed_at > pg_postmaster_start_time())::int AS strikes
            FROM reverification_row WHERE state = 'verifying' AND due_at <= now()
            ORDER BY submission FOR UPDATE SKIP LOCKED
        )
        UPDATE reverification_row AS row SET strikes = dead.strikes, suspect = true,
               state = CASE WHEN dead.strikes < %(most)s THEN 'waiting' ELSE 'failed' END,
               due_at = now() + interval '1 s' * (%(backoff)s::int[])[least(dead.strikes, %(most)s - 1) + 1]
        FROM dead WHERE row.reverification = dead.reverification AND row.submission = dead.submission""",
        {"most": STRIKES, "backoff": list(BACKOFF)},
    )
    return (
        conn.cursor(row_factory=class_row(Claimed))
        .execute(
            """
        WITH due AS MATERIALIZED (
            SELECT row.reverification, row.submission, row.due_at, row.suspect, size
            FROM reverification_row AS row JOIN reverification ON reverification.id = row.reverification
                                           JOIN submission ON submission.id = row.submission
            WHERE row.state = 'waiting' AND row.due_at <= now()
              AND reverification.state = 'open' AND version = %(version)s
            ORDER BY row.due_at, row.submission LIMIT %(k)s FOR UPDATE OF row SKIP LOCKED
        ), placed AS (
            SELECT *, row_number() OVER so_far AS place, bool_or(suspect) OVER so_far AS suspects,
                   sum(size) OVER so_far AS bytes
            FROM due WINDOW so_far AS (ORDER BY due_at, submission)
        ), taken AS (
            SELECT *, count(*) OVER () = 1 AS single FROM placed
            WHERE place = 1 OR NOT suspects AND bytes <= %(bytes)s
        )
        UPDATE reverification_row AS row SET state = 'verifying', attempt = row.attempt + 1, alone = single,
               claimed_at = now(), due_at = now() + interval '1 s' * %(lease)s
        FROM taken JOIN submission ON submission.id = taken.submission JOIN contest ON contest.id = contest
        WHERE row.reverification = taken.reverification AND row.submission = taken.submission
        RETURNING row.submission AS id, contest, row.attempt, row.alone, record, puzzle,
                  ARRAY(SELECT header FROM contest_setup WHERE contest_setup.contest = submission.contest
                        ORDER BY number) AS setups""",
            {"k": k, "bytes": BATCH_BYTES, "lease": LEASE, "version": VERSION},
            binary=True,
        )
        .fetchall()
    )


def finish(conn: Connection, done: Sequence[Done]) -> set[UUID]:
    """Keep what the verifier said of the rows whose attempt is still ours; it ranks nothing. The ids of those rows.

    A verdict that this version gave before stays as it is; if it was another one, the row is odd.
    """
    if not done:
        return set()
    rows = conn.execute(
        """
        WITH done AS (
            SELECT * FROM unnest(
                %(ids)b::uuid[], %(attempts)b::int[], %(accepted)b::bool[], %(verdicts)b::json[], %(details)b::json[],
                %(plays)b::bytea[], %(layouts)b::text[], %(players)b::json[], %(microseconds)b::int[])
            AS done (id, attempt, accepted, verdict, detail, play, layout, players, microseconds)
        ), mine AS (
            UPDATE reverification_row AS row SET state = CASE WHEN EXISTS (
                SELECT FROM verdict AS other WHERE other.submission = row.submission AND other.version = %(version)s
                                               AND other.verdict::text <> done.verdict::text
            ) THEN 'odd' ELSE 'decided' END
            FROM done, reverification
            WHERE row.submission = done.id AND row.attempt = done.attempt AND row.state = 'verifying'
              AND reverification.id = row.reverification AND reverification.state = 'open'
              AND reverification.version = %(version)s
            RETURNING row.submission
        ), kept AS (
            INSERT INTO verdict (submission, version, accepted, verdict, detail, play, setup, players, applied,
                                 microseconds)
            SELECT done.id, %(version)s, accepted, verdict, detail, play,
                   (SELECT number FROM contest_setup
                    WHERE contest_setup.contest = submission.contest AND contest_setup.layout = done.layout),
                   players, false, microseconds
            FROM done JOIN mine ON mine.submission = done.id JOIN submission ON submission.id = done.id
            ON CONFLICT (submission, version) DO NOTHING
        )
        SELECT submission FROM mine""",
        {"attempts": [each.row.attempt for each in done], "version": VERSION, **columns(done)},
    ).fetchall()
    return {submission for (submission,) in rows}


def give_back(conn: Connection, rows: Sequence[Claimed]) -> None:
    """Return rows that were not tried, uncounted."""
    _unfinished(conn, rows, "waiting")


def died(conn: Connection, rows: Sequence[Claimed]) -> None:
    """The attempt on these rows has failed: end their leases; it counts as any dead one."""
    _unfinished(conn, rows, "verifying")


def _unfinished(conn: Connection, rows: Sequence[Claimed], state: str) -> None:
    if rows:
        conn.execute(
            """
            UPDATE reverification_row AS row SET state = %(state)s, due_at = now()
            FROM unnest(%(ids)s::uuid[], %(attempts)s::int[]) AS mine (id, attempt)
            WHERE row.submission = mine.id AND row.attempt = mine.attempt AND row.state = 'verifying'""",
            {"state": state, "ids": [row.id for row in rows], "attempts": [row.attempt for row in rows]},
        )


def _older(conn: Connection, contest: Contest, version: str) -> list[str]:
    """The versions in use that are older: numbers between dots compare as numbers, and words before them."""
    rows = conn.execute(
        """
        SELECT DISTINCT version FROM submission JOIN verdict ON verdict.submission = submission.id AND applied
        WHERE contest = %s""",
        [contest.id],
    ).fetchall()
    return [each for (each,) in rows if _order(each) < _order(version)]


def _order(version: str) -> list[tuple[bool, int, str]]:
    parts = version.split(".")
    return [(True, int(part), "") if part.isdecimal() else (False, 0, part) for part in parts]
