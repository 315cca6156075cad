"""add, get, record_of: what was uploaded, and what became of it."""

import hashlib
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from psycopg import errors
from psycopg.rows import class_row

from leaderboard import redaction
from leaderboard.contestants import Contestant
from leaderboard.contests import CANARY, Contest
from leaderboard.db import Connection

State = Literal["queued", "verifying", "accepted", "rejected", "failed"]


class NoContest(Exception):
    """There is no contest of that slug."""


class NotOpen(Exception):
    """The contest takes no uploads in its present phase ("upcoming" or "published")."""

    def __init__(self, phase: str) -> None:
        super().__init__(f"The contest is {phase}.")
        self.phase = phase


class QuotaUsed(Exception):
    """The contestant's uploads of this UTC day are used up. Nothing was stored."""

    def __init__(self, quota: int, resets_at: datetime) -> None:
        super().__init__(f"All {quota} uploads of this day are used.")
        self.quota = quota
        self.resets_at = resets_at


class NotTheirs(Exception):
    """The token is not good any more, or was not shown yet today. Nothing was stored."""


class KeyReused(Exception):
    """The idempotency key came with other bytes before."""


@dataclass(frozen=True)
class Submission:
    """An upload as it stands now."""

    id: UUID
    contest: str
    """The contest's slug."""
    contestant_id: UUID
    contestant: str
    """The contestant's name as the public reads it."""
    received_at: datetime
    sha256: str
    """Hexadecimal."""
    size: int
    state: State
    verdict: dict[str, Any] | None
    """As docs/FORMATS.md has it; None until decided."""
    detail: dict[str, Any] | None
    """{"template", "values"} of a rejected record's message, for other languages."""
    version: str | None
    """Of the verifier that gave the verdict."""
    decided_at: datetime | None
    late: bool
    """Received at or after closes_at: verified and shown, never ranked."""
    disqualified: bool
    withdrawn: bool
    """Its contestant has left and the contest keeps no records; disqualified too."""
    position: int | None
    """Rows that come before it in the queue, plus 1; None once it is decided, and of an upload that was just kept."""

    @property
    def waits(self) -> bool:
        """It has no verdict yet, and will get one."""
        return self.state in ("queued", "verifying")


@dataclass(frozen=True)
class Sees:
    """What somebody may see of a submission."""

    summary: bool
    """State, verdict, score, times."""
    record: bool
    """The very bytes, and the replay."""
    names: bool
    """Names that are hidden from the public."""


SELECT = """
    SELECT submission.id, contest.slug AS contest, contestant.id AS contestant_id, contestant.shown AS contestant,
           received_at, encode(sha256, 'hex') AS sha256, size,
           CASE WHEN state <> 'decided' THEN state WHEN accepted THEN 'accepted' ELSE 'rejected' END AS state,
           verdict, detail, version, decided_at, received_at >= closes_at AS late,
           disqualified_at IS NOT NULL AS disqualified, withdrawn_at IS NOT NULL AS withdrawn,
           CASE WHEN waiting THEN
               (SELECT count(*) FROM submission AS other
                WHERE other.waiting AND other.turn < submission.turn) + 1 END AS position
    FROM submission
    JOIN contest ON contest.id = submission.contest
    JOIN contestant ON contestant.id = submission.contestant
    LEFT JOIN verdict ON verdict.submission = submission.id AND applied
"""


def add(
    conn: Connection,
    slug: str,
    contestant: Contestant,
    record: bytes,
    key: str | None = None,
    request: str | None = None,
    token: UUID | None = None,
) -> tuple[Submission, bool]:
    """Keep a record for the contest of that slug: the submission, and whether it is new.

    The same bytes again are the earlier one, at no cost. `key` is the client's idempotency key, any text; `request`
    what the logs call the request; `token` one of the contestant's that has yet to be checked, without a key.
    Raises NotTheirs, NoContest, NotOpen, QuotaUsed, KeyReused; then nothing is stored.
    """
    # One statement; so a connection of db.statement() may do as well as a transaction, without a key.
    sha256 = hashlib.sha256(record).digest()
    if key is None:
        return _keep(conn, slug, contestant, record, sha256, request, token)
    with conn.transaction():
        if known := _of_key(conn, slug, contestant, key):
            if known[1] != sha256:
                raise KeyReused
            return _found(conn, known[0]), False
        row, new = _keep(conn, slug, contestant, record, sha256, request)
        _remember(conn, slug, contestant, key, row.id, sha256)
        return row, new


def get(conn: Connection, submission_id: UUID) -> Submission | None:
    """The submission with that id."""
    rows = conn.cursor(row_factory=class_row(Submission))
    return rows.execute(SELECT + " WHERE submission.id = %s", [submission_id]).fetchone()


def record_of(conn: Connection, submission_id: UUID) -> bytes | None:
    """The very bytes."""
    row = conn.execute("SELECT record FROM submission WHERE id = %s", [submission_id]).fetchone()
    return row[0] if row else None


