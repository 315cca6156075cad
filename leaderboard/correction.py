"""What comes of a re-verification: a preview that changes nothing, and the one act that applies or cancels it.

Both work out the standings by the same code, from the results as they are now: uploads, disqualifications and other
times that came after the set was chosen are in them. The preview of a league makes its matches in a savepoint that is
rolled back, as answers and pairs decide what counts there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.rows import class_row

from leaderboard import audit, best, events, league, matches
from leaderboard.best import Bests
from leaderboard.contestants import Contestant
from leaderboard.contests import Contest
from leaderboard.db import Connection
from leaderboard.events import Happening
from leaderboard.reverification import Reverification, get
from verifier import VERSION, Verdict

SHOWN = 200
"""So many changed verdicts and ranks a preview names; it counts all."""


class NotOpen(Exception):
    """The set is applied or cancelled already."""


class NotReady(Exception):
    """Not every row is verified yet."""


class Outdated(Exception):
    """Its verifier version is not the running one, or some of its submissions have had another verdict since."""


@dataclass(frozen=True)
class Change:
    """A submission whose verdict becomes another one."""

    submission: UUID
    contestant: UUID
    name: str
    received_at: datetime
    ranks: bool
    """It is in time and not disqualified, so the board may change by it."""
    old: dict[str, Any]
    new: dict[str, Any]
    """Verdicts, as docs/FORMATS.md has them."""
    play: bytes | None
    players: list[str] | None

    @property
    def kind(self) -> str:
        """ "accepted" (was rejected), "rejected" (was accepted), "score", or "error" (rejected for another reason)."""
        if self.old["accepted"] != self.new["accepted"]:
            return "accepted" if self.new["accepted"] else "rejected"
        return "score" if self.new["accepted"] else "error"


@dataclass(frozen=True)
class Move:
    """A contestant whose rank changes; None: not on the board."""

    contestant: UUID
    name: str
    old_rank: int | None
    new_rank: int | None


@dataclass(frozen=True)
class Moves:
    """How the ranks of a board change."""

    live: bool
    """The board of all results; False: the one that stays public through a freeze."""
    moves: list[Move]
    """The first SHOWN by new rank."""
    rise: int
    fall: int
    enter: int
    leave: int


@dataclass(frozen=True)
class Preview:
    """What applying would change."""

    changes: list[Change]
    """The first SHOWN in the order they were received."""
    kinds: dict[str, int]
    """How many of each kind."""
    boards: list[Moves]


def preview(conn: Connection, contest: Contest, row: Reverification) -> Preview:
    """What applying it now would change. The caller's transaction should change nothing else."""
    _patience(conn)
    changes = _changes(conn, row)
    if contest.league:
        events.lock(conn, [contest.id])
        with conn.transaction(force_rollback=True):
            before = _everybody(conn, contest)
            _switch(conn, row)
            matches.correct(conn, _handed(contest, changes))
            after = league.table(conn, contest.id)
            boards = _boards(conn, contest, before, after)
    else:
        before, after = _bests(conn, contest, row, changes)
        boards = _boards(conn, contest, before, after)
    return _preview(changes, boards)


def apply(conn: Connection, contest: Contest, reverification_id: UUID, actor: Contestant | str, reason: str) -> Preview:
    """Let the verdicts rank, all in one act that the public reads of; what it has changed.

    Raises NotOpen, NotReady, Outdated.
    """
    _patience(conn)
    events.lock(conn, [contest.id])
    row = _open(conn, contest, reverification_id)
    if row.outdated:
        raise Outdated(
            f"Verifier version {row.version} judged them, and {VERSION} is running: cancel, and choose again."
        )
    if row.decided < row.total:
        raise NotReady(f"{row.decided} of {row.total} are verified.")
    stale = conn.execute(
        """
        SELECT count(*) FROM reverification_row AS row JOIN verdict ON verdict.submission = row.submission AND applied
        WHERE reverification = %s AND version <> base""",
        [row.id],
    ).fetchone()
    if stale and stale[0]:
        raise Outdated(f"{stale[0]} of these submissions have had another verdict since: cancel, and choose again.")
    changes = _changes(conn, row)
    if contest.league:
        ids = [each.submission for each in changes]
        before, places = _everybody(conn, contest), league.counting(conn, ids)
        _switch(conn, row)
        matches.correct(conn, _handed(contest, changes))
        after = league.table(conn, contest.id)
        boards = _boards(conn, contest, before, after)
        best.replace(conn, _everybody(conn, contest), after)
        changed = best.changes(before, after)
        places = {each for each in places | league.counting(conn, ids) if each[1] in changed}
    else:
        before, after = _bests(conn, contest, row, changes)
        boards = _boards(conn, contest, before, after)
        _switch(conn, row)
        best.replace(conn, before, after)
        places = _places(before, after)
    conn.execute(
        """
        UPDATE reverification SET state = 'applied', ended_by = %s, ended_at = now(), reason = %s, changed = %s
        WHERE id = %s""",
        [audit.name_of(actor), reason, len(changes), row.id],
    )
    _tell(conn, contest, row, changes, places)
    said = f"{reason} ({len(changes)} of {row.total} verdicts changed by verifier version {row.version})"
    audit.note(conn, actor, "reverify-apply", f"contest {contest.slug}", said, contest=contest.id, shown="published")
    return _preview(changes, boards)


