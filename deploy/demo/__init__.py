"""What --demo shows: an open contest, and contestants whose real records the worker verifies like anybody's.

The records are package data beside this file; among them is one of 200 boards, and two of exactly the same rank.
"""

from datetime import timedelta
from importlib.resources import files

from leaderboard import contestants, contests, db, submissions

SLUG = "golden-nugget"
RECORDS = {
    "White Square": "best-200-full.txt",
    "Pink Row": "best-20-short.txt",
    "Left Push": "lower-short-21-commas.txt",
    "Blue Column": "json-rows-25.json",
    "Forty-Nine": "tie-mean-40-boards.txt",
    "Green Corner": "tie-last-board-shorter.txt",
    "Yellow Ring": "tie-deep-first.txt",
    "Red Rim": "tie-true-other-moves.txt",
    "Top Push": "tie-deep-second.txt",
    "Seven by Seven": "mixed-37-comments.txt",
    "Hundred Boards": "full-100-crlf.txt",
    "Slow and Steady": "poor-20.txt",
}


def fill(database_url: str) -> None:
    """Add whatever of the demo is not there yet, all in one transaction. Raises leaderboard.db.Unavailable."""
    with db.connect(database_url) as conn:
        contest = contests.get(conn, SLUG)
        if contest is None:
            (today,) = conn.execute("SELECT date_trunc('day', now())").fetchone() or ()
            contest = contests.create(
                conn,
                slug=SLUG,
                titles={"en": "JC Golden Nugget, demonstration", "pl": "JC Golden Nugget, pokaz"},
                puzzle="jc-golden-nugget",
                opens_at=today,
                closes_at=today + timedelta(days=365),
            )
        if contest.phase not in ("open", "frozen"):
            return
        for name, file in RECORDS.items():
            contestant = contestants.by_name(conn, name) or contestants.register(conn, name)[0]
            record = files("deploy.demo").joinpath(file).read_bytes()
            submissions.add(conn, contest, contestant, record)