def of_contestant(
    conn: Connection,
    contestant_id: UUID,
    contest: Contest | None = None,
    limit: int = 50,
    before: Submission | None = None,
) -> list[Submission]:
    """A contestant's submissions, the newest first; `before` is the last one of the page before."""
    return (
        conn.cursor(row_factory=class_row(Submission))
        .execute(
            SELECT
            + """
        WHERE submission.contestant = %(contestant)s
          AND (%(contest)s::int IS NULL OR submission.contest = %(contest)s)
          AND (%(at)s::timestamptz IS NULL OR (received_at, submission.id) < (%(at)s, %(id)s::uuid))
        ORDER BY received_at DESC, submission.id DESC LIMIT %(limit)s""",
            {
                "contestant": contestant_id,
                "contest": contest and contest.id,
                "at": before and before.received_at,
                "id": before and before.id,
                "limit": limit,
            },
        )
        .fetchall()
    )


def receipt(submission: Submission) -> dict[str, str]:
    """What the contestant can keep as proof of what was received, and when."""
    return {
        "contest": submission.contest,
        "submission": str(submission.id),
        "contestant": str(submission.contestant_id),
        "sha256": submission.sha256,
        "received_at": submission.received_at.isoformat(timespec="microseconds").replace("+00:00", "Z"),
    }


def visible(conn: Connection, submission: Submission, viewer: Contestant | None) -> Sees:
    """What `viewer` (None: anybody) may see of it.

    The owner and the players of a match everything; once published, everybody everything; before, organisers all but
    the record, others the summary of what stands on the public board, or counts there. Of a match that is disputed or
    not answered in time organisers see the record too, as they have to decide it. A record of a league names players,
    whether or not it has become a match: while a name in it is hidden, the public does not read it. Nobody sees the
    service's own.
    """
    if submission.contest == CANARY:
        return Sees(summary=False, record=False, names=False)
    row = conn.execute(
        """
        SELECT phase = 'published',
               EXISTS (SELECT FROM best WHERE submission = %(id)s AND best.contest = now.id AND best.live = now.live)
                   OR (counts AND (now.live OR early IS NOT FALSE)),
               EXISTS (SELECT FROM match_player WHERE match = %(id)s AND contestant = %(viewer)s),
               match.state IN ('disputed', 'unanswered'),
               EXISTS (SELECT FROM match_player JOIN contestant ON contestant.id = contestant
                       WHERE match = %(id)s AND hidden_at IS NOT NULL),
               EXISTS (SELECT FROM league WHERE league.contest = now.id) AND EXISTS (SELECT FROM hidden_name)
        FROM contest_now AS now LEFT JOIN match_now AS match ON match.submission = %(id)s
        WHERE slug = %(slug)s""",
        {"id": submission.id, "slug": submission.contest, "viewer": viewer and viewer.id},
    ).fetchone()
    assert row
    published, on_board, plays, undecided, names_hidden, may_name = row
    organiser = viewer is not None and viewer.organiser
    own = plays or (viewer is not None and viewer.id == submission.contestant_id)
    if published and may_name and not names_hidden and not (own or organiser):
        names_hidden = _names_hidden(conn, submission.id)
    record = own or (organiser and undecided) or (published and (organiser or not names_hidden))
    return Sees(own or published or bool(on_board) or organiser, bool(record), bool(own or organiser))


def _names_hidden(conn: Connection, submission_id: UUID) -> bool:
    """Whether a record has a hidden name in it."""
    hide = redaction.of(conn)
    text = (record_of(conn, submission_id) or b"").decode(errors="replace")
    return hide(text) != text


def told(conn: Connection, submission: Submission, sees: Sees) -> Submission:
    """The submission as such a viewer reads it: what its verdict quotes may be a hidden name."""
    if sees.record or sees.names or not submission.verdict or "error" not in submission.verdict:
        return submission
    hide, error = redaction.of(conn), submission.verdict["error"]
    verdict = {**submission.verdict, "error": {**error, "message": hide(error["message"])}}
    detail = submission.detail and {**submission.detail, "values": redaction.deep(hide, submission.detail["values"])}
    return replace(submission, verdict=verdict, detail=detail)


def _of_key(conn: Connection, slug: str, contestant: Contestant, key: str) -> tuple[UUID, bytes] | None:
    return conn.execute(
        """
        SELECT submission.id, sha256 FROM upload_key JOIN submission ON submission.id = upload_key.submission
        WHERE upload_key.contest = (SELECT id FROM contest WHERE slug = %s) AND upload_key.contestant = %s AND hash = %s
        """,
        [slug, contestant.id, _hash(key)],
    ).fetchone()


