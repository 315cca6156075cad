"""A submission: its state, and what the verdict says, with the place shown in the record and on the board."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from flask import abort, jsonify, render_template

from api import auth, i18n, schemas
from api.pages.base import bp, seen, unless_seen
from api.pages.hints import CHAIN, better_start, right_boards
from leaderboard import board, charts, contests, matches, submissions
from leaderboard.db import transaction
from verifier import verify

if TYPE_CHECKING:
    from uuid import UUID

    from flask.typing import ResponseReturnValue

    from leaderboard.contests import Contest
    from leaderboard.db import Connection
    from verifier.view import View

BEFORE, BEHIND = 3, 2
"""Lines of context around the one at fault."""
REACH = 60
"""Characters shown on either side of the token, where a line is long."""
ENDS = frozenset(" \t\r\n,#")


class Line(NamedTuple):
    """A line of a record as the page shows it; at the faulty one, `before`, `token` and `behind` make up the text."""

    number: int
    before: str
    token: str = ""
    behind: str = ""
    faulty: bool = False

    @property
    def caret(self) -> str:
        """Blanks up to the token, tabs kept, and a caret below each of its characters."""
        return "".join("\t" if char == "\t" else " " for char in self.before) + "^" * max(1, len(self.token))


@bp.get("/submissions/<uuid:id>")
def submission(id: UUID) -> ResponseReturnValue:
    """What its owner, the organisers and, once it stands on the board, everybody may see."""
    viewer = auth.viewer()
    with transaction() as conn:
        row = submissions.get(conn, id) or abort(404)
        sees = submissions.visible(conn, row, viewer)
        if not sees.summary:
            abort(404)
        contest = contests.get(conn, row.contest) or abort(404)
        match = matches.get(conn, id) if contest.league else None
        facts = (row.state, row.position, row.late, sees, board.event(conn, contest), contest.phase, match)
        if answer := unless_seen(*facts):
            return answer
        record = submissions.record_of(conn, id) if sees.record and row.verdict else None
        places = board.one(conn, contest, row.contestant_id, neighbours=0) if row.state == "accepted" else None
        right = right_boards(record, row.verdict) if record and row.verdict and row.state == "rejected" else None
        right_rank = charts.place(conn, contest, right.score) if right and right.score else None
        start = None if row.late else better_beginning(conn, contest, row.verdict)
    standing = places[0] if places else None
    error = (row.verdict or {}).get("error")
    page = render_template(
        "submission.html",
        row=row,
        contest=contest,
        match=match,
        sees=sees,
        mine=viewer is not None and viewer.id == row.contestant_id,
        standing=standing,
        counts=standing is not None and standing.submission == row.id,
        sentence=i18n.sentence(row.detail, error) if error and row.detail else None,
        right=right,
        right_rank=right_rank,
        start=start,
        lines=excerpt(record, error) if record and error else [],
        view=last_view(record, contest) if record else None,
    )
    return seen(page, *facts)


class Start(NamedTuple):
    """A beginning of an accepted chain that would rank higher than the whole."""

    boards: int
    mean: str
    rank: int


def better_beginning(conn: Connection, contest: Contest, verdict: dict[str, Any] | None) -> Start | None:
    """The beginning that would rank highest, with its rank; None where it is the whole chain, or there is no chain."""
    if not verdict or not verdict["accepted"] or contest.puzzle != CHAIN:
        return None
    moves = verdict["score"]["moves_per_board"]
    if (boards := better_start(moves)) is None:
        return None
    score = {"moves_per_board": moves[:boards]}
    return Start(boards, str(Fraction(sum(moves[:boards]), boards)), charts.place(conn, contest, score))


@bp.get("/submissions/<uuid:id>/receipt")
def receipt(id: UUID) -> ResponseReturnValue:
    """What the owner can keep as proof of what was received, and when."""
    viewer = auth.viewer()
    with transaction() as conn:
        row = submissions.get(conn, id) or abort(404)
    if viewer is None or viewer.id != row.contestant_id:
        abort(404)
    response = jsonify(schemas.receipt(row))
    response.headers["Content-Disposition"] = f'attachment; filename="receipt-{id}.json"'
    response.headers["Cache-Control"] = "private, no-store"
    return response


def last_view(record: bytes, contest: Contest) -> View | None:
    """The position before the faulty move, which is marked, or the last one of an accepted record, if there is one."""
    draw = verify(record, contests.allowed(contest)).view
    return draw() if draw else None


def excerpt(record: bytes, error: dict[str, int]) -> list[Line]:
    """The faulty line with some before and behind it; nothing for an error without a line (JSON, too large)."""
    if "line" not in error:
        return []
    text = record.removeprefix(b"\xef\xbb\xbf").decode(errors="replace")
    lines = text.split("\n")
    at, column = error["line"] - 1, error["column"] - 1
    shown = []
    for number in range(max(0, at - BEFORE), min(len(lines), at + BEHIND + 1)):
        line = lines[number].removesuffix("\r")
        if number != at:
            shown.append(Line(number + 1, plain(cut(line, 0))))
            continue
        end = column
        while end < len(line) and line[end] not in ENDS:
            end += 1
        end = max(end, min(column + 1, len(line)))
        token = line[column:end] if end - column <= REACH else line[column : column + REACH] + "…"
        before = line[:column] if column <= REACH else "…" + line[column - REACH : column]
        shown.append(Line(number + 1, plain(before), plain(token), plain(cut(line, end)), faulty=True))
    return shown


def cut(line: str, start: int) -> str:
    """The line from `start` on, as far as the page shows it."""
    reach = 2 * REACH
    return line[start:] if len(line) - start <= reach else line[start : start + reach] + "…"


def plain(text: str) -> str:
    """The text with what does not print shown as a box of its own, one character for one."""
    return "".join(char if char.isprintable() or char == "\t" else "␀" if char == "\0" else "\ufffd" for char in text)
