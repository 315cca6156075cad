"""What --demo shows: contests of all puzzles and games, and contestants whose records are verified like anybody's.

The records are package data beside this file; among them is one of 200 boards, and two of exactly the same rank.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from importlib.resources import files
from threading import Event, Thread
from typing import NamedTuple

from leaderboard import contestants, contests, db, matches, submissions
from leaderboard.contestants import Contestant
from leaderboard.contests import Contest
from leaderboard.db import Connection
from leaderboard.submissions import Submission
from verifier import RULES
from verifier.record import opened

FOLDER = files("deploy.demo")


class Shown(NamedTuple):
    """A contest of a puzzle, with the records on its board."""

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
}


class League(NamedTuple):
    """A contest of a game, called like the game; its matches are the records in the folder of that name.

    Seat 1 has handed in each; the others have confirmed it, unless stated otherwise.
    """

    titles: dict[str, str]
    waiting: tuple[str, ...]
    """Files of matches that nobody has answered yet."""
    disputed: tuple[str, ...] = ()
    """Files of matches of which the last player says that it was not so."""


LEAGUES = {
    "forky": League(
        {"en": "Forky league", "pl": "Liga Forky"}, ("pink-row-top-push.json",), ("green-corner-top-push.txt",)
    ),
    "risky-die": League(
        {"en": "Risky Die league", "pl": "Liga Risky Die"},
        ("yellow-ring-blue-column.json",),
        ("red-rim-blue-column.txt",),
    ),
    "flag-rush": League({"en": "Flag Rush league", "pl": "Liga Flag Rush"}, ("seven-by-seven-hundred-boards.txt",)),
    "mad-chess": League({"en": "Mad Chess league", "pl": "Liga Mad Chess"}, ("yellow-ring-slow-and-steady.txt",)),
    "big-bang": League({"en": "Big Bang league", "pl": "Liga Big Bang"}, ("hundred-boards-blue-column.json",)),
    "fourmate": League({"en": "Fourmate league", "pl": "Liga Fourmate"}, ("seven-by-seven-blue-column.txt",)),
    "dominate": League(
        {"en": "Dominate league", "pl": "Liga Dominate"},
        ("left-push-green-corner.txt",),
        ("seven-by-seven-green-corner.txt",),
    ),
    "knight-fight": League({"en": "Knight Fight league", "pl": "Liga Knight Fight"}, ("white-square-red-rim.txt",)),
    "dark-knight-fight": League(
        {"en": "Dark Knight Fight league", "pl": "Liga Dark Knight Fight"},
        ("hundred-boards-red-rim.txt",),
        ("yellow-ring-hundred-boards.txt",),
    ),
    "fast-knight-fight": League(
        {"en": "Fast Knight Fight league", "pl": "Liga Fast Knight Fight"}, ("forty-nine-top-push.txt",)
    ),
    "knights-64": League(
        {"en": "Knights 64 league", "pl": "Liga Knights 64"},
        ("left-push-slow-and-steady.txt",),
        ("yellow-ring-slow-and-steady.txt",),
    ),
    "num-bears": League({"en": "Num Bears league", "pl": "Liga Num Bears"}, ("hundred-boards-seven-by-seven.txt",)),
    "admiral-battleboats": League(
        {"en": "Admiral Battleboats league", "pl": "Liga Admiral Battleboats"},
        ("green-corner-top-push.txt",),
        ("red-rim-top-push.txt",),
    ),
    "rush": League({"en": "Rush league", "pl": "Liga Rush"}, ("yellow-ring-hundred-boards.json",)),
    "war-of-13": League(
        {"en": "War of 13 league", "pl": "Liga War of 13"}, ("nine-players.txt",), ("forty-nine-hundred-boards.txt",)
    ),
}


def fill(database_url: str) -> bool:
    """Add whatever of the demo is not there yet, contest by contest.

    False while matches wait for their verdicts, before which their players cannot answer: then call it again. Raises
    leaderboard.db.Unavailable.
    """
    answered = True
    with db.connected(database_url) as conn:
        (today,) = conn.execute("SELECT date_trunc('day', now())").fetchone() or ()
        for slug, shown in CONTESTS.items():
            contest = _contest(conn, slug, shown.titles, shown.puzzle, shown.setups, today)
            for name, records in shown.records.items():
                for file in records:
                    _hand_in(conn, contest, name, FOLDER.joinpath(slug, file).read_bytes())
            conn.commit()
        for slug, league in LEAGUES.items():
            answered &= _fill_league(conn, slug, league, today)
            conn.commit()
    return answered


@contextmanager
def answering(database_url: str) -> Iterator[None]:
    """Meanwhile the players of the demo answer as soon as their matches have verdicts; for two minutes at most."""
    ended = Event()

    def answer() -> None:
        for _ in range(240):
            if ended.wait(0.5):
                return
            with suppress(db.Unavailable):
                if fill(database_url):
                    return

    thread = Thread(target=answer)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _fill_league(conn: Connection, slug: str, league: League, today: datetime) -> bool:
    """Whether every match has the answers that its players give."""
    contest, answered = _contest(conn, slug, league.titles, slug, (), today), True
    for file in sorted(FOLDER.joinpath(slug).iterdir(), key=lambda file: file.name):
        record = opened(file.read_bytes())
        record.read_header(RULES, None)
        names = record.header.players
        row = _hand_in(conn, contest, names[0], file.read_bytes())
        others = [_contestant(conn, name) for name in names[1:]]
        if row is None or file.name in league.waiting:
            continue
        answered &= row.state not in ("queued", "verifying")
        match = matches.get(conn, row.id)
        if match and match.state == "waiting":
            for player in others:
                agrees = file.name not in league.disputed or player != others[-1]
                matches.answer(conn, contest, row.id, player, agrees)
    return answered


def _contest(
    conn: Connection, slug: str, titles: dict[str, str], puzzle: str, setups: tuple[str, ...], today: datetime
) -> Contest:
    return contests.get(conn, slug) or contests.create(
        conn,
        slug=slug,
        titles=titles,
        puzzle=puzzle,
        setups=setups,
        opens_at=today,
        closes_at=today + timedelta(days=365),
    )


def _contestant(conn: Connection, name: str) -> Contestant:
    return contestants.by_name(conn, name) or contestants.register(conn, name)[0]


def _hand_in(conn: Connection, contest: Contest, name: str, record: bytes) -> Submission | None:
    """The submission, unless the contest takes none any more."""
    if contest.phase not in ("open", "frozen"):
        return None
    return submissions.add(conn, contest.slug, _contestant(conn, name), record)[0]
