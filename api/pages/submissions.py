"""A submission: its state, and what the verdict says, with the place shown in the record and on the board."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from flask import abort, jsonify, render_template

from api import auth, i18n, schemas, waiting
from api.excerpt import excerpt
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


@bp.get("/submissions/<uuid:id>")
def submission(id: UUID) -> ResponseReturnValue:
    """What its owner, the organisers and, once it stands on the board, everybody may see."""
    viewer = auth.viewer()
    with transaction() as conn:
        row = submissions.get(conn, id) or abort(404)
        sees = submissions.visible(conn, row, viewer)
        if not sees.summary:
            abort(404)
        row = submissions.told(conn, row, sees)
        contest = contests.get(conn, row.contest) or abort(404)
        match = matches.get(conn, id) if contest.league else None
        facts = (row, sees, board.event(conn, contest), contest.phase, match)
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
        hidden=row.contestant.startswith("#"),  # as no name does
        sees=sees,
        wait=waiting.expected(row.position) if row.state == "queued" else None,
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
