"""due, claim, finish, give_back: the row as the queue.

A row is queued, then verifying under a lease, then decided. Who dies leaves a lease that runs out; the next drain finds
the row by that. `attempt` fences: only who made the last claim may finish it. An attempt that dies counts against a row
only if the row was alone in it, so a row whose attempt died in company is claimed alone from then on.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import Any
from uuid import UUID

from psycopg.rows import class_row
from psycopg.types.json import Json

from leaderboard import audit, best, events, matches, quota, ranking
from leaderboard.contestants import Contestant
from leaderboard.db import Connection
from verifier import RULES, VERSION, Verdict

LEASE = 6
"""Seconds that an attempt may take; more than the limit of a worker child (worker/child.py)."""
STRIKES = 3
"""So many attempts may die with a row that was alone in them; then it is `failed`."""
BACKOFF = (0, 1, 4)
"""Seconds until the next attempt, by strikes so far."""
SHARES = 8
"""The end of a queue is shared by so many processes at most, and a batch is cut into so many: beyond, counting the rows
and the statements around a batch cost more than a process that has nothing to do."""
BATCH_BYTES = 8 * 2**20
"""A batch has at most so many bytes of records, or one row."""


@dataclass(frozen=True)
class Claimed:
    """A row that this process may verify now."""

    id: UUID
    contest: int
    attempt: int
    alone: bool
    record: bytes
    puzzle: str
    setups: list[str]
    """The headers of the contest's setups."""
    request: str | None = None
    """The id of the request that brought it."""
    hidden: bool = False
    """It is the service's own (canary.py)."""


@dataclass(frozen=True)
class Done:
    """A claimed row and what the verifier said of it."""

    row: Claimed
    verdict: Verdict
    microseconds: int


@dataclass(frozen=True)
class Depth:
    """How much is waiting."""

    waiting: int
    oldest: float
    """Seconds that the oldest due row has waited; what workers are scaled by."""


def due(conn: Connection) -> bool:
    """Whether a drain would find something to do."""
    row = conn.execute("SELECT EXISTS (SELECT FROM submission WHERE waiting AND due_at <= now())").fetchone()
    return bool(row and row[0])


def claim(conn: Connection, k: int, processes: int = 1) -> list[Claimed]:
    """Take up to k due rows, in the fair order. A suspect row comes alone.

    Where fewer than k are due for each of the processes, it takes its share, so that they all end together. A lost
    claim is only a repeated one, so its commit need not wait for the disk. The rows are read in their order: what the
    planner believes of the queue is mostly of a time when it was empty, and so it would sort all of it.
    """
    conn.execute("SELECT set_config('synchronous_commit', 'off', true), set_config('enable_bitmapscan', 'off', true)")
    shares = min(processes, SHARES)
    lapsed, n = _due(conn, k * shares)
    if lapsed:
        _reap(conn, lapsed)
    share = max(ceil(n / shares), ceil(k / SHARES))
    return (
        conn.cursor(row_factory=class_row(Claimed))
        .execute(
            """
        WITH due AS MATERIALIZED (
            SELECT id, contest, turn, size, suspect FROM submission
            WHERE waiting AND state = 'queued' AND due_at <= now() ORDER BY turn LIMIT %(k)s FOR UPDATE SKIP LOCKED
        ), placed AS (
            SELECT *, row_number() OVER so_far AS place, bool_or(suspect) OVER so_far AS suspects,
                   sum(size) OVER so_far AS bytes
            FROM due WINDOW so_far AS (ORDER BY turn, id)
        ), taken AS (
            SELECT *, count(*) OVER () = 1 AS single FROM placed
            WHERE place = 1 OR NOT suspects AND bytes <= %(bytes)s
        ), judged AS MATERIALIZED (
            SELECT id AS contest, puzzle, slug = 'canary' AS hidden,
                   ARRAY(SELECT header FROM contest_setup WHERE contest_setup.contest = contest.id
                         ORDER BY number) AS setups
            FROM contest WHERE id IN (SELECT contest FROM due)
        )
        UPDATE submission SET state = 'verifying', attempt = attempt + 1, alone = single,
                              claimed_at = now(), due_at = now() + interval '1 s' * %(lease)s
        FROM taken JOIN judged USING (contest) WHERE submission.id = taken.id
        RETURNING submission.id, submission.contest, attempt, alone, record, request, hidden, puzzle, setups""",
            {"k": min(k, share), "bytes": BATCH_BYTES, "lease": LEASE},
            binary=True,  # records as they are, not twice as long in hexadecimal
        )
        .fetchall()
    )