_KEEP = """
    WITH who AS (
        SELECT shown, %(token)s::uuid IS NULL OR EXISTS (
            SELECT FROM token
            WHERE id = %(token)s AND contestant = %(contestant)s AND used_on = (now() AT TIME ZONE 'UTC')::date
              AND revoked_at IS NULL AND coalesce(expires_at > now(), true) AND deleted_at IS NULL) AS theirs
        FROM contestant WHERE id = %(contestant)s
    ), contest AS (
        SELECT id, quota, closes_at, phase, phase NOT IN ('upcoming', 'published') AND (SELECT theirs FROM who) AS open
        FROM contest_now WHERE slug = %(slug)s
    ), known AS (
        SELECT id FROM submission
        WHERE contest = (SELECT id FROM contest) AND contestant = %(contestant)s AND sha256 = %(sha256)s
    ), taken AS (
        INSERT INTO quota (contest, contestant, day, used)
        SELECT id, %(contestant)s, (now() AT TIME ZONE 'UTC')::date, 1
        FROM contest WHERE open AND quota IS NOT NULL AND NOT EXISTS (SELECT FROM known)
        ON CONFLICT (contest, contestant, day) DO UPDATE SET used = quota.used + 1
        WHERE quota.used < (SELECT quota FROM contest)
        RETURNING day
    ), new AS (
        INSERT INTO submission (contest, contestant, record, size, sha256, request, quota_day, turn)
        SELECT id, %(contestant)s, %(record)s, %(size)s, %(sha256)s, %(request)s, (SELECT day FROM taken),
               greatest(now(), (SELECT max(turn) + interval '1 s' FROM submission AS other
                                WHERE contestant = %(contestant)s AND waiting IS TRUE))
        FROM contest WHERE open AND NOT EXISTS (SELECT FROM known) AND (quota IS NULL OR EXISTS (SELECT FROM taken))
        RETURNING id, received_at
    )
    SELECT shown, theirs, new.id, received_at, received_at >= closes_at, (SELECT id FROM known), phase, open, quota,
           (date_trunc('day', now() AT TIME ZONE 'UTC') + interval '1 day') AT TIME ZONE 'UTC'
    FROM who LEFT JOIN contest ON true LEFT JOIN new ON true"""


def _keep(
    conn: Connection,
    slug: str,
    contestant: Contestant,
    record: bytes,
    sha256: bytes,
    request: str | None,
    token: UUID | None = None,
) -> tuple[Submission, bool]:
    """Everything about an upload in one statement: who sends it, is it open, is it known, is there quota, keep it."""
    values = {
        "slug": slug,
        "contestant": contestant.id,
        "record": record,
        "size": len(record),
        "sha256": sha256,
        "request": request,
        "token": token,
    }
    try:
        # These bytes may come a second time in the same moment: then the first to be committed is the one, and this
        # statement has changed nothing, the quota neither.
        with nullcontext() if conn.autocommit else conn.transaction():
            row = conn.execute(_KEEP, values, binary=True).fetchone()
    except errors.UniqueViolation:
        same = _same(conn, values)
        assert same
        return same, False
    assert row
    shown, theirs, new, received_at, late, known, phase, is_open, limit, tomorrow = row
    if new:
        return Submission(
            id=new,
            contest=slug,
            contestant_id=contestant.id,
            contestant=shown,
            received_at=received_at,
            sha256=sha256.hex(),
            size=len(record),
            state="queued",
            verdict=None,
            detail=None,
            version=None,
            decided_at=None,
            late=late,
            disqualified=False,
            withdrawn=False,
            position=None,
        ), True
    if not theirs:
        raise NotTheirs
    if phase is None:
        raise NoContest
    if not known:
        if not is_open:
            raise NotOpen(phase)
        if same := _same(conn, values):  # they took the last of the quota in this moment
            return same, False
        raise QuotaUsed(limit, tomorrow)
    return _found(conn, known), False


def _same(conn: Connection, values: dict[str, Any]) -> Submission | None:
    """The submission of these bytes."""
    row = conn.execute(
        """
        SELECT id FROM submission
        WHERE contest = (SELECT id FROM contest WHERE slug = %(slug)s) AND contestant = %(contestant)s
          AND sha256 = %(sha256)s""",
        values,
    ).fetchone()
    return _found(conn, row[0]) if row else None


def _found(conn: Connection, submission_id: UUID) -> Submission:
    row = get(conn, submission_id)
    assert row
    return row


def _remember(
    conn: Connection, slug: str, contestant: Contestant, key: str, submission_id: UUID, sha256: bytes
) -> None:
    """Tie the key to the submission; somebody may just have tied it to another one."""
    conn.execute(
        """
        INSERT INTO upload_key (contest, contestant, hash, submission)
        SELECT contest, contestant, %s, id FROM submission WHERE id = %s
        ON CONFLICT (contest, contestant, hash) DO NOTHING""",
        [_hash(key), submission_id],
    )
    known = _of_key(conn, slug, contestant, key)
    if known is None or known[1] != sha256:
        raise KeyReused


def _hash(key: str) -> bytes:
    return hashlib.sha256(key.encode(errors="surrogatepass")).digest()