def cancel(conn: Connection, contest: Contest, reverification_id: UUID, actor: Contestant | str, reason: str) -> None:
    """Give the set up: nothing changes but that the audit log says so. Raises NotOpen."""
    row = _open(conn, contest, reverification_id)
    conn.execute(
        "UPDATE reverification SET state = 'cancelled', ended_by = %s, ended_at = now(), reason = %s WHERE id = %s",
        [audit.name_of(actor), reason, row.id],
    )
    conn.execute(
        """
        UPDATE reverification_row SET state = 'dropped'
        WHERE reverification = %s AND state IN ('waiting', 'verifying')""",
        [row.id],
    )
    audit.note(conn, actor, "reverify-cancel", f"contest {contest.slug}", reason, contest=contest.id)


def _patience(conn: Connection) -> None:
    conn.execute("SET LOCAL statement_timeout = '60s'")
    conn.execute("SET LOCAL lock_timeout = '30s'")
    conn.execute("SET LOCAL enable_seqscan = on")


def _open(conn: Connection, contest: Contest, reverification_id: UUID) -> Reverification:
    """The set, locked, if it is open."""
    conn.execute("SELECT FROM reverification WHERE id = %s FOR UPDATE", [reverification_id])
    row = get(conn, contest, reverification_id)
    if row is None or row.state != "open":
        raise NotOpen("It is applied or cancelled already.")
    return row


def _changes(conn: Connection, row: Reverification) -> list[Change]:
    """The verdicts that would become other ones."""
    return (
        conn.cursor(row_factory=class_row(Change))
        .execute(
            """
        SELECT submission.id AS submission, contestant, name, received_at,
               received_at < closes_at AND disqualified_at IS NULL AS ranks,
               old.verdict AS old, new.verdict AS new, new.play, new.players
        FROM reverification_row AS row
        JOIN submission ON submission.id = row.submission JOIN contest ON contest.id = contest
        JOIN contestant ON contestant.id = contestant
        JOIN verdict AS old ON old.submission = row.submission AND old.applied
        JOIN verdict AS new ON new.submission = row.submission AND new.version = %(version)s
        WHERE reverification = %(id)s AND row.state = 'decided'
          AND (old.verdict::text <> new.verdict::text OR old.setup IS DISTINCT FROM new.setup)
        ORDER BY received_at, submission.id""",
            {"id": row.id, "version": row.version},
        )
        .fetchall()
    )


def _bests(conn: Connection, contest: Contest, row: Reverification, changes: Sequence[Change]) -> tuple[Bests, Bests]:
    """The bests of those whom it concerns, as they are and as the new verdicts make them."""
    whose = list({each.contestant for each in changes if each.ranks})
    results = conn.execute(
        """
        SELECT submission.contest, puzzle, submission.contestant, coalesce(verdict.setup, 0), submission.id,
               submission.received_at, verdict -> 'score', received_at < freezes_at
        FROM submission JOIN contest ON contest.id = submission.contest
        LEFT JOIN reverification_row AS row ON row.reverification = %(id)s AND row.submission = submission.id
                                           AND row.state = 'decided'
        JOIN verdict ON verdict.submission = submission.id AND accepted
             AND CASE WHEN row.submission IS NULL THEN applied ELSE verdict.version = %(version)s END
        WHERE received_at < closes_at AND disqualified_at IS NULL AND submission.contest = %(contest)s
          AND submission.contestant = ANY(%(whose)s)""",
        {"id": row.id, "version": row.version, "contest": contest.id, "whose": whose},
    )
    after: Bests = {}
    best.improve(after, best.results(results), best.many_setups(conn, {contest.id}))
    return best.read(conn, [(contest.id, each) for each in whose]), after


def _everybody(conn: Connection, contest: Contest) -> Bests:
    """All bests of a league."""
    rows = conn.execute("SELECT DISTINCT contestant FROM best WHERE contest = %s", [contest.id]).fetchall()
    return best.read(conn, [(contest.id, contestant) for (contestant,) in rows])


def _switch(conn: Connection, row: Reverification) -> None:
    """Let the set's verdicts be those that count; the old ones stay."""
    values = {"id": row.id, "version": row.version}
    conn.execute(
        """
        UPDATE verdict SET applied = false FROM reverification_row AS row
        WHERE reverification = %(id)s AND state = 'decided' AND verdict.submission = row.submission AND applied
          AND version <> %(version)s""",
        values,
    )
    conn.execute(
        """
        UPDATE verdict SET applied = true FROM reverification_row AS row
        WHERE reverification = %(id)s AND state = 'decided' AND verdict.submission = row.submission
          AND version = %(version)s AND NOT applied""",
        values,
    )
    conn.execute(
        """
        UPDATE submission SET setup = verdict.setup FROM reverification_row AS row, verdict
        WHERE reverification = %(id)s AND row.state = 'decided' AND submission.id = row.submission
          AND verdict.submission = row.submission AND version = %(version)s
          AND submission.setup IS DISTINCT FROM verdict.setup""",
        values,
    )


