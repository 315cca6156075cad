"""What organisers change afterwards: disqualification, times. All of it is audited, and the board follows at once."""

from datetime import datetime
from uuid import UUID

from leaderboard import audit, best, contests, events, league
from leaderboard.contestants import Contestant
from leaderboard.contests import Contest
from leaderboard.db import Connection
from leaderboard.events import Happening
from leaderboard.rebuild import rebuild

TIMES = ("opens_at", "freezes_at", "closes_at", "publishes_at")


def disqualify(conn: Connection, submission_id: UUID, organiser: Contestant, reason: str) -> bool:
    """Take a submission off the board, also off a frozen one; the contestant's next best takes its place.

    Its verdict stays. Whether it stood undisqualified before.
    """
    return _set(conn, submission_id, organiser, reason, disqualified=True)


def reinstate(conn: Connection, submission_id: UUID, organiser: Contestant, reason: str) -> bool:
    """Take a disqualification back. Whether there was one."""
    return _set(conn, submission_id, organiser, reason, disqualified=False)


def reschedule(
    conn: Connection, contest: Contest, organiser: Contestant, reason: str, **times: datetime | None
) -> Contest:
    """Give a contest other times (of TIMES); who is late and what is public follows, so the board is made anew.

    Raises BadContest.
    """
    events.lock(conn, [contest.id])
    due = {name: getattr(contest, name) for name in TIMES} | times
    contests.check_times(**due)
    conn.execute(
        """
        UPDATE contest SET opens_at = %(opens_at)s, freezes_at = %(freezes_at)s, closes_at = %(closes_at)s,
                           publishes_at = %(publishes_at)s WHERE id = %(id)s""",
        {"id": contest.id, **due},
    )
    changed = contests.get(conn, contest.slug)
    assert changed
    rebuild(conn, changed)
    written = {name: time and time.isoformat() for name, time in due.items()}
    events.add(conn, [Happening(contest.id, "dates", written, public=True)])
    events.announce(conn)
    old = ", ".join(f"{name} was {getattr(contest, name)}" for name in times)
    audit.note(conn, organiser.name, "reschedule", f"contest {contest.slug}", f"{reason} ({old})")
    return changed


def _set(conn: Connection, submission_id: UUID, organiser: Contestant, reason: str, disqualified: bool) -> bool:
    row = conn.execute("SELECT contest, contestant FROM submission WHERE id = %s", [submission_id]).fetchone()
    if row is None:
        return False
    contest, contestant = row
    events.lock(conn, [contest])
    changed = conn.execute(
        """
        UPDATE submission SET disqualified_at = CASE WHEN %(disqualified)s THEN now() END
        WHERE id = %(id)s AND (disqualified_at IS NULL) = %(disqualified)s""",
        {"id": submission_id, "disqualified": disqualified},
    ).rowcount
    if not changed:
        return False
    players = conn.execute(
        """
        SELECT DISTINCT player.contestant
        FROM match AS mine JOIN match USING (contest, party)
                           JOIN match_player AS player ON player.match = match.submission
        WHERE mine.submission = %s""",
        [submission_id],
    ).fetchall()
    if players:
        faces = league.refresh(conn, contest, [each for (each,) in players])
    else:
        faces = best.refresh(conn, contest, contestant)
    payload = {"submission": str(submission_id), "contestant": str(contestant), "accepted": True}
    deed, kind = ("disqualify", "disqualified") if disqualified else ("reinstate", "reinstated")
    events.add(conn, [Happening(contest, kind, payload, events.seen(conn, contest, faces))])
    audit.note(conn, organiser.name, deed, f"submission {submission_id}", reason)
    return True
