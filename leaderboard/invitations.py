"""Who may play in a contest of a game that is by invitation."""

from uuid import UUID

from psycopg.rows import class_row

from leaderboard import audit
from leaderboard.contestants import Contestant
from leaderboard.contests import Contest
from leaderboard.db import Connection


class OpenToAll(Exception):
    """Nobody needs an invitation to that contest."""


def invite(conn: Connection, contest: Contest, contestant: Contestant, organiser: Contestant | str) -> None:
    """Let somebody play in a contest by invitation; twice is as good as once. Raises OpenToAll."""
    if not (contest.league and contest.league.invited):
        raise OpenToAll("This contest is not by invitation.")
    new = conn.execute(
        "INSERT INTO entrant (contest, contestant) VALUES (%s, %s) ON CONFLICT DO NOTHING", [contest.id, contestant.id]
    ).rowcount
    if new:
        _note(conn, organiser, "invite", contest, contestant.id)


def withdraw(conn: Connection, contest: Contest, contestant: UUID, organiser: Contestant | str) -> bool:
    """Take an invitation back: matches handed in later do not count, earlier ones stay. Whether there was one."""
    there = conn.execute(
        "DELETE FROM entrant WHERE contest = %s AND contestant = %s", [contest.id, contestant]
    ).rowcount
    if there:
        _note(conn, organiser, "uninvite", contest, contestant)
    return bool(there)


def listed(conn: Connection, contest: Contest) -> list[Contestant]:
    """Who is invited, by name."""
    rows = conn.cursor(row_factory=class_row(Contestant))
    return rows.execute(
        """
        SELECT id, name, role, created_at, hidden_at IS NOT NULL AS hidden
        FROM entrant JOIN contestant ON contestant = id WHERE contest = %s ORDER BY folded""",
        [contest.id],
    ).fetchall()


def _note(conn: Connection, organiser: Contestant | str, deed: str, contest: Contest, contestant: UUID) -> None:
    audit.note(conn, organiser, deed, f"contestant {contestant}", contest=contest.id, whom=contestant, shown="now")
