"""The service's own submission: it goes the way of all others, shows that they get through, and is taken away again.

It has a contest and a contestant of its own that no list, page or count shows.
"""

from datetime import UTC, datetime
from uuid import UUID

from psycopg.types.json import Jsonb

from leaderboard import best, board, chores, contestants, contests, events, fences, submissions
from leaderboard.contestants import Contestant
from leaderboard.contests import CANARY, Contest
from leaderboard.db import Connection
from verifier import setup_of

PUZZLE, SETUP = "maze", "deal: 1"
RECORD = f"puzzle: {PUZZLE}\n{SETUP}\n".encode()
"""No move at all is a play, whose score says that nothing is in order."""
NAME = contestants.CANARY
PATIENCE = 60
"""Seconds that its verdict may take."""


def step(conn: Connection, every: float) -> bool:
    """Upload it; or look what became of it and take it away: whether it was uploaded now.

    `every`: seconds from its end to the next one. The caller is alone.
    """
    contest, contestant = _ready(conn)
    row = conn.execute("SELECT facts ->> 'submission' FROM chore WHERE name = 'canary'").fetchone()
    found = submissions.get(conn, UUID(row[0])) if row and row[0] else None
    if found is None:
        new, _ = submissions.add(conn, CANARY, contestant, RECORD)
        facts = Jsonb({"submission": str(new.id)})
        conn.execute(
            "UPDATE chore SET facts = facts || %s, due_at = now() + interval '1 s' WHERE name = 'canary'", [facts]
        )
        return True
    waited = (contest.now - found.received_at).total_seconds()
    if found.state in ("queued", "verifying"):
        findings = [f"The canary has waited {waited:.0f} s for its verdict."] if waited > PATIENCE else []
        conn.execute(
            "UPDATE chore SET findings = %s, due_at = now() + interval '1 s' WHERE name = 'canary'", [Jsonb(findings)]
        )
        return False
    findings = []
    if found.state != "accepted":
        findings.append(f"The canary was {found.state}.")
    elif not (places := board.one(conn, contest, contestant.id, 0)) or places[0].submission != found.id:
        findings.append("The canary was accepted and does not stand on its board.")
    seconds = (found.decided_at - found.received_at).total_seconds() if found.decided_at else None
    _clear(conn, contest, contestant)
    chores.ended(conn, "canary", every, findings, {"seconds": seconds, "submission": None})
    return False


def _ready(conn: Connection) -> tuple[Contest, Contestant]:
    """Its contest and contestant, made the first time."""
    contest = contests.hidden(conn)
    if contest is None:
        opens, closes = datetime(2000, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)
        setup = setup_of(PUZZLE, SETUP)
        assert setup
        row = conn.execute(
            """
            INSERT INTO contest (slug, titles, puzzle, opens_at, closes_at, publishes_at)
            VALUES (%s, '{"en": "Canary"}', %s, %s, %s, %s) RETURNING id""",
            [CANARY, PUZZLE, opens, closes, closes],
        ).fetchone()
        assert row
        conn.execute(
            "INSERT INTO contest_setup (contest, number, header, layout) VALUES (%s, 1, %s, %s)",
            [row[0], SETUP, setup.text],
        )
        conn.execute("INSERT INTO counter (contest, phase) VALUES (%s, 'open')", [row[0]])
        fences.begin(conn, [fences.Line(row[0], 0, live) for live in (True, False)])
        contest = contests.hidden(conn)
    assert contest
    conn.execute("INSERT INTO contestant (name, folded) VALUES (%s, %s) ON CONFLICT DO NOTHING", [NAME, NAME])
    row = conn.execute("SELECT id FROM contestant WHERE folded = %s", [NAME]).fetchone()
    assert row
    contestant = contestants.get(conn, row[0])
    assert contestant
    return contest, contestant


def _clear(conn: Connection, contest: Contest, contestant: Contestant) -> None:
    """Take away all that its submissions have left."""
    events.lock(conn, [contest.id])
    conn.execute("UPDATE submission SET disqualified_at = now() WHERE contest = %s AND state = 'decided'", [contest.id])
    best.refresh(conn, contest.id, contestant.id)
    conn.execute("DELETE FROM verdict USING submission WHERE submission.id = submission AND contest = %s", [contest.id])
    conn.execute("DELETE FROM submission WHERE contest = %s AND state IN ('decided', 'failed')", [contest.id])
    conn.execute("DELETE FROM event WHERE contest = %s", [contest.id])
    conn.execute("UPDATE counter SET events = 0, public_events = 0 WHERE contest = %s", [contest.id])