def finish(conn: Connection, done: Sequence[Done]) -> dict[UUID, bool]:
    """Write the verdicts of the rows whose attempt is still ours, with bests and events.

    Returns the ids of those rows, each with whether it has changed a board. The others are somebody else's by now.
    """
    if not done:
        return {}
    events.lock(conn, (each.row.contest for each in done))
    verdicts = {each.row.id: each.verdict for each in done}
    decided = (
        conn.cursor(row_factory=class_row(_Decided))
        .execute(
            """
        WITH done AS (
            SELECT * FROM unnest(
                %(ids)b::uuid[], %(attempts)b::int[], %(accepted)b::bool[], %(verdicts)b::json[], %(details)b::json[],
                %(plays)b::bytea[], %(layouts)b::text[], %(players)b::json[], %(microseconds)b::int[])
            AS done (id, attempt, accepted, verdict, detail, play, layout, players, microseconds)
        ), mine AS (
            UPDATE submission SET state = 'decided', setup = (
                SELECT number FROM contest_setup
                WHERE contest_setup.contest = submission.contest AND layout = done.layout)
            FROM done WHERE submission.id = done.id AND submission.attempt = done.attempt AND state = 'verifying'
            RETURNING submission.id, submission.contest, contestant, received_at, setup, disqualified_at
        ), written AS (
            INSERT INTO verdict (submission, version, accepted, verdict, detail, play, setup, players, applied,
                                 microseconds)
            SELECT id, %(version)s, accepted, verdict, detail, play, setup, players, true, microseconds
            FROM done JOIN mine USING (id)
        )
        SELECT mine.id, mine.contest, puzzle, contestant, received_at, coalesce(setup, 0) AS setup, accepted,
               received_at < closes_at AND disqualified_at IS NULL AS timely,
               received_at < freezes_at AS early,
               counter.phase = 'published' AS published
        FROM mine JOIN done USING (id) JOIN contest_now AS now ON now.id = mine.contest
                  JOIN counter ON counter.contest = now.id
        ORDER BY received_at, mine.id""",
            {
                "attempts": [each.row.attempt for each in done],
                "version": VERSION,
                **columns(done),
            },
        )
        .fetchall()
    )
    results, handed = [], []
    for row in decided:
        score = verdicts[row.id].score
        if score is not None and RULES[row.puzzle].kind == "game":
            handed.append(matches.Handed(row.contest, row.id, row.contestant, verdicts[row.id]))
        elif score is not None and row.timely:
            key = ranking.sort_key(row.puzzle, score)
            faces = best.faces(row.early)
            results.append(
                best.Result(row.contest, row.contestant, row.setup, row.id, row.received_at, key, score, faces)
            )
    early = {row.id: row.early is not False or row.published for row in decided}
    changed = {each: early[each] for each in best.apply(conn, results)} | matches.enter(conn, handed)
    events.add(
        conn,
        [
            events.Happening(
                row.contest,
                "standing" if row.id in changed else "verdict",
                {"submission": str(row.id), "contestant": str(row.contestant), "accepted": row.accepted},
                public=changed.get(row.id, False),
            )
            for row in decided
        ],
    )
    return {row.id: row.id in changed for row in decided}


def columns(done: Sequence[Done]) -> dict[str, list[Any]]:
    """What is kept of verdicts, as columns of a statement."""
    return {
        "ids": [each.row.id for each in done],
        "accepted": [each.verdict.accepted for each in done],
        "verdicts": [Json(each.verdict.to_json()) for each in done],
        "details": [_detail(each.verdict) for each in done],
        "plays": [bytes.fromhex(each.verdict.play) if each.verdict.play else None for each in done],
        "layouts": [each.verdict.setup.text if each.verdict.setup else None for each in done],
        "players": [Json(each.verdict.players) if each.verdict.players else None for each in done],
        "microseconds": [each.microseconds for each in done],
    }


def give_back(conn: Connection, rows: Sequence[Claimed]) -> None:
    """Return rows that were not tried, uncounted: the next claim may take them at once."""
    if not rows:
        return
    conn.execute(
        """
        UPDATE submission SET state = 'queued', due_at = now()
        FROM unnest(%(ids)s::uuid[], %(attempts)s::int[]) AS mine (id, attempt)
        WHERE submission.id = mine.id AND submission.attempt = mine.attempt AND state = 'verifying'""",
        {"ids": [row.id for row in rows], "attempts": [row.attempt for row in rows]},
    )


def died(conn: Connection, rows: Sequence[Claimed]) -> None:
    """The attempt on these rows has failed, and we are here to say so: end their leases; it counts as any dead one."""
    if not rows:
        return
    conn.execute(
        """
        UPDATE submission SET due_at = now()
        FROM unnest(%(ids)s::uuid[], %(attempts)s::int[]) AS mine (id, attempt)
        WHERE submission.id = mine.id AND submission.attempt = mine.attempt AND state = 'verifying'""",
        {"ids": [row.id for row in rows], "attempts": [row.attempt for row in rows]},
    )