def _handed(contest: Contest, changes: Sequence[Change]) -> list[matches.Handed]:
    """The records that are accepted now, as they are handed in to a league."""
    return [
        matches.Handed(
            contest.id,
            each.submission,
            each.contestant,
            Verdict(contest.puzzle, score=each.new["score"], play=each.play.hex(), players=tuple(each.players or ())),
        )
        for each in changes
        if each.new["accepted"] and each.play
    ]


def _boards(conn: Connection, contest: Contest, before: Bests, after: Bests) -> list[Moves]:
    """How the overall ranks change: on the board of all results, and on the frozen one where there is one."""
    return [_moves(conn, contest, before, after, live) for live in ((True, False) if contest.freezes_at else (True,))]


def _moves(conn: Connection, contest: Contest, before: Bests, after: Bests, live: bool) -> Moves:
    """By ranking everybody twice. Where nobody's key changes, nobody's rank does."""
    old = {slot.contestant: each.key for slot, each in before.items() if slot.live == live and not slot.setup}
    new = {slot.contestant: each.key for slot, each in after.items() if slot.live == live and not slot.setup}
    if old == new:
        return Moves(live, [], 0, 0, 0, 0)
    rows = conn.execute(
        """
        WITH others AS (
            SELECT contestant, key FROM best
            WHERE contest = %(contest)s AND setup = 0 AND live = %(live)s AND contestant <> ALL(%(theirs)s)
        ), old AS (
            SELECT contestant, rank() OVER (ORDER BY key) AS rank FROM (
                TABLE others UNION ALL SELECT * FROM unnest(%(before)s::uuid[], %(before_keys)s::bytea[])
            ) AS keys (contestant, key)
        ), new AS (
            SELECT contestant, rank() OVER (ORDER BY key) AS rank FROM (
                TABLE others UNION ALL SELECT * FROM unnest(%(after)s::uuid[], %(after_keys)s::bytea[])
            ) AS keys (contestant, key)
        ), moved AS (
            SELECT contestant, old.rank AS old_rank, new.rank AS new_rank FROM old FULL JOIN new USING (contestant)
            WHERE old.rank IS DISTINCT FROM new.rank
        )
        SELECT contestant, name, old_rank, new_rank, count(*) FILTER (WHERE new_rank < old_rank) OVER (),
               count(*) FILTER (WHERE new_rank > old_rank) OVER (), count(*) FILTER (WHERE old_rank IS NULL) OVER (),
               count(*) FILTER (WHERE new_rank IS NULL) OVER ()
        FROM moved JOIN contestant ON contestant.id = contestant
        ORDER BY new_rank, old_rank, name LIMIT %(shown)s""",
        {
            "contest": contest.id,
            "live": live,
            "theirs": list(old.keys() | new.keys()),
            "before": list(old),
            "before_keys": list(old.values()),
            "after": list(new),
            "after_keys": list(new.values()),
            "shown": SHOWN,
        },
    ).fetchall()
    counts = rows[0][4:] if rows else (0, 0, 0, 0)
    return Moves(live, [Move(*row[:4]) for row in rows], *counts)


def _preview(changes: list[Change], boards: list[Moves]) -> Preview:
    kinds = dict.fromkeys(("accepted", "rejected", "score", "error"), 0)
    for each in changes:
        kinds[each.kind] += 1
    return Preview(changes[:SHOWN], kinds, boards)


def _places(before: Bests, after: Bests) -> set[tuple[UUID, bool]]:
    """The submissions that leave or take a place, and on which face of the board (True: the live one)."""
    return {
        (each.submission, slot.live)
        for slot in before.keys() | after.keys()
        if before.get(slot) != after.get(slot)
        for each in (before.get(slot), after.get(slot))
        if each
    }


def _tell(
    conn: Connection,
    contest: Contest,
    row: Reverification,
    changes: Sequence[Change],
    places: set[tuple[UUID, bool]],
) -> None:
    """An event for each changed verdict, public where the submission changes a face of the board that the public sees.

    And one that tells the public of the correction itself.
    """
    seen = {live: events.seen(conn, contest.id, {live}) for live in (True, False)}
    standing = {submission for submission, _ in places}
    shown = {submission for submission, live in places if seen[live]}
    happenings = [
        Happening(
            contest.id,
            "standing" if each.submission in standing else "verdict",
            {
                "submission": str(each.submission),
                "contestant": str(each.contestant),
                "accepted": each.new["accepted"],
            },
            public=each.submission in shown,
        )
        for each in changes
    ]
    payload = {"reverification": str(row.id), "version": row.version}
    events.add(conn, [*happenings, Happening(contest.id, "corrected", payload, public=True)])
