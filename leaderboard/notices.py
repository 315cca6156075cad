"""What organisers tell everybody on a contest's page: posted, edited, taken back; every version is kept."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from leaderboard import audit, events
from leaderboard.contestants import Contestant
from leaderboard.contests import Contest
from leaderboard.db import Connection
from leaderboard.events import Happening

LENGTH = 4000
"""Characters of a text at most."""


class BadNotice(Exception):
    """A notice that cannot be; the sentence says why."""


class NoNotice(Exception):
    """There is no such notice, or it was taken back."""


@dataclass(frozen=True)
class Notice:
    """A notice as it stands."""

    number: int
    """From 1 in its contest."""
    version: int
    texts: Mapping[str, str]
    """Language code to Markdown; "en" is always there."""
    posted_at: datetime
    edited_at: datetime | None
    """None while it is as it was posted."""


def listed(conn: Connection, contest: Contest) -> list[Notice]:
    """Those that stand, the newest first."""
    return (
        conn.cursor(row_factory=class_row(Notice))
        .execute(
            """
        SELECT * FROM (
            SELECT DISTINCT ON (number) number, now.version, now.texts, first.at AS posted_at,
                   CASE WHEN now.version > 1 THEN now.at END AS edited_at
            FROM notice AS now JOIN notice AS first USING (contest, number)
            WHERE contest = %s AND first.version = 1 ORDER BY number, now.version DESC
        ) AS newest WHERE texts IS NOT NULL ORDER BY number DESC""",
            [contest.id],
        )
        .fetchall()
    )


def post(conn: Connection, contest: Contest, organiser: Contestant | str, texts: Mapping[str, str]) -> Notice:
    """Tell everybody something. Raises BadNotice."""
    texts = _checked(texts)
    events.lock(conn, [contest.id])
    row = conn.execute("SELECT coalesce(max(number), 0) + 1 FROM notice WHERE contest = %s", [contest.id]).fetchone()
    assert row
    return _write(conn, contest, organiser, row[0], texts)


def edit(
    conn: Connection, contest: Contest, organiser: Contestant | str, number: int, texts: Mapping[str, str]
) -> Notice:
    """Let a notice say something else. The same again changes nothing. Raises BadNotice, NoNotice."""
    texts = _checked(texts)
    events.lock(conn, [contest.id])
    old = _standing(conn, contest, number)
    return old if dict(old.texts) == texts else _write(conn, contest, organiser, number, texts)


def take_back(conn: Connection, contest: Contest, organiser: Contestant | str, number: int) -> None:
    """Show a notice no longer. Raises NoNotice."""
    events.lock(conn, [contest.id])
    _standing(conn, contest, number)
    _add(conn, contest, organiser, number, None)


def _checked(texts: Mapping[str, str]) -> dict[str, str]:
    found = {language: text.strip() for language, text in texts.items() if text.strip()}
    if "en" not in found:
        raise BadNotice("An English text is needed.")
    for text in found.values():
        if len(text) > LENGTH or "\0" in text:
            raise BadNotice(f"A text has at most {LENGTH} characters, none of them U+0000.")
    return found


def _standing(conn: Connection, contest: Contest, number: int) -> Notice:
    for notice in listed(conn, contest):
        if notice.number == number:
            return notice
    raise NoNotice(f"There is no notice {number}.")


def _write(
    conn: Connection, contest: Contest, organiser: Contestant | str, number: int, texts: dict[str, str]
) -> Notice:
    _add(conn, contest, organiser, number, texts)
    return _standing(conn, contest, number)


def _add(
    conn: Connection, contest: Contest, organiser: Contestant | str, number: int, texts: dict[str, str] | None
) -> None:
    row = conn.execute(
        """
        INSERT INTO notice (contest, number, version, texts)
        SELECT %(contest)s, %(number)s, count(*) + 1, %(texts)s FROM notice
        WHERE contest = %(contest)s AND number = %(number)s RETURNING version""",
        {"contest": contest.id, "number": number, "texts": None if texts is None else Jsonb(texts)},
    ).fetchone()
    assert row
    action = "notice-taken-back" if texts is None else "notice" if row[0] == 1 else "notice-edited"
    events.add(conn, [Happening(contest.id, "notice", {"number": number}, public=True)])
    audit.note(conn, organiser, action, f"notice {number} of {contest.slug}", contest=contest.id, shown="now")