def retry(conn: Connection, submission_id: UUID, actor: Contestant | str, reason: str) -> bool:
    """Queue a `failed` submission again, as an organiser decides; whether it was one.

    Its upload was given back when it failed and is not taken again, nor given back a second time.
    """
    taken = conn.execute(
        """
        UPDATE submission SET state = 'queued', due_at = now(), strikes = 0, quota_day = NULL
        WHERE id = %s AND state = 'failed' RETURNING contest, contestant""",
        [submission_id],
    ).fetchone()
    if taken:
        thing = f"submission {submission_id}"
        audit.note(conn, actor, "requeue", thing, reason, contest=taken[0], whom=taken[1], shown="published")
    return bool(taken)


def depth(conn: Connection) -> Depth:
    """How many rows are not decided, and how long the oldest due one has waited."""
    row = conn.execute("""
        SELECT count(*), coalesce(extract(epoch FROM now() - min(received_at) FILTER (WHERE due_at <= now())), 0)
        FROM submission WHERE waiting""").fetchone()
    assert row
    return Depth(row[0], float(row[1]))


def pace(conn: Connection) -> float | None:
    """Seconds between two decisions while there is work, measured; None where that is not known.

    As long as something has waited, up to ten seconds, the workers had work; so many they have decided since. A queue
    that is too young for that counts as done one by one, each in the mean time of the last hundred.
    """
    row = conn.execute("""
        WITH busy AS (
            SELECT least(10, extract(epoch FROM now() - min(received_at)))::float8 AS seconds FROM submission
            WHERE waiting AND due_at <= now()
        )
        SELECT seconds, (SELECT count(*) FROM verdict WHERE decided_at > now() - interval '1 s' * seconds),
               (SELECT avg(microseconds)::float8 FROM (
                   SELECT microseconds FROM verdict ORDER BY decided_at DESC LIMIT 100) AS last)
        FROM busy""").fetchone()
    assert row
    seconds, decided, mean = row
    if seconds is not None and seconds > 1:
        return float(seconds / decided) if decided else None
    return None if mean is None else float(mean) / 1e6


def decided_in(conn: Connection, seconds: float) -> int:
    """How many submissions have got a verdict in so many seconds, but for the service's own."""
    row = conn.execute(
        """
        SELECT count(*) FROM verdict JOIN submission ON submission.id = submission JOIN contest ON contest.id = contest
        WHERE decided_at > now() - interval '1 s' * %s AND slug <> 'canary'""",
        [seconds],
    ).fetchone()
    assert row
    return int(row[0])


@dataclass(frozen=True)
class _Decided:
    id: UUID
    contest: int
    puzzle: str
    contestant: UUID
    received_at: datetime
    setup: int
    accepted: bool
    timely: bool
    early: bool | None
    published: bool


def _due(conn: Connection, most: int) -> tuple[list[UUID], int]:
    """Of the first `most` due rows: those whose lease has run out, as who had claimed them is gone; and how many."""
    row = conn.execute(
        """
        SELECT coalesce(array_agg(id) FILTER (WHERE state = 'verifying'), '{}'), count(*)
        FROM (SELECT id, state FROM submission WHERE waiting AND due_at <= now() ORDER BY turn LIMIT %s) AS due""",
        [most],
    ).fetchone()
    assert row
    return row[0], row[1]


def _reap(conn: Connection, ids: list[UUID]) -> None:
    """Queue rows whose lease has run out again; fail those that have had their attempts."""
    failed = conn.execute(
        """
        WITH dead AS (
            -- A restart of the database may have cut the attempt off; that says nothing about the row.
            SELECT id, strikes + (alone AND claimed_at > pg_postmaster_start_time())::int AS strikes
            FROM submission WHERE id = ANY(%(ids)s) AND state = 'verifying' AND due_at <= now()
            ORDER BY id FOR UPDATE SKIP LOCKED
        )
        UPDATE submission SET strikes = dead.strikes, suspect = true,
               state = CASE WHEN dead.strikes < %(most)s THEN 'queued' ELSE 'failed' END,
               due_at = now() + interval '1 s' * (%(backoff)s::int[])[least(dead.strikes, %(most)s - 1) + 1]
        FROM dead WHERE submission.id = dead.id
        RETURNING submission.id, contest, contestant, quota_day, state""",
        {"ids": ids, "most": STRIKES, "backoff": list(BACKOFF)},
    ).fetchall()
    for submission_id, contest, contestant, day, state in failed:
        if state == "failed":
            if day:
                quota.give_back(conn, contest, contestant, day)
            audit.note(conn, "worker", "failed", f"submission {submission_id}", f"{STRIKES} attempts to verify it died")


def _detail(verdict: Verdict) -> Json | None:
    if verdict.error is None:
        return None
    return Json({"template": verdict.error.template, "values": verdict.error.values})
