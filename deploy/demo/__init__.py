"""What --demo shows: open contests, and contestants whose real records the worker verifies like anybody's.

The records are package data beside this file; among them is one of 200 boards, and two of exactly the same rank.
"""

from datetime import datetime, timedelta
from importlib.resources import files
from typing import NamedTuple

from leaderboard import contestants, contests, db, submissions
from leaderboard.db import Connection


class Shown(NamedTuple):
    """A contest with the records on its board."""

    puzzle: str
    titles: dict[str, str]
    setups: tuple[str, ...]
    records: dict[str, tuple[str, ...]]
    """Each contestant's files, in the folder called like the contest."""


SLUG = "golden-nugget"
CONTESTS = {
    SLUG: Shown(
        "jc-golden-nugget",
        {"en": "JC Golden Nugget, demonstration", "pl": "JC Golden Nugget, pokaz"},
        (),
        {
            "White Square": ("best-200-full.txt",),
            "Pink Row": ("best-20-short.txt",),
            "Left Push": ("lower-short-21-commas.txt",),
            "Blue Column": ("json-rows-25.json",),
            "Forty-Nine": ("tie-mean-40-boards.txt",),
            "Green Corner": ("tie-last-board-shorter.txt",),
            "Yellow Ring": ("tie-deep-first.txt",),
            "Red Rim": ("tie-true-other-moves.txt",),
            "Top Push": ("tie-deep-second.txt",),
            "Seven by Seven": ("mixed-37-comments.txt",),
            "Hundred Boards": ("full-100-crlf.txt",),
            "Slow and Steady": ("poor-20.txt",),
        },
    ),
    "brain-burn": Shown(
        "brain-burn",
        {"en": "Brain Burn, three deals", "pl": "Brain Burn, trzy rozdania"},
        ("deal: 3", "deal: 7", "deal: 100"),
        {
            "White Square": ("deal3-b.txt", "deal7-d.json", "deal100-a.txt"),
            "Pink Row": ("deal3-c.txt", "deal7-b.txt", "deal100-c.txt"),
            "Left Push": ("deal7-d-again.txt",),
            "Forty-Nine": ("deal7-c.txt",),
            "Slow and Steady": ("deal7-a.txt",),
        },
    ),
    "piecepack-klondike": Shown(
        "piecepack-klondike",
        {"en": "Piecepack Klondike, three deals", "pl": "Piecepack Klondike, trzy rozdania"},
        ("deal: 7", "deal: 41", "deal: 59"),
        {
            "Green Corner": ("deal7-13.json", "deal41-21.json", "deal59-20.json"),
            "Top Push": ("deal7-13-detour.txt", "deal41-15.txt", "deal59-20-detour.txt"),
            "Yellow Ring": ("deal7-tie.txt", "deal41-21-detour.txt"),
            "Blue Column": ("deal7-11.txt", "deal59-15.txt"),
            "Slow and Steady": ("deal7-09.txt", "deal41-09.txt", "deal59-09.txt"),
        },
    ),
    "maze": Shown(
        "maze",
        {"en": "Maze, three deals", "pl": "Maze, trzy rozdania"},
        ("deal: 1", "deal: 2", "deal: 3"),
        {
            "Hundred Boards": ("deal1-c.txt", "deal2-a.txt", "deal3-c.txt"),
            "Red Rim": ("deal1-a.txt", "deal2-c.txt", "deal3-a.txt"),
            "Seven by Seven": ("deal1-b.txt", "deal2-b.txt"),
            "Top Push": ("deal1-half.json", "deal2-part.txt", "deal3-b.txt"),
            "Slow and Steady": ("deal1-none.txt", "deal2-part-again.txt"),
        },
    ),
    # A match that both players hand in is confirmed by both; the last one still waits for White Square.
    "knight-fight": Shown(
        "knight-fight",
        {"en": "Knight Fight, everybody against everybody", "pl": "Knight Fight, każdy z każdym"},
        (),
        {
            "White Square": ("white-square-pink-row.txt", "green-corner-white-square.txt"),
            "Pink Row": ("white-square-pink-row.txt", "pink-row-green-corner.txt", "forty-nine-pink-row.txt"),
            "Green Corner": ("pink-row-green-corner.txt", "green-corner-white-square.txt"),
            "Forty-Nine": ("forty-nine-pink-row.txt", "red-rim-forty-nine.txt"),
            "Red Rim": ("red-rim-forty-nine.txt", "white-square-red-rim.txt"),
        },
    ),
}


def fill(database_url: str) -> None:
    """Add whatever of the demo is not there yet, all in one transaction. Raises leaderboard.db.Unavailable."""
    with db.connect(database_url) as conn:
        (today,) = conn.execute("SELECT date_trunc('day', now())").fetchone() or ()
        for slug, shown in CONTESTS.items():
            _fill(conn, slug, shown, today)


def _fill(conn: Connection, slug: str, shown: Shown, today: datetime) -> None:
    contest = contests.get(conn, slug) or contests.create(
        conn,
        slug=slug,
        titles=shown.titles,
        puzzle=shown.puzzle,
        setups=shown.setups,
        opens_at=today,
        closes_at=today + timedelta(days=365),
    )
    if contest.phase not in ("open", "frozen"):
        return
    for name, records in shown.records.items():
        contestant = contestants.by_name(conn, name) or contestants.register(conn, name)[0]
        for file in records:
            submissions.add(conn, contest, contestant, files("deploy.demo").joinpath(slug, file).read_bytes())
