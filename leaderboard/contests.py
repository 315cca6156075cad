"""Contests, their setups, and the phase that the database clock gives them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Literal

from psycopg import errors
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from leaderboard import fences
from leaderboard.db import Connection, savepoint
from verifier import RULES, Allowed, Rejected, setup_of

Phase = Literal["upcoming", "open", "frozen", "closed", "published"]
"""Before opens_at, until freezes_at, until closes_at, until publishes_at, ever after; each moment begins the next."""

TITLE, DESCRIPTION = 100, 4000
"""Characters of a title and of a description at most."""
TIMES = ("opens_at", "freezes_at", "closes_at", "publishes_at")
EARLIEST, LATEST = datetime(2000, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)
"""Between them lies every time of a contest: also in another zone."""
SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
CANARY = "canary"
"""The contest of the service itself (canary.py), of which nobody else hears."""


class BadContest(Exception):
    """A contest that cannot be: which field, a sentence, and a stable code."""

    def __init__(self, field: str, sentence: str, code: str = "bad-value") -> None:
        super().__init__(sentence)
        self.field = field
        self.code = code


@dataclass(frozen=True)
class ContestSetup:
    """One starting position of a contest."""

    number: int
    """From 1."""
    header: str
    """As a record may write it: "deal: 7", or "layout:" and its lines."""
    layout: str
    """Written out; equal for equal starting positions."""
    name: str
    """ "deal 7", or empty."""


@dataclass(frozen=True)
class League:
    """What a contest of a game asks of matches."""

    per_pair: int | None = 1
    """So many matches between the same players count; None for all."""
    answer_days: int = 7
    """So long the players have to confirm or dispute a match; then it waits for an organiser."""
    invited: bool = False
    """Only those who are invited may play."""


@dataclass(frozen=True)
class Contest:
    """A contest as it is at `now`, the time of the database."""

    id: int
    slug: str
    titles: Mapping[str, str]
    """Language code to title; "en" is always there."""
    descriptions: Mapping[str, str]
    """Language code to Markdown; there may be none."""
    puzzle: str
    setups: tuple[ContestSetup, ...]
    """Empty for a puzzle that always starts the same way, and for a game that may start from any setup."""
    league: League | None
    """A contest of a game counts matches; None for a puzzle."""
    opens_at: datetime
    freezes_at: datetime | None
    closes_at: datetime
    publishes_at: datetime
    quota: int | None
    """Uploads of one contestant in a UTC day; None for any number."""
    keeps_records: bool
    """Results stay when the account of who handed them in is deleted; False: they are withdrawn."""
    phase: Phase
    live: bool
    """The board shows all that is known; False while it is frozen and until publication."""
    provisional: bool
    """Closed, but a timely submission is not decided yet."""
    now: datetime

    @property
    def published(self) -> bool:
        """Records are open to everybody."""
        return self.phase == "published"


_SELECT = """
    SELECT contest.id, slug, titles, (SELECT descriptions FROM contest AS told WHERE told.id = contest.id), puzzle,
           opens_at, freezes_at, closes_at, publishes_at, quota, phase, live, now,
           (SELECT keeps_records FROM contest AS told WHERE told.id = contest.id),
           phase IN ('closed', 'published') AND EXISTS (
               SELECT FROM submission WHERE submission.contest = contest.id AND waiting IS TRUE
                                        AND received_at < closes_at) AS provisional,
           (SELECT json_build_object('per_pair', per_pair, 'answer_days', answer_days, 'invited', invited)
            FROM league WHERE league.contest = contest.id) AS league,
           ARRAY(SELECT json_build_object('number', number, 'header', header, 'layout', layout, 'name', name)
                 FROM contest_setup WHERE contest_setup.contest = contest.id ORDER BY number) AS setups
    FROM contest_now AS contest"""


def get(conn: Connection, slug: str) -> Contest | None:
    """The contest of that slug; None for any other text."""
    if not SLUG.fullmatch(slug) or slug == CANARY:
        return None
    return _named(conn, slug)


def hidden(conn: Connection) -> Contest | None:
    """The contest of the service itself, once it is made."""
    return _named(conn, CANARY)


def _named(conn: Connection, slug: str) -> Contest | None:
    row = conn.cursor(row_factory=dict_row).execute(_SELECT + " WHERE slug = %s", [slug]).fetchone()
    return _contest(row) if row else None


def listed(conn: Connection) -> list[Contest]:
    """All contests, those that close last first."""
    rows = (
        conn.cursor(row_factory=dict_row)
        .execute(_SELECT + " WHERE slug <> %s ORDER BY closes_at DESC, id DESC", [CANARY])
        .fetchall()
    )
    return [_contest(row) for row in rows]


def create(
    conn: Connection,
    *,
    slug: str,
    titles: Mapping[str, str],
    puzzle: str,
    opens_at: datetime,
    closes_at: datetime,
    freezes_at: datetime | None = None,
    publishes_at: datetime | None = None,
    quota: int | None = None,
    setups: Sequence[str] = (),
    league: League | None = None,
    descriptions: Mapping[str, str] | None = None,
    keeps_records: bool = True,
) -> Contest:
    """A new contest. `setups` are written as headers of a record ("deal: 7"); published at its close unless stated.

    A contest of a game is a league; without setups its matches may start from any. Raises BadContest.
    """
    found = _check(
        slug, titles, puzzle, opens_at, freezes_at, closes_at, publishes_at or closes_at, quota, setups, league
    )
    texts = _texts("descriptions", descriptions or {}, DESCRIPTION)
    try:
        with savepoint(conn):
            row = conn.execute(
                """
                INSERT INTO contest
                    (slug, titles, descriptions, puzzle, opens_at, freezes_at, closes_at, publishes_at, quota,
                     keeps_records)
                VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s) RETURNING id""",
                [
                    slug,
                    Jsonb(dict(titles)),
                    Jsonb(texts),
                    puzzle,
                    opens_at,
                    freezes_at,
                    closes_at,
                    publishes_at or closes_at,
                    quota,
                    keeps_records,
                ],
            ).fetchone()
            assert row
            if RULES[puzzle].kind == "game":
                terms = league or League()
                conn.execute(
                    "INSERT INTO league (contest, per_pair, answer_days, invited) VALUES (%s, %s, %s, %s)",
                    [row[0], terms.per_pair, terms.answer_days, terms.invited],
                )
            for number, (header, layout, name) in enumerate(found, 1):
                conn.execute(
                    "INSERT INTO contest_setup (contest, number, header, layout, name) VALUES (%s, %s, %s, %s, %s)",
                    [row[0], number, header, layout, name],
                )
            conn.execute("INSERT INTO counter (contest) VALUES (%s)", [row[0]])
            # With several setups each has a board of its own beside the overall one, number 0.
            many = len(found) > 1 and RULES[puzzle].kind == "puzzle"
            numbers = range(len(found) + 1 if many else 1)
            fences.begin(conn, [fences.Line(row[0], number, live) for number in numbers for live in (True, False)])
    except errors.UniqueViolation:
        raise BadContest("slug", "There is a contest of that name already.", "contest-exists") from None
    contest = get(conn, slug)
    assert contest
    return contest


def allowed(contest: Contest) -> Allowed:
    """What the verifier accepts in this contest: its puzzle and setups."""
    return allowing(contest.puzzle, [setup.header for setup in contest.setups])


def allowing(puzzle: str, headers: Sequence[str]) -> Allowed:
    """What the verifier accepts of a puzzle with setups that are written as these headers. Raises Rejected."""
    return _allowed(puzzle, tuple(headers))


@lru_cache(maxsize=256)
def _allowed(puzzle: str, headers: tuple[str, ...]) -> Allowed:
    return Allowed(puzzle, tuple(filter(None, (setup_of(puzzle, header) for header in headers))))


def _contest(row: dict[str, Any]) -> Contest:
    setups = tuple(ContestSetup(**setup) for setup in row["setups"])
    return Contest(**{**row, "setups": setups, "league": League(**row["league"]) if row["league"] else None})


def check_times(opens_at: datetime, freezes_at: datetime | None, closes_at: datetime, publishes_at: datetime) -> None:
    """Raise BadContest unless these can be the times of a contest."""
    if any(moment is not None and moment.tzinfo is None for moment in (opens_at, freezes_at, closes_at, publishes_at)):
        raise BadContest("opens_at", "Times need an offset, such as 2026-12-01T12:00:00Z.", "time-without-zone")
    for name, moment in zip(TIMES, (opens_at, freezes_at, closes_at, publishes_at), strict=True):
        if moment is not None and not EARLIEST < moment < LATEST:
            raise BadContest(name, "A time lies after the year 1999 and before the year 9999.", "time-out-of-range")
    if not opens_at < closes_at:
        raise BadContest("closes_at", "A contest closes after it opens.", "times-order")
    if freezes_at is not None and not opens_at < freezes_at < closes_at:
        raise BadContest("freezes_at", "The board freezes between opening and closing.", "times-order")
    if publishes_at < closes_at:
        raise BadContest(
            "publishes_at", "Records are published when the contest has closed, not before.", "times-order"
        )


def _texts(field: str, texts: Mapping[str, str], longest: int) -> dict[str, str]:
    for language, text in texts.items():
        if not re.fullmatch("[a-z]{2}", language):
            raise BadContest(field, f"{language!r} is no code of a language, such as en.")
        if len(text) > longest or "\0" in text:
            raise BadContest(field, f"A text here has at most {longest} characters, none of them U+0000.")
    return dict(texts)


def _check(
    slug: str,
    titles: Mapping[str, str],
    puzzle: str,
    opens_at: datetime,
    freezes_at: datetime | None,
    closes_at: datetime,
    publishes_at: datetime,
    quota: int | None,
    setups: Sequence[str],
    league: League | None,
) -> list[tuple[str, str, str]]:
    """Raise BadContest, or return the setups as (header, layout, name)."""
    if not SLUG.fullmatch(slug) or len(slug) > 60:
        raise BadContest("slug", "A slug has 1 to 60 of a-z, 0-9 and single hyphens between them.")
    if slug == CANARY:
        raise BadContest("slug", "This name is the service's own.")
    if not titles.get("en", "").strip():
        raise BadContest("titles", "An English title is needed.")
    _texts("titles", titles, TITLE)
    rules = RULES.get(puzzle)
    if rules is None:
        raise BadContest("puzzle", f"There is no puzzle or game {puzzle!r}.")
    check_times(opens_at, freezes_at, closes_at, publishes_at)
    if quota is not None and quota < 1:
        raise BadContest("quota", "A daily quota is at least 1; leave it out for none.")
    if league and rules.kind != "game":
        raise BadContest("league", "Only a game has matches.")
    if league and not (league.per_pair is None or league.per_pair > 0):
        raise BadContest("per_pair", "At least one match of a pair counts; leave it out for all.")
    if league and not 1 <= league.answer_days <= 365:
        raise BadContest("answer_days", "Players have 1 to 365 days to answer.")
    if bool(setups) != bool(rules.layout_size) and (setups or rules.kind != "game"):
        need = "needs at least one setup" if rules.layout_size else "always starts the same way and takes no setups"
        raise BadContest("setups", f"{puzzle} {need}.")
    found: list[tuple[str, str, str]] = []
    for header in setups:
        try:
            setup = setup_of(puzzle, header)
        except Rejected as error:
            raise BadContest("setups", error.message) from None
        assert setup  # the puzzle has setups, so a header without one is Rejected
        if any(setup.text == layout for _, layout, _ in found):
            raise BadContest("setups", "Two of the setups are the same starting position.")
        found.append((header, setup.text, setup.name))
    return found
